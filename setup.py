# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lets Meson build the native part of the Python module, and puts the libraries beside it that not every system
has. The environment variable CUDACANNY_MESON has further options for Meson, such as -Dcuda=disabled, quoted as in a
shell."""
import os
import re
import shlex
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = os.path.dirname(os.path.abspath(__file__))
OPTIONS = ['-Dpython=enabled', '-Dpython-static=true', '-Ddebug=false', '-Dtests=false',
           '-Dtuner=disabled', '-Doctave=disabled']


class MesonBuild(build_ext):
    def build_extension(self, ext):
        build = os.path.abspath(os.path.join(self.build_temp, 'meson'))
        target = self.get_ext_fullpath(ext.name)
        native = os.path.join('bindings', 'python', 'cudacanny', os.path.basename(target))
        shutil.rmtree(build, ignore_errors=True)  # it may have other options
        os.makedirs(build)
        for_this_python = os.path.join(build, 'python.ini')
        with open(for_this_python, 'w', encoding='utf-8') as file:
            file.write(f"[binaries]\npython = '{sys.executable}'\n")
        options = OPTIONS + shlex.split(os.environ.get('CUDACANNY_MESON', ''))
        subprocess.run(['meson', 'setup', '--native-file', for_this_python, build, ROOT, *options],
                       check=True)
        subprocess.run(['ninja', '-C', build, native], check=True)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(os.path.join(build, native), target)
        bundle(target)


def bundle(native):
    """Copies oneTBB and Highway, with their licenses, beside the native part. Their new names keep them apart from
    the system's and other packages' copies."""
    folder = os.path.dirname(native)
    subprocess.run(['patchelf', '--set-rpath', '$ORIGIN', native], check=True)
    found = subprocess.run(['ldd', native], check=True, capture_output=True, text=True).stdout
    for name, path in re.findall(r'(lib(?:tbb|hwy)\.so\S*) => (\S+)', found):
        own = name.replace('.so', '-cudacanny.so')
        shutil.copyfile(path, os.path.join(folder, own))
        subprocess.run(['patchelf', '--set-soname', own, os.path.join(folder, own)], check=True)
        subprocess.run(['patchelf', '--replace-needed', name, own, native], check=True)
        package = subprocess.run(['dpkg-query', '-S', os.path.realpath(path)], check=True, capture_output=True,
                                 text=True).stdout.split(':')[0]
        shutil.copyfile(f'/usr/share/doc/{package}/copyright', os.path.join(folder, own.split('.')[0] + '.copyright'))


def version():
    with open(os.path.join(ROOT, 'meson.build'), encoding='utf-8') as file:
        return re.search(r"^ +version: '([^']+)'", file.read(), re.MULTILINE)[1]


# The wheel fits systems with this glibc or a newer one.
platform = '_'.join(['manylinux', *os.confstr('CS_GNU_LIBC_VERSION').split()[1].split('.'), os.uname().machine])
setup(version=version(), cmdclass={'build_ext': MesonBuild}, options={'bdist_wheel': {'plat_name': platform}},
      ext_modules=[Extension('cudacanny._native', sources=[])])
