# SPDX-License-Identifier: MIT
"""Layers of the engine, and what can be written as one.

Every layer is activation(conv(source)). A linear map of a layer without activation is the same layer
with other weights, for those whose last step is a product.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch

from ._affine import Affine, is_identity
from ._result import Unsupported

__all__ = ["ACTIVATIONS", "Activation", "Conv", "Gat", "Gcn", "Gin", "Layer", "Row", "Rows", "Sage", "layer_of", "same_rows"]


@dataclass(frozen=True)
class Activation:
    """By its name in PyTorch, with its number, if it has one."""

    name: str
    number: float | None = None

    def __str__(self) -> str:
        return self.name if self.number is None else f"{self.name}({self.number:g})"


RELU = Activation("relu")
#: What the engine computes after a layer, by its names in a model file.
ACTIVATIONS = {RELU: "relu", Activation("elu", 1.0): "elu", None: "none"}

Tensors = dict[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class Rows:
    """A row for each label: what depends on the label of a node, or of an edge, alone."""

    table: torch.Tensor
    of_edges: bool = False


def same_rows(a: Rows, b: Rows) -> bool:
    return a.table is b.table or (
        a.of_edges == b.of_edges and a.table.dtype == b.table.dtype and torch.equal(a.table, b.table)
    )


class Conv:
    """What a layer does before its activation."""

    @property
    def outputs(self) -> int:
        raise NotImplementedError

    def mapped(self, matrix: np.ndarray, shift: np.ndarray) -> Conv | None:
        """A layer that gives matrix · (what this one gives) + shift; None: there is none."""
        raise NotImplementedError

    def write(self, prefix: str, tensors: Tensors) -> dict[str, Any]:
        """Adds the tensors; returns what the model file says of the layer."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Gcn(Conv):
    weight: np.ndarray
    bias: np.ndarray

    @property
    def outputs(self) -> int:
        return len(self.bias)

    def mapped(self, matrix: np.ndarray, shift: np.ndarray) -> Conv:
        return Gcn(matrix @ self.weight, matrix @ self.bias + shift)

    def write(self, prefix: str, tensors: Tensors) -> dict[str, Any]:
        tensors[f"{prefix}.lin.weight"] = self.weight
        tensors[f"{prefix}.bias"] = self.bias
        return {"conv": "gcn"}


@dataclass(frozen=True, eq=False)
class Gin(Conv):
    """With a table of edges, GINE."""

    eps: float
    #: Weight and bias of each linear layer, with ReLU between.
    linears: tuple[tuple[np.ndarray, np.ndarray], ...]
    edges: np.ndarray | None = None

    @property
    def outputs(self) -> int:
        return len(self.linears[-1][1])

    def mapped(self, matrix: np.ndarray, shift: np.ndarray) -> Conv:
        weight, bias = self.linears[-1]
        return replace(self, linears=(*self.linears[:-1], (matrix @ weight, matrix @ bias + shift)))

    def extended(self, matrix: np.ndarray, shift: np.ndarray) -> Conv:
        """ReLU, and then one more linear layer."""
        return replace(self, linears=(*self.linears, (matrix, shift)))

    def write(self, prefix: str, tensors: Tensors) -> dict[str, Any]:
        tensors[f"{prefix}.eps"] = np.array([self.eps])
        for i, (weight, bias) in enumerate(self.linears):
            # ReLU takes the places between.
            tensors[f"{prefix}.nn.{2 * i}.weight"] = weight
            tensors[f"{prefix}.nn.{2 * i}.bias"] = bias
        if self.edges is None:
            return {"conv": "gin"}
        tensors[f"{prefix}.edges.weight"] = self.edges
        return {"conv": "gine", "edge_embedding": f"{prefix}.edges"}


@dataclass(frozen=True, eq=False)
class Sage(Conv):
    aggregate: str
    neighbours: np.ndarray
    root: np.ndarray
    bias: np.ndarray

    @property
    def outputs(self) -> int:
        return len(self.bias)

    def mapped(self, matrix: np.ndarray, shift: np.ndarray) -> Conv:
        return Sage(self.aggregate, matrix @ self.neighbours, matrix @ self.root, matrix @ self.bias + shift)

    def write(self, prefix: str, tensors: Tensors) -> dict[str, Any]:
        tensors[f"{prefix}.lin_l.weight"] = self.neighbours
        tensors[f"{prefix}.lin_l.bias"] = self.bias
        tensors[f"{prefix}.lin_r.weight"] = self.root
        return {"conv": "sage", "aggregate": self.aggregate}


@dataclass(frozen=True, eq=False)
class Row(Conv):
    """A linear layer on each node by itself."""

    weight: np.ndarray
    bias: np.ndarray

    @property
    def outputs(self) -> int:
        return len(self.bias)

    def mapped(self, matrix: np.ndarray, shift: np.ndarray) -> Conv:
        return Row(matrix @ self.weight, matrix @ self.bias + shift)

    def write(self, prefix: str, tensors: Tensors) -> dict[str, Any]:
        # A GraphSAGE layer that does not look at neighbours.
        return Sage("sum", np.zeros_like(self.weight), self.weight, self.bias).write(prefix, tensors)


@dataclass(frozen=True, eq=False)
class Gat(Conv):
    weight: np.ndarray
    source: np.ndarray
    target: np.ndarray
    bias: np.ndarray
    heads: int
    concat: bool
    slope: float
    #: For each label of an edge what it is mapped to, and how that is attended to; None: it does not
    #: look at edges.
    edges: tuple[np.ndarray, np.ndarray] | None = None
    #: By column, after everything else.
    scale: np.ndarray = field(default_factory=lambda: np.ones(0))

    @property
    def outputs(self) -> int:
        return len(self.bias)

    def mapped(self, matrix: np.ndarray, shift: np.ndarray) -> Conv | None:
        # Products also make the attention: only columns can be scaled.
        if matrix.shape[0] != matrix.shape[1] or (matrix != np.diag(np.diag(matrix))).any():
            return None
        factor = np.diag(matrix)
        scale = factor * self.scale if len(self.scale) else factor
        return replace(self, scale=scale, bias=factor * self.bias + shift)

    def write(self, prefix: str, tensors: Tensors) -> dict[str, Any]:
        tensors[f"{prefix}.lin.weight"] = self.weight
        tensors[f"{prefix}.att_src"] = self.source
        tensors[f"{prefix}.att_dst"] = self.target
        out: dict[str, Any] = {
            "conv": "gat", "heads": self.heads, "concat_heads": self.concat, "negative_slope": self.slope
        }  # fmt: skip
        if self.edges is not None:
            tensors[f"{prefix}.lin_edge.weight"], tensors[f"{prefix}.att_edge"] = self.edges
            out["edges"] = True
        if not len(self.scale):
            tensors[f"{prefix}.bias"] = self.bias
            return out
        norm = f"{prefix}.norm"
        tensors[f"{norm}.weight"] = self.scale
        tensors[f"{norm}.bias"] = self.bias
        tensors[f"{norm}.running_mean"] = np.zeros(self.outputs)
        tensors[f"{norm}.running_var"] = np.ones(self.outputs)
        out["batch_norm"] = norm
        return out


@dataclass(eq=False)
class Layer:
    conv: Conv
    source: Layer | Rows
    activation: Activation | None = None
    #: Something else reads it, too: it has to stay as it is.
    kept: bool = False

    @property
    def depth(self) -> int:
        return 1 + (self.source.depth if isinstance(self.source, Layer) else 0)

    @property
    def chain(self) -> list[Layer]:
        """All layers up to this one."""
        before = self.source.chain if isinstance(self.source, Layer) else []
        return [*before, self]


def layer_of(value: Affine[Layer], activation: Activation | None = None) -> Layer:
    """activation(value) as a layer. Raises Unsupported."""
    if activation not in ACTIVATIONS:
        raise Unsupported(f"{activation} between layers, which the engine does not compute there")
    if len(value.parts) != 1:
        raise Unsupported(
            "a sum or a concatenation of the outputs of several layers goes on to another one "
            "(a residual or dense connection)"
        )
    [(layer, matrix)] = value.parts.items()
    same = is_identity(matrix) and not value.is_shifted
    if same and (activation is None or activation == layer.activation == RELU):
        return layer
    if not layer.kept:
        conv: Conv | None = None
        if layer.activation is None:
            conv = layer.conv if same else layer.conv.mapped(matrix, value.shift)
        elif layer.activation == RELU and isinstance(layer.conv, Gin):
            conv = layer.conv.extended(matrix, value.shift)
        if conv is not None:
            return Layer(conv, layer.source, activation)
    return Layer(Row(matrix, value.shift), layer, activation)
