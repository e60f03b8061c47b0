# SPDX-License-Identifier: MIT
"""What a module does, as a graph of operations (torch.fx).

Layers, norms and aggregations of PyTorch and PyTorch Geometric are single operations; models that are
made of them are looked into. A module that cannot be looked into is a single operation, too.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
import torch_geometric
from torch import fx, nn
from torch_geometric.nn import MLP, Aggregation, MessagePassing
from torch_geometric.nn import Sequential as PygSequential
from torch_geometric.nn.models.basic_gnn import BasicGNN
from torch_geometric.utils import scatter as _plain_scatter

from ._result import Unsupported

__all__ = ["Trace", "trace_model", "trace_rows"]

_LOOKED_INTO = (nn.Sequential, PygSequential, BasicGNN, MLP)
# A name that torch.fx does not put its own function behind: it looks at the names of this module, too.
#: torch.fx changes classes of PyTorch while it looks.
_ONE_AT_A_TIME = threading.RLock()

_PLACES_OF_SCATTER = ("torch_geometric.nn.pool.glob", "torch_geometric.utils", "torch_geometric.utils._scatter")


@dataclass(frozen=True)
class Trace:
    graph: fx.Graph
    root: nn.Module
    #: Why a module was not looked into, by its name.
    failures: dict[str, str]


class _Given:
    """What a module that takes a batch of PyTorch Geometric gets while it is traced."""

    def __init__(self, attributes: dict[str, Any]) -> None:
        self.__dict__.update(attributes)

    def __getattr__(self, name: str) -> Any:
        theirs = getattr(torch_geometric.data.Data, name, None)
        if isinstance(theirs, property) and name in ("edge_weight", "edge_attr", "y", "pos", "time", "face"):
            return None
        if theirs is None and name not in ("ptr", "num_edges"):
            raise AttributeError(name)
        raise Unsupported(f"it reads {name} of its batch")

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __contains__(self, name: str) -> bool:
        return name in self.__dict__


class _Root(nn.Module):
    """The module, with an input for all that a batch has."""

    def __init__(self, module: nn.Module, inputs: tuple[str, ...], edges: bool, features: int) -> None:
        super().__init__()
        self.module = module
        self._inputs, self._edges, self._features = inputs, edges, features

    def forward(
        self, x: Any, edge_index: Any, edge_attr: Any, batch: Any, num_graphs: Any, num_nodes: Any
    ) -> Any:
        given = {"x": x, "edge_index": edge_index, "batch": batch, "num_graphs": num_graphs}
        if self._edges:
            given["edge_attr"] = edge_attr
        if self._inputs == ("data",):
            more = {"num_nodes": num_nodes, "batch_size": num_graphs, "num_features": self._features,
                    "num_node_features": self._features}  # fmt: skip
            return self.module(_Given({**given, **more}))
        return self.module(*(given.get(name) for name in self._inputs))


class _RowRoot(nn.Module):
    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, rows: Any) -> Any:
        return self.module(rows)


class _Tracer(fx.Tracer):
    def __init__(self) -> None:
        super().__init__(autowrap_functions=(_plain_scatter,))
        self.failures: dict[str, str] = {}

    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        if isinstance(m, _LOOKED_INTO):
            return False
        home = type(m).__module__
        known = home.startswith(("torch.", "torch_geometric."))
        return known or isinstance(m, (MessagePassing, torch.jit.ScriptModule))

    def call_module(
        self, m: nn.Module, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        before = next(iter(reversed(self.graph.nodes)))
        stack = self.module_stack.copy()
        path = self.path_of_module(m)
        try:
            return super().call_module(m, forward, args, kwargs)
        except Exception as trouble:  # noqa: BLE001  # whatever a module does with what is no tensor
            if path == "module":
                raise
            for node in reversed(self.graph.nodes):
                if node is before:
                    break
                self.graph.erase_node(node)
            self.module_stack = stack
            self.failures[path] = _in_words(trouble)
            return self.create_proxy("call_module", path, args, kwargs)


def _in_words(trouble: Exception) -> str:
    if isinstance(trouble, Unsupported):
        return str(trouble)
    if isinstance(trouble, fx.proxy.TraceError):
        return "what it does depends on values, which tracing does not know"
    return f"tracing it fails: {type(trouble).__name__}: {str(trouble).strip().splitlines()[0] if str(trouble) else ''}"


def _scatter(src: Any, index: Any, dim: int = 0, dim_size: Any = None, reduce: str = "sum") -> Any:
    """As an operation of the graph."""
    for value in (src, index):
        if isinstance(value, fx.Proxy):
            return value.tracer.create_proxy(
                "call_function", _plain_scatter, (src, index, dim, dim_size, reduce), {}
            )
    return _plain_scatter(src, index, dim, dim_size, reduce)


def _aggregate(self: Any, *args: Any, **kwargs: Any) -> Any:
    """Without the checks of values that an Aggregation makes when it is called."""
    return nn.Module.__call__(self, *args, **kwargs)


@contextlib.contextmanager
def _operations() -> Iterator[None]:
    """While it lasts, PyTorch Geometric's pooling leaves one operation, by whatever name it is called."""
    before: list[tuple[Any, str, Any]] = []

    def put(where: Any, name: str, what: Any) -> None:
        before.append((where, name, getattr(where, name)))
        setattr(where, name, what)

    with _ONE_AT_A_TIME:
        try:
            for place in _PLACES_OF_SCATTER:
                if getattr(sys.modules.get(place), "scatter", None) is _plain_scatter:
                    put(sys.modules[place], "scatter", _scatter)
            put(Aggregation, "__call__", _aggregate)
            yield
        finally:
            for where, name, what in reversed(before):
                setattr(where, name, what)


def _is_traced(value: Any) -> bool:
    """Does it remember something of the forward pass, and nothing else?"""
    if isinstance(value, (list, tuple)):
        return all(_is_traced(part) for part in value)
    return isinstance(value, fx.Proxy)


def _is_same(now: Any, before: Any) -> bool:
    plain = isinstance(now, (bool, int, float, str)) and type(now) is type(before)
    return now is before or plain and bool(now == before)


def _differences(now: Any, before: Any) -> list[Any]:
    """What is in a list, dict or set, and was not."""
    if isinstance(now, dict):
        return [value for name, value in now.items() if name not in before or before[name] is not value]
    known = {id(value) for value in before}
    return [value for value in now if id(value) not in known]


class _Memory:
    """What a module holds, to be put back: it may remember its forward pass, which was none.

    A module that counts, or changes otherwise, may answer otherwise the next time.
    """

    def __init__(self, module: nn.Module) -> None:
        self._attributes = [(part, dict(vars(part))) for part in module.modules()]
        self._inside = [(value, value.copy()) for _, held in self._attributes for value in held.values()
                        if isinstance(value, (list, dict, set))]  # fmt: skip

    def put_back(self) -> list[str]:
        """Returns the names of what changed otherwise."""
        changed: list[str] = []
        for part, held in self._attributes:
            now = vars(part)
            changed += [name for name, value in now.items()
                        if not _is_same(value, held.get(name)) and not _is_traced(value)]  # fmt: skip
            for name in set(now) - set(held):
                del now[name]
            now.update({name: value for name, value in held.items() if now.get(name) is not value})
        for value, before in self._inside:
            more = _differences(value, before)
            if not more and len(value) == len(before):
                continue
            if not more or not all(_is_traced(item) for item in more):
                names = {name for _, held in self._attributes for name in held if held[name] is value}
                changed += sorted(names)
            value.clear()
            value.extend(before) if isinstance(value, list) else value.update(before)
        return changed


def _trace(root: nn.Module, module: nn.Module) -> Trace:
    tracer = _Tracer()
    memory = _Memory(module)
    try:
        with _operations():
            graph = tracer.trace(root)
    except Exception as trouble:  # noqa: BLE001  # whatever a module does with what is no tensor
        memory.put_back()
        raise Unsupported(_in_words(trouble)) from trouble
    changed = memory.put_back()
    if changed:
        raise Unsupported(f"its forward changes {changed[0]}, on which its answer may depend")
    return Trace(graph, root, tracer.failures)


def trace_model(module: nn.Module, inputs: tuple[str, ...], edges: bool, features: int) -> Trace:
    """Of a module of graphs. Raises Unsupported."""
    return _trace(_Root(module, inputs, edges, features), module)


def trace_rows(module: nn.Module) -> Trace:
    """Of one that takes rows, each by itself. Raises Unsupported."""
    return _trace(_RowRoot(module), module)
