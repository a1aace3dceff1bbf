# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes mutants of C++ sources: copies with one small mistake. clang-format's spaces tell binary operators
from template brackets, pointers and references."""
import hashlib
import re
import typing

# What is no code, or does not change what the program does: a false static_assert does not compile.
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<!\d)\'(?:\\.|[^\'\\\n])+\'|'
                     r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.DOTALL | re.MULTILINE)
NO_EFFECT = re.compile(r'\b(?:static_assert|G_STATIC_ASSERT|GST_(?:LOG|DEBUG|TRACE)\w*) ?\(')

OPERATORS = {
    'relational': {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '=='},
    'arithmetic': {'+': '-', '-': '+', '*': '/', '/': '*', '%': '*', '<<': '>>', '>>': '<<', '&': '|', '|': '&',
                   '^': '|', '+=': '-=', '-=': '+=', '*=': '/=', '/=': '*=', '<<=': '>>=', '>>=': '<<=',
                   '&=': '|=', '|=': '&='},
    'logical': {'&&': '||', '||': '&&'},
}
KIND_OF = {operator: kind for kind, operators in OPERATORS.items() for operator in operators}
BINARY = re.compile(r'(?<= )(?:' + '|'.join(sorted(map(re.escape, KIND_OF), key=len, reverse=True)) + r')(?=\s)')
STEP = re.compile(r'\+\+(?=\w)|(?<!\W)\+\+|--(?=\w)|(?<!\W)--')
NOT = re.compile(r'!(?!=)')
NUMBER = re.compile(r'(?<![\w.\'])(?:0|[1-9]\d*)(?=[uUlL]*\b)(?![.\'])')
TRUTH = re.compile(r'\b(?:true|false)\b')
CALL = re.compile(r'[A-Za-z_]\w*(?:<[\w:, ]*>)?\(')
# A statement that is one call begins after another statement, a block, a condition or a label.
STATEMENT = re.compile(r'(?<=[;{}):])\s*\n +(?P<call>(?:[A-Za-z_]\w*(?:::|\.|->|(?:\[\w*\]|\(\w*\))(?:\.|->)))*'
                       r'[A-Za-z_]\w*(?:<[\w:, ]*>)?\()')
COMMUTATIVE = re.compile(r'\b(?:max|min|Max|Min|And|Or|Xor|Add|Mul|Eq|Ne)\W*$')
KEYWORDS = {'if', 'for', 'while', 'switch', 'return', 'sizeof', 'decltype', 'alignas', 'alignof', 'catch', 'defined'}
PARAMETER = re.compile(r'[\w>&*] +[&*]*\w+(?: *=.*)?$|^(?:const\b|void$)', re.DOTALL)


class Mutant(typing.NamedTuple):
    """Text of a file from `begin` to `end` that is replaced. `before` and `after` are the lines around it in
    one line each; with `file` they name the mutant, also after its line has moved."""
    file: str
    line: int
    begin: int
    end: int
    replacement: str
    kind: str
    before: str
    after: str

    @property
    def key(self):
        return f'{self.file}\n- {self.before}\n+ {self.after}'

    def apply(self, text):
        return text[:self.begin] + self.replacement + text[self.end:]


def closing(text, opening):
    """The position of the bracket that closes the one at `opening`, and those of the commas between its
    arguments."""
    depth, commas = 0, []
    for i in range(opening, len(text)):
        if text[i] in '([{':
            depth += 1
        elif text[i] in ')]}':
            depth -= 1
            if depth == 0:
                return i, commas
        elif text[i] == ',' and depth == 1:
            commas.append(i)
    return None, []


def blank(text):
    """The text with spaces for all that is no code, and as many lines."""
    def spaces(found):
        return re.sub(r'[^\n]', ' ', found[0])
    # The quotes stay, so that an argument that is a string is no empty one.
    text = NO_CODE.sub(lambda found: '"' + spaces(found)[2:] + '"' if found[0][0] == '"' else spaces(found), text)
    for found in list(NO_EFFECT.finditer(text)):
        end = closing(text, found.end() - 1)[0]
        if end:
            text = text[:found.start()] + re.sub(r'[^\n]', ' ', text[found.start():end]) + text[end:]
    return text


def operators(code):
    for found in BINARY.finditer(code):
        kind = KIND_OF[found[0]]
        yield found.start(), found.end(), OPERATORS[kind][found[0]], kind
    for found in STEP.finditer(code):
        yield found.start(), found.end(), '--' if found[0] == '++' else '++', 'arithmetic'
    for found in NOT.finditer(code):
        yield found.start(), found.end(), '', 'logical'


def constants(code):
    for found in NUMBER.finditer(code):
        for difference in (1, -1):
            yield found.start(), found.end(), str(int(found[0]) + difference), 'constant'
    for found in TRUTH.finditer(code):
        yield found.start(), found.end(), 'false' if found[0] == 'true' else 'true', 'constant'


def removed_calls(code):
    for found in STATEMENT.finditer(code):
        end = closing(code, found.end() - 1)[0]
        if end and code[end + 1:end + 2] == ';' and re.split(r'\W', found['call'])[0] not in KEYWORDS:
            yield found.start('call'), end + 1, '', 'call'


def swapped_arguments(code, text):
    for found in CALL.finditer(code):
        end, commas = closing(code, found.end() - 1)
        if not end or not commas or re.split(r'\W', found[0])[0] in KEYWORDS or COMMUTATIVE.search(found[0]):
            continue
        bounds = [found.end() - 1, *commas, end]
        arguments = [(begin + 1, after) for begin, after in zip(bounds, bounds[1:])]
        if any(PARAMETER.search(code[begin:after].strip()) for begin, after in arguments):
            continue  # a declaration, whose names may have any order
        for (begin, middle), (second, after) in zip(arguments, arguments[1:]):
            one, two = text[begin:middle].strip(), text[second:after].strip()
            if one != two:
                yield text.index(one, begin), text.index(two, second) + len(two), f'{two}, {one}', 'arguments'


def mutants(file, text):
    """All mutants of a file, in a list for each line."""
    code = blank(text)
    lines = {}
    for begin, end, replacement, kind in (*operators(code), *constants(code), *removed_calls(code),
                                          *swapped_arguments(code, text)):
        start, stop = text.rfind('\n', 0, begin) + 1, text.find('\n', end)
        before = ' '.join(text[start:stop].split())
        after = ' '.join((text[start:begin] + replacement + text[end:stop]).split())
        line = text.count('\n', 0, begin) + 1
        lines.setdefault(line, []).append(Mutant(file, line, begin, end, replacement, kind, before, after))
    return list(lines.values())


def order(seed, *names):
    return hashlib.sha256('\n'.join([str(seed), *names]).encode()).digest()


def choose(seed, files):
    """One mutant of every line that has any, in an order that depends on the seed and the line's text alone,
    so that a change elsewhere does not change the choice. `files` are names and texts."""
    chosen = {}
    for file, text in files:
        for line in mutants(file, text):
            kind = min({mutant.kind for mutant in line}, key=lambda kind: order(seed, line[0].before, kind))
            mutant = min((mutant for mutant in line if mutant.kind == kind),
                         key=lambda mutant: order(seed, mutant.key))
            chosen.setdefault(mutant.key, mutant)  # lines of the same text count as one
    return sorted(chosen.values(), key=lambda mutant: order(seed, mutant.key))
