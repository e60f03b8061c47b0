# SPDX-License-Identifier: MIT
"""From what was recognised to a model file: one chain of layers, pooling, linear layers."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ._affine import Affine, is_identity
from ._layers import RELU, Activation, Gin, Layer, Row, Rows, Tensors, name_of, same_rows
from ._result import NativeModel, Unsupported

__all__ = ["Answer", "Graphs", "Hidden", "Pool", "written"]


@dataclass(frozen=True)
class Pool:
    """The outputs of a layer, over the nodes of a graph."""

    layer: Layer
    reduce: str


@dataclass(frozen=True, eq=False)
class Hidden:
    """activation(value) in the head."""

    value: Affine[Any]
    activation: Activation


Graphs = Affine[Any]  # of Pool and Hidden


@dataclass(frozen=True)
class Answer:
    logits: Graphs
    closing: str  # "log_softmax" or "softmax"


def _logits(value: Any) -> Graphs:
    """Of each class."""
    if isinstance(value, Answer):
        return value.logits
    if not isinstance(value, Affine) or not all(isinstance(key, (Pool, Hidden)) for key in value.parts):
        raise Unsupported("it does not give one row of numbers for each graph")
    [key, *others] = value.parts
    if not others and isinstance(key, Hidden) and key.activation.name == "sigmoid" and value.is_just(key):
        if value.width > 1:
            raise Unsupported("it ends with a sigmoid for each class, and not with one of all classes")
        value = key.value
    logits: Graphs = value
    if logits.width > 1:
        return logits
    # One number, of the second of two classes: the other has a logit of 0.
    return logits.mapped(np.array([[0.0], [1.0]]))


@dataclass(frozen=True)
class _Head:
    #: Of what was pooled.
    first: Graphs
    later: list[tuple[np.ndarray, np.ndarray]]
    between: Activation


def _head(logits: Graphs) -> _Head:
    between: list[Activation] = []
    later: list[tuple[np.ndarray, np.ndarray]] = []
    value = logits
    while any(isinstance(key, Hidden) for key in value.parts):
        if len(value.parts) > 1:
            raise Unsupported("the head joins values of different depth")
        [(key, matrix)] = value.parts.items()
        name_of(key.activation, "between linear layers")
        between.append(key.activation)
        later.append((matrix, value.shift))
        value = key.value
    if len(set(between)) > 1:
        names = ", ".join(sorted(str(activation) for activation in set(between)))
        raise Unsupported(f"several activations in the head ({names})")
    return _Head(value, list(reversed(later)), between[0] if between else RELU)


def _chain(value: Graphs) -> list[Layer]:
    """All layers in their order."""
    layers = [pool.layer for pool in value.parts]
    deepest: Layer = max(layers, key=lambda layer: layer.depth)
    chain = deepest.chain
    for layer in layers:
        # One that hands on the first layer's input may stand before it.
        before = layer.source
        first = chain[0].source
        if layer in chain or not isinstance(before, Rows) or not isinstance(first, Rows):
            continue
        if _hands_on(layer) and same_rows(before, first):
            chain = [layer, *chain]
    if any(layer not in chain for layer in layers):
        raise Unsupported("what is pooled is not from one chain of layers")
    return chain


def _hands_on(layer: Layer) -> bool:
    """Does it give what it gets?"""
    if layer.activation is not None or layer.last is not None or not isinstance(layer.conv, Row):
        return False
    return is_identity(layer.conv.weight) and not bool(layer.conv.bias.any())


def _on_labels(chain: list[Layer], tensors: Tensors) -> tuple[list[Layer], dict[str, Any]]:
    """The chain on one-hot labels: what a label's row is becomes part of the first product, else an
    embedding."""
    rows = chain[0].source
    assert isinstance(rows, Rows)
    table = rows.table.detach().cpu().double().numpy()
    if is_identity(table):
        return chain, {}
    conv = chain[0].conv.of_labels(table)
    if conv is not None:
        return [replace(chain[0], conv=conv), *chain[1:]], {}
    tensors["labels.weight"] = table
    return chain, {"node_embedding": "labels"}


def written(answer: Any) -> NativeModel:
    """Raises Unsupported."""
    head = _head(_logits(answer))
    if not head.first.parts:
        raise Unsupported("its answer does not depend on the graph")
    chain = _chain(head.first)
    tensors: Tensors = {}
    on_labels, embedding = _on_labels(chain, tensors)
    root: dict[str, Any] = {"format": "fewedits.model/2", "weights": "module.safetensors"}
    root["layers"] = [layer.write(f"layers.{i}", tensors) for i, layer in enumerate(on_labels)]
    root |= embedding
    ways = sorted({pool.reduce for pool in head.first.parts})
    root["pooling"] = ways if len(ways) > 1 else ways[0]
    root["jumping"] = {pool.layer for pool in head.first.parts} != {chain[-1]}
    seen = chain if root["jumping"] else chain[-1:]
    # What one way of pooling makes of all layers comes before what the next one makes.
    pools = [Pool(layer, way) for way in ways for layer in seen]
    matrix = np.concatenate([_columns(head.first, pool) for pool in pools], axis=1)
    root["head"] = []
    for i, (weight, bias) in enumerate([(matrix, head.first.shift), *head.later]):
        tensors[f"head.{i}.weight"], tensors[f"head.{i}.bias"] = weight, bias
        root["head"].append({"weights": f"head.{i}"})
    if head.between != RELU:
        root["head_activation"] = name_of(head.between, "in the head")
    root |= _slope(chain, head)
    # Norms are written as factors.
    root["batch_norm_epsilon"] = 0.0
    plain = {name: np.ascontiguousarray(value, dtype=np.float32) for name, value in tensors.items()}
    for name, value in plain.items():
        if not np.isfinite(value).all():
            raise Unsupported(f"weights that are not finite ({name})")
    return NativeModel(json.dumps(root), plain)


def _columns(first: Graphs, pool: Pool) -> np.ndarray:
    part = first.parts.get(pool)
    return np.zeros((first.width, pool.layer.conv.outputs)) if part is None else part


def _slope(chain: list[Layer], head: _Head) -> dict[str, float]:
    """There is one for the whole model."""
    used = [head.between, *(layer.activation for layer in chain)]
    used += [layer.conv.inside for layer in chain if isinstance(layer.conv, Gin)]
    slopes = {a.number for a in used if a is not None and a.name == "leaky_relu" and a.number is not None}
    if len(slopes) > 1:
        raise Unsupported("leaky_relu with several slopes")
    return {"leaky_slope": slope for slope in slopes}
