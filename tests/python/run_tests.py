# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the tests of this folder and prints their numbers, as the other test programs do.

    run_tests.py [FILE...]      without arguments, all; a FILE is named without .py
"""
import os
import sys
import unittest


class Result(unittest.TextTestResult):
    """Counts the tests that passed, and the cases of each backend."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.passed = 0
        self.cases = {'cpu': 0, 'cuda': 0}

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1

    def stopTest(self, test):
        super().stopTest(test)
        backend = getattr(test, 'backend', None)
        if backend is not None and not any(test is skipped for skipped, _ in self.skipped):
            self.cases[backend] += 1


def main():
    folder = os.path.dirname(os.path.abspath(__file__))
    loader = unittest.defaultTestLoader
    if sys.argv[1:]:
        tests = loader.loadTestsFromNames(sys.argv[1:])
    else:
        tests = loader.discover(folder, pattern='*_test.py')
    result = unittest.TextTestRunner(sys.stdout, resultclass=Result).run(tests)
    failed = len(result.failures) + len(result.errors)
    skipped = len(result.skipped)
    for test, reason in result.skipped:
        print(f'SKIPPED: {test}: {reason}')
    print(f'cpu: {result.cases["cpu"]} cases, cuda: {result.cases["cuda"]} cases')
    print(f'{result.passed} passed, {failed} failed, {skipped} skipped')
    must_not_skip = os.environ.get('CANNY_REQUIRE_CUDA') == '1'
    sys.exit(1 if failed or not result.passed or (skipped and must_not_skip) else 0)


if __name__ == '__main__':
    main()
