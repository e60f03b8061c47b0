# SPDX-License-Identifier: MIT
"""From what was recognised to a model file: one chain of layers, pooling, linear layers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._affine import Affine, is_identity
from ._layers import ACTIVATIONS, RELU, Activation, Layer, Row, Rows, Tensors, same_rows
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


def _head(logits: Graphs) -> tuple[list[tuple[np.ndarray, np.ndarray]], Graphs]:
    """Linear layers from the last to the second, and the first one on what was pooled."""
    later: list[tuple[np.ndarray, np.ndarray]] = []
    value = logits
    while any(isinstance(key, Hidden) for key in value.parts):
        if len(value.parts) > 1:
            raise Unsupported("the head joins values of different depth")
        [(key, matrix)] = value.parts.items()
        if key.activation != RELU:
            raise Unsupported(f"{key.activation} between linear layers, where the engine computes relu")
        later.append((matrix, value.shift))
        value = key.value
    return later, value


def _chain(value: Graphs) -> tuple[list[Layer], str]:
    """All layers in their order, and how they are pooled."""
    ways = sorted({pool.reduce for pool in value.parts})
    if len(ways) > 1:
        raise Unsupported(f"pooling in several ways side by side ({', '.join(ways)})")
    layers = [pool.layer for pool in value.parts]
    chain = max(layers, key=lambda layer: layer.depth).chain
    for layer in layers:
        # One that hands on the first layer's input may stand before it.
        before = layer.source
        hands_on = isinstance(layer.conv, Row) and is_identity(layer.conv.weight) and not layer.conv.bias.any()
        if layer in chain or not hands_on or layer.activation or not isinstance(before, Rows):
            continue
        if isinstance(chain[0].source, Rows) and same_rows(before, chain[0].source):
            chain = [layer, *chain]
    if any(layer not in chain for layer in layers):
        raise Unsupported("what is pooled is not from one chain of layers")
    return chain, ways[0]


def _input(rows: Rows, tensors: Tensors) -> dict[str, Any]:
    """Rows of labels that are not one-hot are an embedding."""
    table = rows.table.detach().cpu().double().numpy()
    if table.shape[0] == table.shape[1] and bool((table == np.eye(len(table))).all()):
        return {}
    tensors["labels.weight"] = table
    return {"node_embedding": "labels"}


def written(answer: Any) -> NativeModel:
    """Raises Unsupported."""
    logits = _logits(answer)
    later, first = _head(logits)
    if not first.parts:
        raise Unsupported("its answer does not depend on the graph")
    chain, reduce = _chain(first)
    tensors: Tensors = {}
    rows = chain[0].source
    assert isinstance(rows, Rows)
    root: dict[str, Any] = {"format": "fewedits.model/2", "weights": "module.safetensors"}
    root["layers"] = []
    for i, layer in enumerate(chain):
        prefix = f"layers.{i}"
        said = layer.conv.write(prefix, tensors)
        root["layers"].append({**said, "weights": prefix, "activation": ACTIVATIONS[layer.activation]})
    root |= _input(rows, tensors)
    root["pooling"] = reduce
    root["jumping"] = {pool.layer for pool in first.parts} != {chain[-1]}
    seen = chain if root["jumping"] else chain[-1:]
    matrix = np.concatenate(
        [first.parts.get(Pool(layer, reduce), np.zeros((first.width, layer.conv.outputs))) for layer in seen],
        axis=1,
    )
    root["head"] = []
    for i, (weight, bias) in enumerate([(matrix, first.shift), *reversed(later)]):
        tensors[f"head.{i}.weight"], tensors[f"head.{i}.bias"] = weight, bias
        root["head"].append({"weights": f"head.{i}"})
    # Norms are written as factors.
    root["batch_norm_epsilon"] = 0.0
    plain = {name: np.ascontiguousarray(value, dtype=np.float32) for name, value in tensors.items()}
    for name, value in plain.items():
        if not np.isfinite(value).all():
            raise Unsupported(f"weights that are not finite ({name})")
    return NativeModel(json.dumps(root), plain)
