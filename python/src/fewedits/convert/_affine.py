# SPDX-License-Identifier: MIT
"""Values that are linear maps of others, plus a constant.

Concatenation, slices, sums, linear layers, batch norm in eval mode and factors are all of this kind,
so that a chain of them is one map.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

__all__ = ["Affine", "affine_of", "concatenated", "is_diagonal", "is_identity"]

Key = TypeVar("Key", bound=Hashable)


def is_identity(matrix: np.ndarray) -> bool:
    return matrix.shape[0] == matrix.shape[1] and bool((matrix == np.eye(len(matrix))).all())


def is_diagonal(matrix: np.ndarray) -> bool:
    return matrix.shape[0] == matrix.shape[1] and bool((matrix == np.diag(np.diag(matrix))).all())


@dataclass(frozen=True, eq=False)
class Affine(Generic[Key]):
    """The sum of matrix · source over the sources, plus the shift."""

    parts: dict[Key, np.ndarray]
    shift: np.ndarray
    #: One column, with the dimension of columns dropped.
    flat: bool = False

    @property
    def width(self) -> int:
        return len(self.shift)

    @property
    def is_shifted(self) -> bool:
        return bool((self.shift != 0).any())

    def is_just(self, key: Key) -> bool:
        """Is it the source itself?"""
        return set(self.parts) == {key} and is_identity(self.parts[key]) and not self.is_shifted

    def mapped(self, matrix: np.ndarray, shift: np.ndarray | None = None) -> Affine[Key]:
        """matrix · this + shift"""
        parts = {key: matrix @ of for key, of in self.parts.items()}
        moved = matrix @ self.shift
        return Affine(parts, moved if shift is None else moved + shift, self.flat)

    def scaled(self, factor: np.ndarray, shift: np.ndarray | None = None) -> Affine[Key]:
        """By column; a number counts for all of them."""
        return self.mapped(np.diag(_row(factor, self.width)), None if shift is None else _row(shift, self.width))

    def plus(self, other: Affine[Key]) -> Affine[Key]:
        parts = dict(self.parts)
        for key, matrix in other.parts.items():
            parts[key] = parts[key] + matrix if key in parts else matrix
        return Affine(parts, self.shift + other.shift, self.flat)

    def columns(self, index: Any) -> Affine[Key]:
        return self.mapped(np.eye(self.width)[index])

    def moved(self, keys: Callable[[Key], Any]) -> Affine[Any]:
        """Of other sources, that take the places of these."""
        return Affine({keys(key): matrix for key, matrix in self.parts.items()}, self.shift, self.flat)


def _row(values: np.ndarray, width: int) -> np.ndarray:
    return np.broadcast_to(np.asarray(values, dtype=np.float64).reshape(-1), (width,)).copy()


def affine_of(key: Key, width: int) -> Affine[Key]:
    return Affine({key: np.eye(width)}, np.zeros(width))


def concatenated(values: Sequence[Affine[Key]]) -> Affine[Key]:
    """Side by side."""
    width = sum(value.width for value in values)
    parts: dict[Key, np.ndarray] = {}
    at = 0
    for value in values:
        for key, matrix in value.parts.items():
            whole = parts.setdefault(key, np.zeros((width, matrix.shape[1])))
            whole[at : at + value.width] += matrix
        at += value.width
    return Affine(parts, np.concatenate([value.shift for value in values]))
