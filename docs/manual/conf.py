# SPDX-License-Identifier: LGPL-2.1-or-later
"""Configures Sphinx for the manual: the pages of docs/, and references of C++ and Python. The pages have no syntax of
Sphinx; the order of links in index.md is that of the navigation."""
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

import furo
from pygments.lexers.special import TextLexer

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'bindings/python'))
# The installed headers, the only ones that the build file names.
HEADERS = sorted(re.findall(r"'(\w+\.h)'", (ROOT / 'canny/meson.build').read_text(encoding='utf-8')))

project = 'cudacanny'
extensions = ['myst_parser', 'breathe', 'sphinx.ext.autodoc', 'sphinx.ext.napoleon']
html_theme = 'furo'
html_static_path = ['manual.css']
html_css_files = ['manual.css']
# Debian's Furo takes its dark colors only from the button of a page. As options, they also follow the system.
FURO_STYLE = pathlib.Path(furo.__file__).parent / 'theme/furo/static/styles/furo.css'
DARK = re.search(r'body\[data-theme="?dark"?\] *\{(.*?)\}', FURO_STYLE.read_text(), re.DOTALL)[1]
html_theme_options = {'dark_css_variables': dict(re.findall(r'--([\w-]+): *([^;]+)', DARK))}
html_copy_source = html_show_copyright = False
myst_heading_anchors = 6  # the names that GitHub and GitLab give headings
breathe_default_project = project
autoclass_content = 'both'
autodoc_member_order = 'bysource'
toc_object_entries_show_parents = 'hide'
autodoc_mock_imports = ['numpy', 'torch', 'cudacanny._native']
autodoc_preserve_defaults = True
autodoc_type_aliases = {name: name for name in ('Array', 'HostArray', 'Regions')}
napoleon_use_ivar = True  # a property may be among the attributes of its class

DOXYGEN = r'''
GENERATE_XML = YES
GENERATE_HTML = NO
GENERATE_LATEX = NO
EXTRACT_ALL = YES
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = CANNY_API=
HIDE_FRIEND_COMPOUNDS = YES
MAX_INITIALIZER_LINES = 3
SHOW_HEADERFILE = NO
QUIET = YES
WARN_AS_ERROR = FAIL_ON_WARNINGS
EXCLUDE_SYMBOLS = CANNY_API
'''
REFERENCES = {'reference': [('C++', 'manual/cpp'), ('Python module', 'manual/python')]}


def run_doxygen(app, config):
    """Writes the comments of the headers as XML, for Breathe."""
    build = pathlib.Path(app.outdir).parents[1]
    paths = [folder / 'canny' / name for name in HEADERS for folder in (ROOT, build)]
    names = ' '.join(f'"{path}"' for path in paths if path.exists())
    settings = f'{DOXYGEN}INPUT = {names}\nOUTPUT_DIRECTORY = "{app.doctreedir}"\n'
    subprocess.run(['doxygen', '-'], input=settings, encoding='utf-8', check=True)
    config.breathe_projects = {project: f'{app.doctreedir}/xml'}


def add_lists(app, name, source):
    """Lists the headers, and links to all types, in the page of C++."""
    if name != 'manual/cpp':
        return
    index = xml.etree.ElementTree.parse(f'{app.doctreedir}/xml/index.xml')
    names = [compound.findtext('name') for kind in ('class', 'struct')
             for compound in index.findall(f'compound[@kind="{kind}"]')]
    names += [f'canny::{member.findtext("name")}' for member in index.findall('compound/member[@kind="enum"]')]
    headers = (f'``cudacanny/{name}``\n   .. doxygenfile:: {name}\n      :sections: detaileddescription define\n'
               for name in HEADERS)
    types = (f':cpp:any:`~{name}`' for name in sorted(set(names)))
    source[0] = source[0].replace('HEADERS', '\n'.join(headers)).replace('TYPES', ', '.join(types))


def add_navigation(app, name, source):
    """Makes the links of index.md the navigation, by folder."""
    if name != 'index':
        return
    pages = re.findall(r'\[([^]]*)\]\((\w+/[\w-]+)\.md\)', source[0])
    for folder in dict.fromkeys(path.split('/')[0] for _, path in pages):
        entries = [page for page in pages if page[1].startswith(f'{folder}/')] + REFERENCES.get(folder, [])
        lines = '\n'.join(f'{title} <{path}>' for title, path in entries)
        source[0] += f'\n```{{toctree}}\n:hidden:\n:caption: {folder.capitalize()}\n{lines}\n```\n'


def mark_code(app, kind, name, thing, options, lines):
    """Marks the indented paragraphs of a docstring as code."""
    for i in range(len(lines) - 1, 1, -1):
        if lines[i].startswith('    ') and not lines[i - 1] and re.match(r'\S', lines[i - 2]):
            lines[i - 1:i] = ['', '::', '']


def setup(app):
    app.add_lexer('spills', TextLexer)
    app.connect('config-inited', run_doxygen)
    app.connect('source-read', add_lists)
    app.connect('source-read', add_navigation)
    app.connect('autodoc-process-docstring', mark_code, priority=1)
