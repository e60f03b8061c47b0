# SPDX-License-Identifier: MIT
"""Operations on rows that depend on a label alone.

There are only as many such rows as there are labels, so that whatever is done to each row by itself
(an embedding, a sum of embeddings, a linear layer …) can be done once and for all. That rows are
looked at one by one is tried out: alone, backwards and twice over.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ._layers import Rows
from ._result import Unsupported

__all__ = ["apply_to_rows"]


def _chosen(values: Any, rows: torch.Tensor) -> Any:
    """The same of some rows, and of so many of them."""
    if isinstance(values, Rows):
        return values.table[rows]
    if isinstance(values, tuple):
        return tuple(_chosen(value, rows) for value in values)
    if isinstance(values, list):
        return [_chosen(value, rows) for value in values]
    if isinstance(values, dict):
        return {key: _chosen(value, rows) for key, value in values.items()}
    if getattr(values, "name", None) in ("num_nodes", "num_edges"):
        return len(rows)
    return values


def _same(a: Any, b: torch.Tensor) -> bool:
    if not isinstance(a, torch.Tensor) or a.shape != b.shape or a.dtype != b.dtype:
        return False
    if not a.is_floating_point():
        return torch.equal(a, b)
    return torch.allclose(a, b, rtol=1e-5, atol=1e-6)


def _count(values: Any) -> int:
    if isinstance(values, Rows):
        return int(values.table.shape[0])
    if isinstance(values, dict):
        values = list(values.values())
    if isinstance(values, (tuple, list)):
        return max((_count(value) for value in values), default=0)
    return 0


def apply_to_rows(
    call: Callable[[Any, Any], Any], args: Any, kwargs: Any, of_edges: bool, called: str
) -> Rows:
    """What the call makes of the rows. Raises Unsupported if a row depends on the others."""
    count = _count((args, kwargs))

    def ask(rows: torch.Tensor) -> Any:
        return call(_chosen(args, rows), _chosen(kwargs, rows))

    everything = torch.arange(count)
    whole = ask(everything)
    if not isinstance(whole, torch.Tensor) or whole.dim() == 0 or whole.shape[0] != count:
        raise Unsupported(f"the operation {called} on features as they are given")
    tried = [everything.flip(0), everything.repeat(2), *(everything[i : i + 1] for i in range(count))]
    for rows in tried:
        if not _same(ask(rows), whole[rows]):
            raise Unsupported(f"{called} makes the features of a node depend on other nodes")
    return Rows(whole, of_edges)
