# SPDX-License-Identifier: MIT
"""What is asked for, and what comes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["NativeModel", "NotNative", "Sample", "Unsupported"]


@dataclass(frozen=True)
class Sample:
    """A batch of graphs as the module gets them, and what its features stand for."""

    #: The names of the module's arguments, in their order: ("x", "edge_index", "batch").
    inputs: tuple[str, ...]
    x: Any
    edge_index: Any
    edge_attr: Any | None
    batch: Any
    num_graphs: int
    #: What a node of each label looks like: a row of features for each of the engine's labels.
    node_rows: np.ndarray
    #: The same of edges; None: they have no labels.
    edge_rows: np.ndarray | None


@dataclass(frozen=True)
class NativeModel:
    """A module as a model file would have it (docs/formats.md)."""

    #: The text of the model file.
    model_json: str
    #: The tensors that it names.
    tensors: dict[str, np.ndarray]


@dataclass(frozen=True)
class NotNative:
    """The engine cannot compute what the module does."""

    #: Why not, in words: which operation, in which part of the module.
    reason: str


class Unsupported(Exception):
    """An operation that the engine does not know, in words."""
