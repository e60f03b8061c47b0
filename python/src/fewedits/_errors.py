# SPDX-License-Identifier: MIT
"""The one exception for bad input, in the words of the engine."""

from __future__ import annotations

from . import _core


class Error(ValueError):
    """Something that was given cannot be used: where, what, and what to do about it.

    ``str(error)`` is the whole message. ``file`` and ``line`` say where, if it is in a file (line 0:
    the file as a whole); ``remedy`` says what to do.
    """

    file: str
    line: int
    remedy: str

    def __init__(self, words: str, file: str = "", line: int = 0, remedy: str = "") -> None:
        super().__init__(words)
        self.file = file
        self.line = line
        self.remedy = remedy

    def __reduce__(self) -> tuple[type[Error], tuple[str, str, int, str]]:
        return type(self), (str(self), self.file, self.line, self.remedy)


def error(what: str, remedy: str = "") -> Error:
    """An Error of the package itself, put as the engine puts its own."""
    return Error(f"{what}\n  hint: {remedy}" if remedy else what, remedy=remedy)


_core.set_error_class(Error)
