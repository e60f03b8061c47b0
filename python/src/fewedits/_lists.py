# SPDX-License-Identifier: MIT
"""What graphs of other programs are made of: labels from features, and features from labels."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ._errors import error

#: How a label is found: the index of a column, the name of an attribute, "rows" (each different row
#: is a label), or a function.
LabelRule = int | str | Callable[[Any], Any] | None


@dataclass(frozen=True)
class LabelTable:
    """The labels that occur. What the engine calls value ``v`` is ``keys[v]`` to the user, and looks
    like ``rows[v]`` to a model."""

    keys: tuple[Hashable, ...]
    #: Features by value; None: labels alone do not tell them.
    rows: np.ndarray | None = None
    names: tuple[str, ...] = ()
    index: dict[Hashable, int] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.names:
            object.__setattr__(self, "names", tuple(str(key) for key in self.keys))
        object.__setattr__(self, "index", {key: v for v, key in enumerate(self.keys)})

    def __len__(self) -> int:
        return len(self.keys)

    def values_of(self, keys: Sequence[Hashable], what: str) -> np.ndarray:
        """Raises Error for a key that is not in the table."""
        try:
            return np.fromiter((self.index[key] for key in keys), np.int64, len(keys))
        except KeyError as unknown:
            raise error(
                f"there is a {what} {unknown.args[0]!r} that the dataset does not have",
                f"it has: {', '.join(self.names)}",
            ) from None

    def named(self, names: Sequence[str] | dict[Any, str] | None, what: str) -> LabelTable:
        """With other names: for all keys in their order, or by key."""
        if names is None:
            return self
        if isinstance(names, dict):
            new = tuple(names.get(key, old) for key, old in zip(self.keys, self.names, strict=True))
            return LabelTable(self.keys, self.rows, new)
        if all(isinstance(key, (int, np.integer)) for key in self.keys):
            # Of all there could be: columns that no graph has, too.
            top = max((int(key) for key in self.keys), default=-1)  # type: ignore[call-overload]
            if min((int(key) for key in self.keys), default=0) >= 0 and top < len(names):  # type: ignore[call-overload]
                return LabelTable(self.keys, self.rows, tuple(names[int(key)] for key in self.keys))  # type: ignore[call-overload]
        if len(names) != len(self.keys):
            raise error(
                f"there are {len(names)} names of {what}, and {len(self.keys)} occur",
                "give a name for each, or a dict from label to name",
            )
        return LabelTable(self.keys, self.rows, tuple(names))


def _one_hot(rows: np.ndarray) -> np.ndarray | None:
    """The column of each row's one 1, if every row has one and else zeros."""
    if rows.ndim != 2 or rows.shape[1] == 0:
        return None
    if not bool(((rows == 0) | (rows == 1)).all()) or not bool((rows.sum(axis=1) == 1).all()):
        return None
    return np.asarray(rows.argmax(axis=1), dtype=np.int64)


def _is_whole(values: np.ndarray) -> bool:
    return np.issubdtype(values.dtype, np.integer) or values.dtype == np.bool_


def _plain(keys: np.ndarray) -> list[Hashable]:
    return [key.item() if isinstance(key, np.generic) else key for key in keys]


def keys_of_rows(rows: np.ndarray, rule: LabelRule, what: str, where: str) -> np.ndarray:
    """The label of each row of features; an array of whole numbers, or of texts."""
    if isinstance(rule, int) and not isinstance(rule, bool):
        columns = rows if rows.ndim == 2 else rows[:, None]
        if not -columns.shape[1] <= rule < columns.shape[1]:
            raise error(f"{where} has {columns.shape[1]} columns, and none is number {rule}")
        column = columns[:, rule]
        if not _is_whole(column) and not bool((column == np.floor(column)).all()):
            raise error(
                f"column {rule} of {where} is not made of whole numbers",
                f"a label of {what} is one of a few things: name such a column, or give a function",
            )
        return column.astype(np.int64)
    if rule == "rows":
        flat = np.ascontiguousarray(rows.reshape(len(rows), -1))
        return np.unique(flat, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
    hot = _one_hot(rows)
    if hot is not None:
        return hot
    if _is_whole(rows) and (rows.ndim == 1 or rows.shape[1] == 1):
        return rows.reshape(-1).astype(np.int64)
    shape = "x".join(str(size) for size in rows.shape)
    option = "node_label" if what == "nodes" else "edge_label"
    raise error(
        f"{where} ({shape}, {rows.dtype}) is neither one-hot nor a column of whole numbers, so that it "
        f"does not say which {what} are alike",
        f"say it: {option}=N takes column N, {option}=\"rows\" makes each different row a label, and "
        f"{option} may be a function of a graph; a model that sees more than labels also needs "
        "features=, a function that says what an edited graph's features are",
    )


def table_of(keys: np.ndarray, rows: np.ndarray | None) -> tuple[LabelTable, np.ndarray, bool]:
    """The labels that occur, the value of each item, and whether equal labels have equal rows (else
    the table has none)."""
    distinct, first, values = np.unique(keys, return_index=True, return_inverse=True)
    values = values.reshape(-1).astype(np.int64)
    if rows is None:
        return LabelTable(tuple(_plain(distinct))), values, True
    rows = rows if rows.ndim == 2 else rows[:, None]
    by_value = np.ascontiguousarray(rows[first])
    told = bool(np.array_equal(by_value[values], rows))
    return LabelTable(tuple(_plain(distinct)), by_value if told else None), values, told
