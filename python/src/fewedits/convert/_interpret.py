# SPDX-License-Identifier: MIT
"""Goes through the operations of a module and says of each value what the engine would call it."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import fx, nn
from torch_geometric import nn as pyg
from torch_geometric.utils import scatter

from ._affine import Affine, affine_of, concatenated
from ._convs import conv_layer, is_a, is_conv
from ._layers import Activation, Layer, Row, Rows, layer_of, same_rows
from ._model import Answer, Graphs, Hidden, Pool, written
from ._result import NativeModel, NotNative, Sample, Unsupported
from ._rows import apply_to_rows
from ._trace import Trace, trace_model, trace_rows

__all__ = ["converted"]

Nodes = Affine[Layer]


@dataclass(frozen=True)
class _Unknown:
    """A value that no rule knows, and why."""

    reason: str


@dataclass(frozen=True)
class _Named:
    """Something that is only handed on: "edge_index", "batch", "num_graphs", "num_nodes", …"""

    name: str


def converted(module: Any, sample: Sample) -> NativeModel | NotNative:
    if isinstance(module, torch.jit.ScriptModule):
        return NotNative("it is a TorchScript module, which cannot be looked into")
    # A compiled module, or one that is spread over devices, computes what the one inside does.
    module = getattr(module, "_orig_mod", module)
    module = module.module if isinstance(module, nn.DataParallel) else module
    try:
        with torch.no_grad():
            rows = Rows(_like(sample.node_rows, sample.x))
            edges = None
            if sample.edge_attr is not None and sample.edge_rows is not None:
                edges = Rows(_like(sample.edge_rows, sample.edge_attr), of_edges=True)
            trace = trace_model(module, sample.inputs, edges is not None, rows.table[:1].numel())
            given = {"x": rows, "edge_attr": edges}
            answer = _Interpreter(trace, given).run()
            return written(answer)
    except Unsupported as reason:
        return NotNative(str(reason))


def _like(table: np.ndarray, sample: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(table)).to(sample.device, sample.dtype)


# ---- Operations by name, whether function, method or module

_FUNCTIONS: dict[Any, str] = {
    torch.cat: "cat", torch.concat: "cat", torch.concatenate: "cat",
    torch.hstack: "hstack", torch.flatten: "flatten", torch.squeeze: "squeeze",
    torch.unsqueeze: "unsqueeze", torch.reshape: "reshape",
    operator.add: "add", torch.add: "add", operator.sub: "sub", torch.sub: "sub",
    operator.mul: "mul", torch.mul: "mul", operator.truediv: "div", torch.div: "div",
    operator.neg: "neg", torch.neg: "neg", operator.iadd: "add", operator.imul: "mul",
    operator.getitem: "getitem", operator.matmul: "matmul", torch.matmul: "matmul", torch.mm: "matmul",
    F.linear: "linear", torch.max: "max", torch.log: "log",
    F.dropout: "dropout", torch.dropout: "dropout", F.alpha_dropout: "dropout", F.dropout1d: "dropout",
    F.log_softmax: "log_softmax", torch.log_softmax: "log_softmax",
    F.softmax: "softmax", torch.softmax: "softmax",
    F.relu: "relu", torch.relu: "relu", F.relu_: "relu", torch.relu_: "relu",
    F.elu: "elu", F.elu_: "elu", F.leaky_relu: "leaky_relu", F.leaky_relu_: "leaky_relu",
    F.gelu: "gelu", F.silu: "silu", F.selu: "selu", F.softplus: "softplus", F.relu6: "relu6",
    F.tanh: "tanh", torch.tanh: "tanh", F.sigmoid: "sigmoid", torch.sigmoid: "sigmoid",
    F.logsigmoid: "logsigmoid", scatter: "scatter",
}  # fmt: skip

_METHODS = {
    "float": "same", "double": "same", "contiguous": "same", "clone": "same", "detach": "same",
    "to": "same", "type_as": "same", "add": "add", "sub": "sub", "mul": "mul", "div": "div",
    "add_": "add", "mul_": "mul", "neg": "neg", "relu": "relu", "relu_": "relu", "tanh": "tanh",
    "sigmoid": "sigmoid", "log_softmax": "log_softmax", "softmax": "softmax", "log": "log",
    "flatten": "flatten", "squeeze": "squeeze", "unsqueeze": "unsqueeze", "view": "reshape",
    "reshape": "reshape", "size": "size", "dim": "dim", "matmul": "matmul", "max": "max",
    "item": "item", "sigmoid_": "sigmoid", "tanh_": "tanh", "__getitem__": "getitem",
}  # fmt: skip

_PLAIN_ACTIVATIONS: dict[type[nn.Module], str] = {
    nn.ReLU: "relu", nn.Tanh: "tanh", nn.Sigmoid: "sigmoid", nn.SiLU: "silu", nn.SELU: "selu",
    nn.ReLU6: "relu6", nn.LogSigmoid: "logsigmoid",
}  # fmt: skip
_DROPOUTS = (nn.Dropout, nn.Dropout1d, nn.AlphaDropout, nn.FeatureAlphaDropout)
_NORMS = (nn.BatchNorm1d, nn.SyncBatchNorm)
_REDUCTIONS = {"sum": "sum", "add": "sum", "mean": "mean", "max": "max"}
#: With the numbers that stand where none is given.
_ACTIVATIONS: dict[str, tuple[str, float | None]] = {
    "relu": ("", None), "tanh": ("", None), "sigmoid": ("", None), "silu": ("", None), "selu": ("", None),
    "relu6": ("", None), "logsigmoid": ("", None), "elu": ("alpha", 1.0),
    "leaky_relu": ("negative_slope", 0.01), "gelu": ("approximate", None), "softplus": ("beta", None),
}  # fmt: skip


def _array(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().cpu().double().numpy()


class _Interpreter:
    def __init__(self, trace: Trace, given: dict[str, Any], prefix: str = "") -> None:
        self._trace, self._given, self._prefix = trace, given, prefix
        self._values: dict[fx.Node, Any] = {}
        #: Layers that give what a node's label says, as it is.
        self._inputs: list[Layer] = []

    def run(self) -> Any:
        out: Any = None
        for node in self._trace.graph.nodes:
            if node.op == "output":
                out = fx.node.map_arg(node.args[0], self._values.__getitem__)
                continue
            try:
                value = self._value(node)
            except Unsupported as reason:
                value = _Unknown(str(reason))
            except Exception as trouble:  # noqa: BLE001  # whatever a part of the module raises
                value = _Unknown(f"{self._called(node)} fails on what the model sees: {trouble}")
            self._values[node] = _shared(value) if len(node.users) > 1 else value
        if isinstance(out, (tuple, list)) and len(out) == 1:
            out = out[0]
        if isinstance(out, _Unknown):
            raise Unsupported(out.reason)
        return out

    # ---- Words

    def _path(self, node: fx.Node) -> str:
        path = str(node.target).removeprefix("module").removeprefix(".")
        return ".".join(part for part in (self._prefix, path) if part)

    def _called(self, node: fx.Node) -> str:
        if node.op == "call_module":
            module = self._trace.root.get_submodule(str(node.target))
            path = self._path(node)
            return f"{type(module).__name__} ({path})" if path else type(module).__name__
        name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", node.target)
        stack = node.meta.get("nn_module_stack") or {}
        inside = [str(path).removeprefix("module").removeprefix(".") for path, _ in stack.values()]
        inside = [path for path in inside if path]
        where = ".".join(part for part in (self._prefix, inside[-1] if inside else "") if part)
        return f"{name} in {where}" if where else f"{name}"

    # ---- Values

    def _value(self, node: fx.Node) -> Any:
        if node.op == "placeholder":
            return self._given.get(str(node.target), _Named(str(node.target)))
        if node.op == "get_attr":
            return operator.attrgetter(str(node.target))(self._trace.root)
        args = fx.node.map_arg(node.args, self._values.__getitem__)
        kwargs = fx.node.map_arg(node.kwargs, self._values.__getitem__)
        found = _leaves((args, kwargs))
        for value in found:
            if isinstance(value, _Unknown):
                return value
        if _is_in_place(node, kwargs):
            self._refuse_other_readers(node, node.args[0], self._called(node))
        if isinstance(node.kwargs.get("out"), fx.Node):
            self._refuse_other_readers(node, node.kwargs["out"], self._called(node))
        if any(isinstance(v, Rows) for v in found) and all(_is_of_rows(v) for v in found):
            kinds = {v.of_edges for v in found if isinstance(v, Rows)}
            if len(kinds) == 1:
                return self._of_rows(node, args, kwargs, kinds.pop())
        if node.op == "call_module":
            return self._module(node, args, kwargs)
        if not any(_is_of_graphs(v) for v in found):
            return self._constant(node, args, kwargs)
        return self._operation(node, args, kwargs)

    def _call(self, node: fx.Node, args: Any, kwargs: Any) -> Any:
        if node.op == "call_method":
            return getattr(args[0], str(node.target))(*args[1:], **kwargs)
        if node.op == "call_module":
            return self._trace.root.get_submodule(str(node.target))(*args, **kwargs)
        assert callable(node.target)
        return node.target(*args, **kwargs)

    def _constant(self, node: fx.Node, args: Any, kwargs: Any) -> Any:
        first, second = (self._call(node, args, kwargs) for _ in range(2))
        if isinstance(first, torch.Tensor) and not torch.equal(first, second):
            raise Unsupported(f"{self._called(node)} gives something else every time")
        return first

    def _of_rows(self, node: fx.Node, args: Any, kwargs: Any, of_edges: bool) -> Any:
        """A function of single rows is one of labels: there are only so many."""
        size = _size_of_rows(node, args)
        if size is not None:
            return size
        return apply_to_rows(lambda a, k: self._call(node, a, k), args, kwargs, of_edges, self._called(node))

    # ---- Modules

    def _module(self, node: fx.Node, args: Any, kwargs: Any) -> Any:
        module = self._trace.root.get_submodule(str(node.target))
        called = self._called(node)
        self._refuse_hooks(module, called)
        if is_conv(module):
            return self._conv(module, called, self._path(node), args, kwargs)
        if is_a(module, nn.Identity) or isinstance(module, _DROPOUTS):
            if isinstance(module, _DROPOUTS) and module.training and module.p > 0:
                raise Unsupported(f"{called} is in training mode")
            return args[0]
        if is_a(module, nn.Linear) or is_a(module, pyg.Linear):
            return self._linear(called, args[0], module.weight, module.bias)
        if is_a(module, pyg.BatchNorm):
            return self._batch_norm(called, module.module, args[0])
        if any(is_a(module, kind) for kind in _NORMS):
            return self._batch_norm(called, module, args[0])
        if is_a(module, nn.Flatten):
            return self._apply("flatten", called, (args[0], module.start_dim, module.end_dim), {})
        if is_a(module, nn.LogSoftmax) or is_a(module, nn.Softmax):
            name = "log_softmax" if isinstance(module, nn.LogSoftmax) else "softmax"
            return self._apply(name, called, (args[0], module.dim), {})
        activation = self._activation_of(module)
        if activation is not None:
            if getattr(module, "inplace", False):
                self._refuse_other_readers(node, node.args[0], called)
            return self._activate(called, args[0], activation)
        if is_a(module, pyg.JumpingKnowledge):
            if module.mode == "cat":
                return self._apply("cat", called, (args[0], -1), {})
            raise Unsupported(f"{called} with the mode {module.mode}, and the engine knows cat")
        if isinstance(module, pyg.Aggregation):
            return self._aggregation(module, called, args, kwargs)
        why = self._trace.failures.get(str(node.target))
        if why is not None:
            raise Unsupported(f"{called}: {why}")
        raise Unsupported(f"{called} is no module that the engine computes")

    @staticmethod
    def _refuse_hooks(module: nn.Module, called: str) -> None:
        for part in module.modules():
            held = vars(part).items()
            if any("forward" in name and name.endswith("hooks") and value for name, value in held):
                raise Unsupported(f"{called} has hooks, which may change what it computes")

    @staticmethod
    def _activation_of(module: Any) -> Activation | None:
        for kind, name in _PLAIN_ACTIVATIONS.items():
            if is_a(module, kind):
                return Activation(name)
        if is_a(module, nn.ELU):
            return Activation("elu", float(module.alpha))
        if is_a(module, nn.LeakyReLU):
            return Activation("leaky_relu", float(module.negative_slope))
        if is_a(module, nn.PReLU) and module.num_parameters == 1:
            return Activation("leaky_relu", float(module.weight))
        if is_a(module, nn.GELU):
            return Activation("gelu" if module.approximate == "none" else "gelu_tanh")
        return None

    def _conv(self, module: nn.Module, called: str, path: str, args: Any, kwargs: Any) -> Any:
        bound = inspect.signature(type(module).forward).bind(module, *args, **kwargs).arguments
        bound.pop("self", None)
        x = bound.pop("x")
        if bound.pop("edge_index", None) != _Named("edge_index"):
            raise Unsupported(f"{called} gets other edges than those of the graph")
        edges: Rows | None = None
        for name, value in bound.items():
            if value is None:
                continue
            if name != "edge_attr" or not isinstance(value, Rows):
                raise Unsupported(f"{called} gets {name}")
            edges = value
        source: Layer | Rows
        if isinstance(x, Rows):
            source = _two_columns(x, called)
            width = source.table.shape[1]
        elif isinstance(x, Affine) and not x.flat and _is_nodes(x):
            source = layer_of(x)
            width = source.conv.outputs
        else:
            raise Unsupported(f"{called} gets something else than the features of nodes")
        conv, inner = conv_layer(module, called, width, edges)
        layer = Layer(conv, source)
        value = affine_of(layer, conv.outputs)
        if inner is None:
            return value
        path = f"{path}.nn" if path else "nn"
        try:
            trace = trace_rows(inner)
        except Unsupported as reason:
            raise Unsupported(f"{path}: {reason}") from reason
        return _Interpreter(trace, {"rows": value}, path).run()

    def _batch_norm(self, called: str, norm: Any, value: Any) -> Any:
        if norm.running_mean is None or norm.running_var is None:
            raise Unsupported(f"{called} keeps no statistics, so that an answer depends on the batch")
        if norm.training:
            raise Unsupported(f"{called} is in training mode")
        value = self._columns(called, value)
        scale = 1 / np.sqrt(_array(norm.running_var) + norm.eps)
        if norm.weight is not None:
            scale = scale * _array(norm.weight)
        shift = -_array(norm.running_mean) * scale
        if norm.bias is not None:
            shift = shift + _array(norm.bias)
        if len(scale) != value.width:
            raise Unsupported(f"{called} takes {len(scale)} features, and {value.width} come")
        return value.scaled(scale, shift)

    def _linear(self, called: str, value: Any, weight: Any, bias: Any) -> Any:
        value = self._columns(called, value)
        return value.mapped(_array(weight), None if bias is None else _array(bias))

    @staticmethod
    def _columns(called: str, value: Any) -> Affine[Any]:
        if not isinstance(value, Affine) or value.flat:
            raise Unsupported(f"{called} gets what is no row of features for each node or graph")
        return value

    def _aggregation(self, module: nn.Module, called: str, args: Any, kwargs: Any) -> Any:
        if isinstance(module, pyg.aggr.MultiAggregation) and is_a(module, pyg.aggr.MultiAggregation):
            if module.mode != "cat":
                raise Unsupported(f"{called} with the mode {module.mode}")
            parts = [self._aggregation(m, called, args, kwargs) for m in module.aggrs]
            return concatenated(parts)
        for kind, reduce in ((pyg.SumAggregation, "sum"), (pyg.MeanAggregation, "mean"), (pyg.MaxAggregation, "max")):
            if is_a(module, kind):
                bound = inspect.signature(kind.forward).bind(module, *args, **kwargs).arguments
                if bound.get("ptr") is not None:
                    raise Unsupported(f"{called} gets ptr")
                return self._pool(called, bound["x"], bound.get("index"), bound.get("dim", -2),
                                  bound.get("dim_size"), reduce)  # fmt: skip
        raise Unsupported(f"{called} is no pooling that the engine computes")

    def _pool(self, called: str, x: Any, batch: Any, dim: Any, size: Any, reduce: str) -> Graphs:
        if batch != _Named("batch") or dim not in (0, -2):
            raise Unsupported(f"{called} is not over the nodes of each graph")
        if size is not None and size != _Named("num_graphs"):
            raise Unsupported(f"{called} gets a number of graphs that may be another one")
        if reduce not in _REDUCTIONS:
            raise Unsupported(f"pooling by {reduce} ({called})")
        reduce = _REDUCTIONS[reduce]
        if isinstance(x, Rows):
            x = self._as_layers(_two_columns(x, called))
        value = self._columns(called, x)
        if not _is_nodes(value):
            raise Unsupported(f"{called} gets something else than the features of nodes")
        return _pooled(value, reduce)

    # ---- Functions and methods

    def _operation(self, node: fx.Node, args: Any, kwargs: Any) -> Any:
        called = self._called(node)
        if node.op == "call_function" and node.target is getattr:
            return self._attribute(called, args[0], args[1])
        if node.op == "call_method":
            name = _METHODS.get(str(node.target))
        else:
            name = _FUNCTIONS.get(node.target)
        if name is None:
            raise Unsupported(f"the operation {called}")
        return self._apply(name, called, args, kwargs)

    def _refuse_other_readers(self, node: fx.Node, target: Any, called: str) -> None:
        """Of a value that the operation changes, by this or another name."""
        changed = self._values[target] if isinstance(target, fx.Node) else None
        if not isinstance(changed, (Affine, Rows)):
            raise Unsupported(f"{called} changes a value in place")
        names = [other for other, value in self._values.items() if value is changed]
        readers = {user for name in names for user in name.users} - {node, *names}
        if not readers:
            return
        reason = f"{called} changes a value that is used elsewhere, too"
        for name in names:
            self._values[name] = _Unknown(reason)
        raise Unsupported(reason)

    @staticmethod
    def _attribute(called: str, value: Any, name: str) -> Any:
        if name == "shape" and isinstance(value, Affine) and not value.flat:
            return (_Named("num_nodes" if _is_nodes(value) else "num_graphs"), value.width)
        raise Unsupported(f"{name} of a value ({called})")

    def _apply(self, name: str, called: str, args: Any, kwargs: Any) -> Any:
        if name in _ACTIVATIONS:
            return self._activate(called, args[0], _activation(name, called, args, kwargs))
        rule: Callable[..., Any] | None = getattr(self, f"_do_{name}", None)
        if rule is None:
            raise Unsupported(f"the operation {called}")
        return rule(called, *args, **kwargs)

    def _activate(self, called: str, value: Any, activation: Activation) -> Any:
        if not isinstance(value, Affine):
            raise Unsupported(f"{called} of what is no row of features")
        if _is_nodes(value):
            layer = layer_of(value, activation)
            return affine_of(layer, layer.conv.outputs)
        if activation.name == "logsigmoid":
            raise Unsupported(f"the operation {called}")
        out: Graphs = affine_of(Hidden(value, activation), value.width)
        return Affine(out.parts, out.shift, value.flat)

    def _do_same(self, called: str, value: Any, *args: Any, **kwargs: Any) -> Any:
        kinds = [a for a in (*args, *kwargs.values()) if isinstance(a, torch.dtype)]
        if any(not kind.is_floating_point for kind in kinds):
            raise Unsupported(f"{called} makes whole numbers")
        return value

    def _do_dropout(
        self, called: str, value: Any, p: float = 0.5, training: bool = True, inplace: bool = False
    ) -> Any:
        if training and p > 0:
            raise Unsupported(f"{called} is always on")
        return value

    def _do_linear(self, called: str, value: Any, weight: Any, bias: Any = None) -> Any:
        return self._linear(called, value, weight, bias)

    def _do_matmul(self, called: str, value: Any, other: Any) -> Any:
        if not isinstance(other, torch.Tensor) or other.dim() != 2:
            raise Unsupported(f"the operation {called} of two values")
        return self._linear(called, value, other.T, None)

    def _do_cat(self, called: str, values: Any = None, dim: int = 0, *, tensors: Any = None, axis: Any = None) -> Any:
        values = tensors if values is None else values
        dim = dim if axis is None else axis
        if dim not in (1, -1):
            raise Unsupported(f"{called} along another dimension than features")
        parts = [self._as_layers(value) for value in values]
        if any(part.flat for part in parts) or len({_is_nodes(part) for part in parts}) != 1:
            raise Unsupported(f"{called} of values of several kinds")
        return concatenated(parts)

    def _do_hstack(self, called: str, values: Any) -> Any:
        return self._do_cat(called, values, 1)

    def _as_layers(self, value: Any) -> Affine[Any]:
        """Rows as the output of a layer that does nothing."""
        if isinstance(value, Rows) and not value.of_edges and value.table.dim() == 2:
            width = value.table.shape[1]
            for layer in self._inputs:
                if isinstance(layer.source, Rows) and same_rows(layer.source, value):
                    return affine_of(layer, width)
            self._inputs.append(Layer(Row(np.eye(width), np.zeros(width)), value, kept=True))
            return affine_of(self._inputs[-1], width)
        if not isinstance(value, Affine):
            raise Unsupported("a sum or concatenation with something else than features")
        return value

    def _do_add(self, called: str, a: Any, b: Any, alpha: Any = 1) -> Any:
        if a == _Named("largest") and b == 1 or b == _Named("largest") and a == 1:
            return _Named("num_graphs")
        if not isinstance(a, (Affine, Rows)):
            a, b = b, a
            if alpha != 1:
                raise Unsupported(f"the operation {called}")
        if isinstance(b, (Affine, Rows)):
            a, b = self._as_layers(a), self._as_layers(b)
            if a.width != b.width or a.flat != b.flat or _is_nodes(a) != _is_nodes(b):
                raise Unsupported(f"{called} of values of several kinds")
            return a.plus(b if alpha == 1 else b.scaled(_number(alpha, called)))
        return self._columns_or_flat(called, a).scaled(np.ones(1), _number(b, called) * alpha)

    def _do_sub(self, called: str, a: Any, b: Any) -> Any:
        return self._do_add(called, a, self._do_neg(called, b))

    def _do_neg(self, called: str, a: Any) -> Any:
        if isinstance(a, (int, float, torch.Tensor)):
            return -a
        return self._columns_or_flat(called, a).scaled(-np.ones(1))

    def _do_mul(self, called: str, a: Any, b: Any) -> Any:
        if not isinstance(a, Affine):
            a, b = b, a
        return self._columns_or_flat(called, a).scaled(_number(b, called))

    def _do_div(self, called: str, a: Any, b: Any) -> Any:
        return self._columns_or_flat(called, a).scaled(1 / _number(b, called))

    @staticmethod
    def _columns_or_flat(called: str, value: Any) -> Affine[Any]:
        if not isinstance(value, Affine):
            raise Unsupported(f"the operation {called}")
        return value

    def _do_getitem(self, called: str, value: Any, index: Any) -> Any:
        if isinstance(value, tuple):  # a shape
            return value[index]
        if isinstance(value, Affine) and not value.flat and isinstance(index, tuple) and len(index) == 2:
            rows, columns = index
            if rows in (slice(None), Ellipsis) and isinstance(columns, slice):
                return value.columns(columns)
        raise Unsupported(f"a part of a value ({called})")

    def _do_size(self, called: str, value: Any, dim: Any = None) -> Any:
        shape = self._attribute(called, value, "shape")
        return shape if dim is None else shape[dim]

    def _do_dim(self, called: str, value: Any) -> Any:
        return 1 if self._columns_or_flat(called, value).flat else 2

    def _do_max(self, called: str, value: Any, *args: Any, **kwargs: Any) -> Any:
        if value == _Named("batch") and not args and not kwargs:
            return _Named("largest")
        raise Unsupported(f"the operation {called}")

    def _do_item(self, called: str, value: Any) -> Any:
        if value == _Named("largest"):
            return value
        raise Unsupported(f"the operation {called}")

    def _do_scatter(
        self, called: str, src: Any, index: Any, dim: int = 0, dim_size: Any = None, reduce: str = "sum"
    ) -> Any:
        return self._pool(f"pooling in {called.split(' in ')[1]}" if " in " in called else "pooling",
                          src, index, dim, dim_size, reduce)  # fmt: skip

    # Shapes: one column may lose its dimension.

    def _do_squeeze(self, called: str, value: Any, dim: Any = None) -> Any:
        value = self._columns_or_flat(called, value)
        if value.flat or value.width > 1 and dim != 0:
            return value
        if dim in (None, 1, -1):
            return Affine(value.parts, value.shift, True)
        raise Unsupported(f"the operation {called}")

    def _do_unsqueeze(self, called: str, value: Any, dim: int) -> Any:
        value = self._columns_or_flat(called, value)
        if value.flat and dim in (1, -1):
            return Affine(value.parts, value.shift)
        raise Unsupported(f"the operation {called}")

    def _do_flatten(self, called: str, value: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
        value = self._columns_or_flat(called, value)
        if value.flat or (start_dim in (1, -1) and end_dim in (1, -1)):
            return value
        return self._do_reshape(called, value, -1)

    def _do_reshape(self, called: str, value: Any, *shape: Any) -> Any:
        value = self._columns_or_flat(called, value)
        if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
            shape = tuple(shape[0])
        rows = (-1, _Named("num_nodes" if _is_nodes(value) else "num_graphs"))
        if len(shape) == 1 and shape[0] in rows and value.width == 1:
            return Affine(value.parts, value.shift, True)
        whole = len(shape) == 2 and shape[0] in rows and (shape[1] == value.width or shape[1] == -1)
        if whole and shape != (-1, -1):
            return Affine(value.parts, value.shift)
        raise Unsupported(f"the operation {called} to another shape")

    # The answer.

    def _do_log_softmax(self, called: str, value: Any, dim: Any = None, **_: Any) -> Any:
        return self._closed(called, value, dim, "log_softmax")

    def _do_softmax(self, called: str, value: Any, dim: Any = None, **_: Any) -> Any:
        return self._closed(called, value, dim, "softmax")

    @staticmethod
    def _closed(called: str, value: Any, dim: Any, name: str) -> Any:
        if isinstance(value, Answer) and (value.closing, name) == ("log_softmax", "log_softmax"):
            return value
        graphs = isinstance(value, Affine) and not _is_nodes(value) and not value.flat
        if not graphs or dim not in (None, 1, -1) or value.width < 2:
            raise Unsupported(f"{called} is not over the classes of each graph")
        return Answer(value, name)

    @staticmethod
    def _do_log(called: str, value: Any) -> Any:
        if isinstance(value, Answer) and value.closing == "softmax":
            return Answer(value.logits, "log_softmax")
        raise Unsupported(f"the operation {called}")


def _activation(name: str, called: str, args: Any, kwargs: Any) -> Activation:
    option, number = _ACTIVATIONS[name]
    given = dict(kwargs)
    given.pop("input", None)
    given.pop("inplace", None)
    if len(args) > 1:
        given.setdefault(option, args[1])
    if name == "gelu":
        return Activation("gelu" if given.get("approximate", "none") == "none" else "gelu_tanh")
    value = given.pop(option, number) if option else None
    if any(v is not None for v in given.values()) and name != "elu":
        raise Unsupported(f"{called} with options")
    if name == "elu" and any(given.get(o, 1) != 1 for o in ("scale", "input_scale")):
        raise Unsupported(f"{called} with options")
    return Activation(name, None if value is None else float(value))


def _number(value: Any, called: str) -> np.ndarray:
    """A number, or one for each column."""
    if isinstance(value, (bool, int, float)):
        return np.array([float(value)])
    if isinstance(value, torch.Tensor) and (value.dim() <= 1 or value.shape[:-1].numel() == 1):
        return _array(value).reshape(-1)
    raise Unsupported(f"the operation {called} of two values")


def _is_nodes(value: Affine[Any]) -> bool:
    return all(isinstance(key, Layer) for key in value.parts)


def _leaves(values: Any) -> list[Any]:
    if isinstance(values, (tuple, list)):
        return [leaf for value in values for leaf in _leaves(value)]
    if isinstance(values, dict):
        return _leaves(list(values.values()))
    if isinstance(values, slice):
        return _leaves([values.start, values.stop, values.step])
    return [values]


def _is_of_graphs(value: Any) -> bool:
    return isinstance(value, (Affine, Answer, Rows, _Named))


def _is_of_rows(value: Any) -> bool:
    return isinstance(value, Rows) or value == _Named("num_nodes") or not _is_of_graphs(value)


def _two_columns(rows: Rows, called: str) -> Rows:
    table = rows.table
    if rows.of_edges or table.dim() != 2 or not table.is_floating_point():
        raise Unsupported(f"{called} gets something else than rows of features of nodes")
    return rows


def _is_in_place(node: fx.Node, kwargs: Any) -> bool:
    if node.op == "call_module" or not node.args:
        return False
    name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
    return name.endswith("_") and not name.endswith("__") or kwargs.get("inplace") is True \
        or node.target in (operator.iadd, operator.imul)  # fmt: skip


def _size_of_rows(node: fx.Node, args: Any) -> Any:
    """Sizes of rows are numbers, but for how many rows there are."""
    rows = args[0] if args else None
    if not isinstance(rows, Rows):
        return None
    shape = (_Named("num_edges" if rows.of_edges else "num_nodes"), *rows.table.shape[1:])
    if node.op == "call_method" and node.target == "size":
        return shape if len(args) == 1 else shape[args[1]]
    if node.op == "call_method" and node.target == "dim":
        return rows.table.dim()
    if node.op == "call_function" and node.target is getattr:
        if args[1] == "shape":
            return shape
        if args[1] in ("device", "dtype", "is_cuda", "ndim"):
            return getattr(rows.table, args[1])
    return None


def _shared(value: Any) -> Any:
    """Something that several operations read: a layer that is the same for all of them."""
    if not isinstance(value, Affine) or not _is_nodes(value):
        return value
    if len(value.parts) == 1 and not value.flat:
        layer = layer_of(value)
        value = affine_of(layer, layer.conv.outputs)
    for layer in value.parts:
        layer.kept = True
    return value


def _pooled(value: Affine[Layer], reduce: str) -> Graphs:
    """Sums and means of linear maps are maps of sums and means, and so is the maximum of columns."""
    chooses = all(
        bool(((row != 0).sum() <= 1) and (row >= 0).all()) for row in np.concatenate([*value.parts.values()], axis=1)
    )
    commutes = not value.is_shifted and (reduce != "max" or chooses)
    if not commutes and len(value.parts) == 1:
        layer = layer_of(value)
        value = affine_of(layer, layer.conv.outputs)
    elif not commutes and (reduce == "sum" or not chooses and reduce == "max"):
        raise Unsupported(f"pooling by {reduce} of a linear layer over the outputs of several layers")
    return value.moved(lambda layer: Pool(layer, reduce))
