# SPDX-License-Identifier: LGPL-2.1-or-later
"""How programs are called, as their docstrings say."""
import argparse
import pathlib
import sys

import files


class Parser(argparse.ArgumentParser):
    """One whose help is a text, with the usage as its second paragraph."""

    def __init__(self, text):
        super().__init__(usage=text.split('\n\n')[1].strip())
        self.text = text.strip()

    def format_help(self):
        return f'{self.text}\n'


def fail(message, status=2):
    files.say(f'{pathlib.Path(sys.argv[0]).name}: {message}', file=sys.stderr)
    sys.exit(status)
