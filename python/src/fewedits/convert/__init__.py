# SPDX-License-Identifier: MIT
"""Modules of PyTorch whose computation the engine knows become models of its own.

A model that is converted is used only if it agrees with the module on every graph of the dataset
(:mod:`fewedits.models`), so that a conversion may guess, and never has to be believed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Sample", "to_native"]


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


def to_native(module: Any, sample: Sample) -> tuple[str, dict[str, np.ndarray]] | None:
    """The text of a model file (docs/formats.md) and the tensors that it names; None if the engine
    does not know what the module computes.

    No module is known yet: every one is asked as it is.
    """
    del module, sample
    return None
