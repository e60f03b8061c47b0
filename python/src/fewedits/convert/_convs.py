# SPDX-License-Identifier: MIT
"""Layers of PyTorch Geometric as layers of the engine, if all their options are ones that it knows."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn
from torch_geometric import nn as pyg
from torch_geometric.nn import MessagePassing

from ._layers import Conv, Gat, Gcn, Gin, Rows, Sage
from ._result import Unsupported

__all__ = ["conv_layer", "is_a", "is_conv"]

_AGGREGATIONS = {"add": "sum", "sum": "sum", "mean": "mean", "max": "max"}


def is_a(module: Any, kind: type[nn.Module]) -> bool:
    """With the computation of that class, not of one made from it."""
    same = isinstance(module, kind) and getattr(type(module), "forward", None) is kind.forward
    return same and "forward" not in vars(module)


def is_conv(module: nn.Module) -> bool:
    return isinstance(module, MessagePassing)


#: What a layer computes; PyTorch Geometric itself puts propagate into some.
_METHODS = ("forward", "message", "aggregate", "update", "message_and_aggregate", "edge_update")
_SIMPLE = {"sum": pyg.SumAggregation, "mean": pyg.MeanAggregation, "max": pyg.MaxAggregation}


def _array(tensor: torch.Tensor | None, otherwise: int = 0) -> np.ndarray:
    if tensor is None:
        return np.zeros(otherwise)
    return tensor.detach().cpu().double().numpy()


def _linear(module: Any, name: str, called: str) -> Any:
    """A linear layer inside a layer."""
    inner = getattr(module, name)
    _need(is_a(inner, pyg.Linear) or is_a(inner, nn.Linear), called, f"has a {type(inner).__name__} as {name}")
    return inner


def _weight(module: Any, name: str, called: str) -> np.ndarray:
    return _array(_linear(module, name, called).weight)


def _own(module: nn.Module, kind: type[nn.Module]) -> bool:
    """Does it compute what that class computes?"""
    if not isinstance(module, kind) or any(name in vars(module) for name in _METHODS):
        return False
    if type(module) is kind:
        return True
    return all(
        getattr(type(module), name, None) is value
        for base in kind.__mro__ if base not in nn.Module.__mro__
        for name, value in vars(base).items()
        if callable(value) and not name.startswith("__") and getattr(kind, name) is value
    )  # fmt: skip


def _need(holds: bool, called: str, what: str) -> None:
    if not holds:
        raise Unsupported(f"{called} {what}")


def conv_layer(
    module: Any, called: str, inputs: int, edges: Rows | None
) -> tuple[Conv, nn.Module | None]:
    """The layer, and what its sums still go through, row by row. Raises Unsupported."""
    for kind, convert in _KINDS:
        if _own(module, kind):
            _need(module.flow == "source_to_target", called, f"sends messages {module.flow}")
            _need(not getattr(module, "explain", None), called, "is being explained by PyTorch Geometric")
            conv, inner = convert(module, called, inputs, edges)
            return conv, inner
    raise Unsupported(f"{called} is no layer that the engine computes")


def _aggregation(module: Any, called: str) -> str:
    name = module.aggr if isinstance(module.aggr, str) else ""
    _need(name in _AGGREGATIONS, called, f"aggregates by {module.aggr}")
    name = _AGGREGATIONS[name]
    _need(is_a(module.aggr_module, _SIMPLE[name]), called, f"aggregates by {module.aggr_module}")
    return name


def _sums(module: Any, called: str) -> None:
    _need(_aggregation(module, called) == "sum", called, f"aggregates by {module.aggr}")


def _no_edges(edges: Rows | None, called: str) -> None:
    _need(edges is None, called, "gets weights of edges")


def _gcn(module: Any, called: str, inputs: int, edges: Rows | None) -> tuple[Conv, None]:
    _no_edges(edges, called)
    _sums(module, called)
    _need(not module.cached, called, "keeps the edges of the first graph (cached=True)")
    weight = _weight(module, "lin", called)
    bias = _array(module.bias, len(weight))
    if not module.normalize:
        # The plain sum over neighbours: GIN without the node itself.
        return Gin(-1.0, ((weight, bias),)), None
    _need(not module.improved, called, "counts a node twice (improved=True)")
    _need(module.add_self_loops, called, "adds no self loops")
    return Gcn(weight, bias), None


def _gin(module: Any, called: str, inputs: int, edges: Rows | None) -> tuple[Conv, nn.Module]:
    _sums(module, called)
    _need(isinstance(module.nn, nn.Module), called, "has a function that is no module for nn")
    table = _edge_table(module, called, inputs, edges) if isinstance(module, pyg.GINEConv) else None
    return Gin(float(module.eps), ((np.eye(inputs), np.zeros(inputs)),), table), module.nn


def _edge_table(module: Any, called: str, inputs: int, edges: Rows | None) -> np.ndarray:
    """What is added to a neighbour, for each label of an edge."""
    if edges is None:
        raise Unsupported(f"{called} gets no features of edges")
    table = edges.table
    _need(table.dim() == 2 and table.is_floating_point(), called, "gets no rows of features of edges")
    if module.lin is not None:
        table = _linear(module, "lin", called)(table)
    _need(table.shape[1] == inputs, called,
          f"adds {table.shape[1]} features of an edge to {inputs} of a node")  # fmt: skip
    return _array(table)


def _sage(module: Any, called: str, inputs: int, edges: Rows | None) -> tuple[Conv, None]:
    _need(not module.normalize, called, "normalises its output (normalize=True)")
    _need(not module.project, called, "projects its input (project=True)")
    aggregate = _aggregation(module, called)
    weight = _weight(module, "lin_l", called)
    root = _weight(module, "lin_r", called) if module.root_weight else np.zeros_like(weight)
    return Sage(aggregate, weight, root, _array(module.lin_l.bias, len(weight))), None


def _graph_conv(module: Any, called: str, inputs: int, edges: Rows | None) -> tuple[Conv, None]:
    _no_edges(edges, called)
    weight = _weight(module, "lin_rel", called)
    return Sage(_aggregation(module, called), weight, _weight(module, "lin_root", called),
                _array(module.lin_rel.bias, len(weight))), None  # fmt: skip


def _gat(module: Any, called: str, inputs: int, edges: Rows | None) -> tuple[Conv, None]:
    _sums(module, called)
    _need(module.add_self_loops, called, "adds no self loops")
    _need(getattr(module, "res", None) is None, called, "has a residual connection (residual=True)")
    _need(not module.training or module.dropout == 0, called, "is in training mode")
    # Until 2.4 it had two names for one map.
    name = "lin" if getattr(module, "lin", None) is not None else "lin_src"
    weight = _weight(module, name, called)
    if getattr(module, "lin_dst", None) is not None:
        same = np.array_equal(weight, _weight(module, "lin_dst", called))
        _need(same, called, "maps sources and targets in two ways")
    seen: tuple[np.ndarray, np.ndarray] | None = None
    if edges is not None and module.lin_edge is not None:
        _need(module.fill_value == "mean", called, f"fills self loops with {module.fill_value}, and not the mean")
        table = edges.table if edges.table.dim() > 1 else edges.table.view(-1, 1)
        _need(table.is_floating_point(), called, "gets no rows of features of edges")
        seen = (_array(_linear(module, "lin_edge", called)(table)).T, _array(module.att_edge))
    outputs = module.out_channels * (module.heads if module.concat else 1)
    return Gat(weight, _array(module.att_src), _array(module.att_dst),
               _array(module.bias, outputs), int(module.heads), bool(module.concat),
               float(module.negative_slope), seen), None  # fmt: skip


_KINDS: list[tuple[type[nn.Module], Any]] = [
    (pyg.GCNConv, _gcn), (pyg.GINConv, _gin), (pyg.GINEConv, _gin), (pyg.SAGEConv, _sage),
    (pyg.GraphConv, _graph_conv), (pyg.GATConv, _gat),
]  # fmt: skip
