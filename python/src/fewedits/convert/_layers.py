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

from ._affine import Affine, is_diagonal, is_identity
from ._result import Unsupported

__all__ = [
    "RELU", "Activation", "Conv", "Gat", "Gcn", "Gin", "Layer", "Row", "Rows", "Sage", "Tensors",
    "layer_of", "name_of", "same_rows",
]  # fmt: skip


@dataclass(frozen=True)
class Activation:
    """By its name in PyTorch, with its number, if it has one."""

    name: str
    number: float | None = None

    def __str__(self) -> str:
        return self.name if self.number is None else f"{self.name}({self.number:g})"


RELU = Activation("relu")

Tensors = dict[str, np.ndarray]


def name_of(activation: Activation | None, where: str) -> str:
    """In a model file. Raises Unsupported if the engine does not compute it."""
    if activation is None:
        return "none"
    plain = activation.number is None and activation.name in ("relu", "gelu", "tanh", "sigmoid")
    leaky = activation.name == "leaky_relu" and 0 <= (activation.number or 0) <= 1
    if plain or leaky or activation == Activation("elu", 1.0):
        return activation.name
    raise Unsupported(f"{activation} {where}, which the engine does not compute")


@dataclass(frozen=True, eq=False)
class Rows:
    """A row for each label: what depends on the label of a node, or of an edge, alone."""

    table: torch.Tensor
    of_edges: bool = False


def _norm(prefix: str, scale: np.ndarray, shift: np.ndarray, tensors: Tensors) -> dict[str, Any]:
    """A batch norm that does no more than this: its epsilon is 0."""
    norm = f"{prefix}.norm"
    tensors[f"{norm}.weight"], tensors[f"{norm}.bias"] = scale, shift
    tensors[f"{norm}.running_mean"], tensors[f"{norm}.running_var"] = np.zeros_like(scale), np.ones_like(scale)
    return {"batch_norm": norm}


def is_choice(table: np.ndarray) -> bool:
    """One-hot rows, no two the same."""
    ones = table == 1
    rest = table[~ones]
    return bool((ones.sum(axis=1) == 1).all() and (ones.sum(axis=0) <= 1).all() and not rest.any())


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

    def of_labels(self, table: np.ndarray) -> Conv | None:
        """A layer that makes of one-hot labels what this one makes of their rows in the table; None:
        there is none."""
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

    def of_labels(self, table: np.ndarray) -> Conv:
        return replace(self, weight=self.weight @ table.T)

    def write(self, prefix: str, tensors: Tensors) -> dict[str, Any]:
        tensors[f"{prefix}.lin.weight"] = self.weight
        tensors[f"{prefix}.bias"] = self.bias
        return {"conv": "gcn"}


@dataclass(frozen=True, eq=False)
class Gin(Conv):
    """With a table of edges, GINE."""

    eps: float
    #: Weight and bias of each linear layer.
    linears: tuple[tuple[np.ndarray, np.ndarray], ...]
    edges: np.ndarray | None = None
    #: Between linear layers.
    inside: Activation = RELU

    @property
    def outputs(self) -> int:
        return len(self.linears[-1][1])

    def mapped(self, matrix: np.ndarray, shift: np.ndarray) -> Conv:
        weight, bias = self.linears[-1]
        return replace(self, linears=(*self.linears[:-1], (matrix @ weight, matrix @ bias + shift)))

    def of_labels(self, table: np.ndarray) -> Conv | None:
        if self.edges is not None:  # ReLU comes before the first product
            return None
        [(weight, bias), *others] = self.linears
        return replace(self, linears=((weight @ table.T, bias), *others))

    def extended(self, inside: Activation, matrix: np.ndarray, shift: np.ndarray) -> Conv | None:
        """An activation, and then one more linear layer; None: there are others between already."""
        if len(self.linears) > 1 and inside != self.inside:
            return None
        return replace(self, linears=(*self.linears, (matrix, shift)), inside=inside)

    def write(self, prefix: str, tensors: Tensors) -> dict[str, Any]:
        tensors[f"{prefix}.eps"] = np.array([self.eps])
        for i, (weight, bias) in enumerate(self.linears):
            # The activation takes the places between.
            tensors[f"{prefix}.nn.{2 * i}.weight"] = weight
            tensors[f"{prefix}.nn.{2 * i}.bias"] = bias
        out: dict[str, Any] = {"conv": "gin"}
        if self.edges is not None:
            tensors[f"{prefix}.edges.weight"] = self.edges
            out = {"conv": "gine", "edge_embedding": f"{prefix}.edges"}
        if len(self.linears) > 1 and self.inside != RELU:
            out["mlp_activation"] = name_of(self.inside, "inside a GIN")
        return out


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

    def of_labels(self, table: np.ndarray) -> Conv | None:
        # The largest of rows is one of them only if there is nothing to choose from.
        if self.aggregate == "max" and not is_choice(table):
            return None
        return replace(self, neighbours=self.neighbours @ table.T, root=self.root @ table.T)

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

    def of_labels(self, table: np.ndarray) -> Conv:
        return replace(self, weight=self.weight @ table.T)

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
        if not is_diagonal(matrix):
            return None
        factor = np.diag(matrix)
        scale = factor * self.scale if len(self.scale) else factor
        return replace(self, scale=scale, bias=factor * self.bias + shift)

    def of_labels(self, table: np.ndarray) -> Conv:
        return replace(self, weight=self.weight @ table.T)

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
        return {**out, **_norm(prefix, self.scale, self.bias, tensors)}


@dataclass(eq=False)
class Layer:
    """scale · activation(conv(source)) + shift"""

    conv: Conv
    source: Layer | Rows
    activation: Activation | None = None
    #: Scale and shift of each column, after the activation.
    last: tuple[np.ndarray, np.ndarray] | None = None
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

    def write(self, prefix: str, tensors: Tensors) -> dict[str, Any]:
        said = self.conv.write(prefix, tensors)
        out = {**said, "weights": prefix, "activation": name_of(self.activation, "after a layer")}
        if self.last is not None:
            out |= _norm(prefix, *self.last, tensors)
            out["batch_norm_last"] = True
        return out


def layer_of(value: Affine[Layer], activation: Activation | None = None) -> Layer:
    """activation(value) as a layer. Raises Unsupported."""
    name_of(activation, "between layers")
    if len(value.parts) != 1:
        raise Unsupported(
            "a sum or a concatenation of the outputs of several layers goes on to another one "
            "(a residual or dense connection)"
        )
    [(layer, matrix)] = value.parts.items()
    same = is_identity(matrix) and not value.is_shifted
    if same and (activation is None or activation == layer.activation == RELU and layer.last is None):
        return layer
    changed = None if layer.kept else _changed(layer, matrix, value.shift, activation)
    return changed or Layer(Row(matrix, value.shift), layer, activation)


def _changed(layer: Layer, matrix: np.ndarray, shift: np.ndarray, activation: Activation | None) -> Layer | None:
    """activation(matrix · layer + shift) in the place of the layer; None: it takes one more."""
    if layer.activation is None:
        conv = layer.conv.mapped(matrix, shift)
        return None if conv is None else Layer(conv, layer.source, activation)
    scale, before = layer.last or (np.ones(layer.conv.outputs), np.zeros(layer.conv.outputs))
    # A GAT may have its batch norm before the activation; a layer has one.
    free = not isinstance(layer.conv, Gat) or not len(layer.conv.scale)
    if activation is None and is_diagonal(matrix) and free:
        factor = np.diag(matrix)
        return replace(layer, last=(factor * scale, factor * before + shift))
    if isinstance(layer.conv, Gin):
        conv = layer.conv.extended(layer.activation, matrix * scale, matrix @ before + shift)
        return None if conv is None else Layer(conv, layer.source, activation)
    return None
