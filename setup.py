# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lets Meson build the native part of the Python module. The environment variable CUDACANNY_MESON
has further options for Meson, such as -Dcuda=disabled."""
import os
import re
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
        options = OPTIONS + os.environ.get('CUDACANNY_MESON', '').split()
        subprocess.run(['meson', 'setup', '--native-file', for_this_python, build, ROOT, *options],
                       check=True)
        subprocess.run(['ninja', '-C', build, native], check=True)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(os.path.join(build, native), target)


def version():
    with open(os.path.join(ROOT, 'meson.build'), encoding='utf-8') as file:
        return re.search(r"^ +version: '([^']+)'", file.read(), re.MULTILINE)[1]


setup(version=version(), cmdclass={'build_ext': MesonBuild},
      ext_modules=[Extension('cudacanny._native', sources=[])])
