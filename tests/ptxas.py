# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compiles the library's CUDA sources like a Meson build, for what ptxas reports about kernels."""
import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
GENCODE = re.compile(r'-gencode=arch=(\w+),code=(sm_\w+)')  # of machine code, not of PTX
ENTRY = re.compile(r"Compiling entry function '(\w+)' for '(sm_\w+)'")
STACK = re.compile(r'(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads')
REGISTERS = re.compile(r'Used (\d+) registers')
SHARED = re.compile(r'(\d+) bytes smem')


class Usage:
    """The resources that one kernel uses on one architecture."""

    def __init__(self):
        self.registers = None
        self.stack = (0, 0, 0)
        self.shared_bytes = 0  # without what a launch adds

    def spills(self):
        return any(self.stack[1:])

    def __str__(self):
        return f'{self.registers}' + ('+{}/{}/{}'.format(*self.stack) if any(self.stack) else '')


class Job:
    """The compilation of a source for the architectures of one PTX."""

    def __init__(self, source, folder, arguments, virtual):
        self.source, self.folder, self.arguments, self.virtual = source, folder, arguments, virtual
        self.object = arguments[arguments.index('-o') + 1]

    def architectures(self):
        return [code for virtual, code in GENCODE.findall(' '.join(self.arguments))
                if virtual == self.virtual]

    def without(self, unwanted):
        """This job without some architectures."""
        kept = [argument for argument in self.arguments
                if not (gencode := GENCODE.fullmatch(argument)) or gencode[2] not in unwanted]
        return Job(self.source, self.folder, kept, self.virtual)

    def run(self, scratch, keep=False):
        """Compiles to a folder. With `keep`, also leaves PTX and machine code there."""
        command = for_virtual(self.arguments, self.virtual, os.path.join(scratch, 'kernels.fatbin'))
        if keep:
            command += ['--keep', '--keep-dir', scratch]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)

    def report(self):
        with tempfile.TemporaryDirectory() as scratch:
            return self.run(scratch)


def for_virtual(arguments, wanted, output):
    """The arguments of a compilation for the architectures of one PTX, with ptxas's report."""
    result = []
    kept = iter(arguments)
    for argument in kept:
        gencode = GENCODE.fullmatch(argument)
        if argument == '-o':
            next(kept)
        elif gencode and gencode[1] == wanted:
            result.append(argument)
        elif argument != '-c' and not argument.startswith(('-gencode=', '--threads=')):
            result.append(argument)
    return result + ['-fatbin', '-Xptxas=-v', '-o', output]


def jobs_of(build):
    """The jobs of every CUDA source of the library in a Meson build folder."""
    os.environ['PATH'] += ':/usr/local/cuda/bin'
    jobs = []
    for entry in json.loads((build / 'compile_commands.json').read_text(encoding='utf-8')):
        source = pathlib.Path(entry['directory'], entry['file']).resolve()
        if source.suffix == '.cu' and entry['output'].startswith('canny/'):
            arguments = shlex.split(entry['command'])
            virtuals = sorted({virtual for virtual, _ in GENCODE.findall(entry['command'])})
            name = os.path.relpath(source, ROOT / 'cuda')
            jobs += [Job(name, entry['directory'], arguments, each) for each in virtuals]
    return jobs


def reports_in(log):
    """{object: what the compiler printed} of the CUDA objects that ninja built, from its output."""
    found, current = {}, []
    for line in log.splitlines():
        if progress := re.match(r'\[\d+/\d+\] (?:Compiling Cuda object (\S+))?', line):
            current = found.setdefault(progress[1], []) if progress[1] else []
        else:
            current.append(line)
    return {name: '\n'.join(lines) for name, lines in found.items()}


def in_parallel(function, jobs):
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, jobs))


def parse(text):
    """{(kernel, architecture): Usage}, kernels by their mangled names."""
    found = {}
    usage = Usage()
    for line in text.splitlines():
        if entry := ENTRY.search(line):
            usage = found.setdefault((entry[1], entry[2]), Usage())
        elif stack := STACK.search(line):  # of the kernel, or of a function that it calls
            usage.stack = tuple(a + int(b) for a, b in zip(usage.stack, stack.groups()))
        elif registers := REGISTERS.search(line):
            usage.registers = int(registers[1])
            if shared := SHARED.search(line):
                usage.shared_bytes = int(shared[1])
    return found


def short_name(plain):
    """Turns "void canny::cuda::tile_kernel<3, (canny::Norm)1>(int)" into "tile_kernel<3, 1>"."""
    plain = re.sub(r'\((unsigned )?\w+(::\w+)*\)(?=\d|-|true|false)', '', plain)  # casts
    plain = re.sub(r'\(anonymous namespace\)::|\b(canny|cuda|strip)::', '', plain)
    return re.sub(r'^.*?(\w+(<.*>)?)\(.*$', r'\1', plain).replace('> >', '>>')


def short_names(mangled):
    """Kernels' names with their template arguments, by mangled names."""
    names = sorted(mangled)
    plain = subprocess.run(['c++filt'], input='\n'.join(names), capture_output=True, text=True,
                           check=True).stdout.splitlines()
    return dict(zip(names, map(short_name, plain)))


def allowed_spills():
    """{(kernel, architecture)} of docs/internals/performance.md."""
    text = (ROOT / 'docs/internals/performance.md').read_text(encoding='utf-8')
    lines = '\n'.join(re.findall(r'^```spills\n(.*?)^```$', text, re.MULTILINE | re.DOTALL))
    return {tuple(reversed(line.split(' ', 1))) for line in lines.splitlines() if line}


def print_table(rows, left=1):
    """Prints rows of text, of which the first is the head, with `left` columns aligned left."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print('  '.join(cell.ljust(width) if i < left else cell.rjust(width)
                        for i, (cell, width) in enumerate(zip(row, widths))))
