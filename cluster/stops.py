# SPDX-License-Identifier: LGPL-2.1-or-later
"""Signals that stop a task. Their handlers can't: PyGObject loses exceptions in functions that C calls."""
import signal


class Stopped(Exception):
    """Its text is the reason."""


_reason = None  # of the first signal; '' once look() has raised it


def catch(reasons):
    """Has look() stop the task after the first of these signals, for its reason."""
    def note(number, _):
        global _reason  # pylint: disable=global-statement
        _reason = reasons[number] if _reason is None else _reason
    for number in reasons:
        signal.signal(number, note)


def look():
    """Raises Stopped, once, if a signal came. Everything that may last long calls this now and then."""
    global _reason  # pylint: disable=global-statement
    if _reason:
        reason, _reason = _reason, ''
        raise Stopped(reason)
