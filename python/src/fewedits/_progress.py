# SPDX-License-Identifier: MIT
"""What is seen while the engine works: bars in terminals and notebooks, and notes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

#: Told what is done: the stage, how much of how much, and the coverage so far. False: stop here.
Tell = Callable[[str, int, int, int, float | None], Any]


def in_notebook() -> bool:
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    shell = get_ipython()  # type: ignore[no-untyped-call]
    return shell is not None and "IPKernelApp" in getattr(shell, "config", {})


def is_shown(progress: object) -> bool:
    """None: where somebody may look."""
    if progress is None:
        return in_notebook() or sys.stderr.isatty()
    return bool(progress)


def say(notes: list[str], progress: object) -> None:
    """To standard error, unless silence was asked for."""
    if progress is False:
        return
    for note in notes:
        print(f"fewedits: {note}", file=sys.stderr)


class Bars:
    """A bar for each stage of a search."""

    def __init__(self, progress: object) -> None:
        self._own: Callable[..., Any] | None = progress if callable(progress) else None
        self._shown = self._own is None and is_shown(progress)
        self._bar: Any = None
        self._stage = ""

    def tell(self) -> Tell | None:
        """None: nobody is to be told."""
        return self._own or (self._update if self._shown else None)

    def _update(
        self, stage: str, done: int, total: int, evaluated: int, coverage: float | None
    ) -> None:
        if stage != self._stage:
            self.close()
            from tqdm.auto import tqdm

            self._stage = stage
            self._bar = tqdm(total=total, desc=stage, leave=False)
        self._bar.total = total
        if coverage is not None:
            self._bar.set_postfix_str(f"coverage {coverage:.1%}", refresh=False)
        self._bar.update(done - self._bar.n)

    def pairs(self) -> Callable[[int, int], Any] | None:
        """For work of one stage."""
        tell = self.tell()
        if tell is None:
            return None
        if self._own is not None:
            return self._own
        return lambda done, total: self._update("pairs", done, total, 0, None)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def __enter__(self) -> Bars:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
