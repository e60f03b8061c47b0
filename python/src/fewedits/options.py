# SPDX-License-Identifier: MIT
"""The options of a search, from the one table of the engine: the same names and defaults as on the
command line, with underscores."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from . import _core
from ._errors import error

Call = TypeVar("Call", bound=Callable[..., Any])

_TABLE = {row.name.replace("-", "_"): row for row in _core.option_table()}


def option_rows() -> dict[str, _core.OptionRow]:
    """The table, by keyword."""
    return dict(_TABLE)


def texts_of(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Keywords as the engine reads them. Raises Error for one that is not known, and for a value that
    makes no sense."""
    out: list[tuple[str, str]] = []
    for keyword, value in options.items():
        if keyword not in _TABLE:
            raise TypeError(_unknown(keyword))
        if value is None:
            continue
        row = _TABLE[keyword]
        if row.is_flag:
            if not isinstance(value, bool):
                raise error(f"{keyword} is {value!r}", "give True or False")
            if value:
                out.append((row.name, ""))
            continue
        several = (
            row.repeatable and isinstance(value, Iterable) and not isinstance(value, (str, bytes))
        )
        for text in list(value) if several else [value]:
            out.append((row.name, _text(keyword, text, row)))
    return out


def _text(keyword: str, value: Any, row: _core.OptionRow) -> str:
    if isinstance(value, bool):
        raise error(f"{keyword} is {value}", f"it is a {row.type}, not yes or no")
    if row.name == "graphs" and not isinstance(value, str):
        return ",".join(str(int(graph)) for graph in value)
    if isinstance(value, float):
        return repr(value)
    return str(value)


def _unknown(keyword: str) -> str:
    import difflib

    near = difflib.get_close_matches(keyword, [*_TABLE, *_OTHERS], n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"explain() has no option {keyword!r}{hint}"


#: Keywords that have no row of their own.
_OTHERS = ("desired", "method", "distance", "greed_model", "seed", "constraints", "threads", "progress",
           "run_dir", "resume", "save_seconds", "cache_mb")  # fmt: skip


def keyword_type(row: _core.OptionRow) -> str:
    """For a signature."""
    if row.is_flag:
        return "bool"
    if row.type == "number":
        return "float"
    if row.name == "graphs":
        return "str | Iterable[int]"
    if row.repeatable:
        return "str | Sequence[str]"
    words = row.type.split("|")
    return "str" if len(words) == 1 else " | ".join(f'Literal["{word}"]' for word in words)


def with_options(function: Call) -> Call:
    """Gives a function that takes ``**options`` their names in its signature, and a list of them in
    its documentation."""
    signature = inspect.signature(function)
    own = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    more = [
        inspect.Parameter(keyword, inspect.Parameter.KEYWORD_ONLY, default=None)
        for keyword in _TABLE
        if keyword not in signature.parameters
    ]
    function.__signature__ = signature.replace(parameters=own + more)  # type: ignore[attr-defined]
    lines = [inspect.cleandoc(function.__doc__ or ""), "", "Options, from the table of the engine:", ""]
    for keyword, row in _TABLE.items():
        default = "False" if row.is_flag else row.initial
        known = f" [{default}]" if default else ""
        lines.append(f"- ``{keyword}``: {row.help}{known}")
    function.__doc__ = "\n".join(lines) + "\n"
    return function
