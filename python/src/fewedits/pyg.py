# SPDX-License-Identifier: MIT
"""PyTorch Geometric's own interface: a counterfactual for one graph, by ``torch_geometric.explain``.

    explainer = Explainer(
        model, algorithm=fewedits.pyg.CounterfactualExplainer(),
        explanation_type="model", edge_mask_type="object", node_mask_type="object",
        model_config={"mode": "multiclass_classification", "task_level": "graph", "return_type": "raw"},
    )
    explanation = explainer(data.x, data.edge_index, batch=torch.zeros(data.num_nodes, dtype=torch.long))
    explanation.counterfactual, explanation.edits      # what the graph becomes, and how
"""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import torch
from torch_geometric.data import Data
from torch_geometric.explain import Explanation
from torch_geometric.explain.algorithm import ExplainerAlgorithm
from torch_geometric.explain.config import MaskType, ModelTaskLevel

from . import _core
from ._errors import error
from ._lists import LabelTable, keys_of_rows
from .answers import local_recourses
from .data import Dataset, _Reading
from .models import open_model

__all__ = ["CounterfactualExplainer"]


class CounterfactualExplainer(ExplainerAlgorithm):  # type: ignore[misc]
    """The few edits that make a model give one graph another class.

    The ``Explanation`` marks what the edits remove or relabel: 1 in ``node_mask`` for nodes, in
    ``edge_mask`` for both directions of edges. It also has ``found`` (else nothing is marked),
    ``counterfactual`` (a ``Data``), ``probability`` (of its class, by the model), ``desired`` (that
    class), ``edits`` (in words), ``distance`` (edits over the sizes of both graphs), and ``proof``: the
    edits as a :class:`fewedits.EditScript`, replayed and checked. ``added_nodes`` and ``added_edges``
    say how many there are that no mask can mark.

    ``desired`` is the class to reach; unset, the one that is most probable beside the target.
    ``method`` is ``"search"``, ``"cff"`` or ``"rcexplainer"``. ``data`` is a dataset whose labels nodes
    may get; without it these are the columns of ``x``, which must be one-hot. ``constraints`` are those
    of :func:`fewedits.explain`.
    """

    def __init__(
        self,
        *,
        desired: int | None = None,
        method: str = "search",
        data: Dataset | None = None,
        constraints: list[str] | None = None,
        freeze: list[int] | None = None,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.desired = desired
        self.method = method
        self.data = data
        self.constraints = constraints
        self.freeze = freeze or []

    def supports(self) -> bool:
        if self.model_config.task_level != ModelTaskLevel.graph:
            logging.error("CounterfactualExplainer explains models of whole graphs only")
            return False
        masks = (self.explainer_config.node_mask_type, self.explainer_config.edge_mask_type)
        if any(mask not in (None, MaskType.object) for mask in masks):
            logging.error("CounterfactualExplainer marks nodes and edges as wholes (mask type 'object')")
            return False
        return True

    def forward(
        self,
        model: torch.nn.Module,
        x: torch.Tensor,
        edge_index: torch.Tensor,
        *,
        target: torch.Tensor,
        index: int | torch.Tensor | None = None,
        **kwargs: Any,
    ) -> Explanation:
        if index is not None:
            raise error("an index names a part of an output", "explain one graph at a time")
        batch = kwargs.get("batch")
        if batch is not None and int(batch.max()) > 0:
            raise error("these are several graphs", "explain one graph at a time")
        edge_attr = kwargs.get("edge_attr")
        item = Data(x=x, edge_index=edge_index)
        if edge_attr is not None:
            item.edge_attr = edge_attr
        data = self.data.read_more(item) if self.data is not None else _alone(item)
        opened = open_model(model, data, 0, required=False)
        desired = self._desired(opened.core, opened.data, int(target.reshape(-1)[0]))
        opened = open_model(model, data, f"model:{desired}", native=opened.kind == "native")
        [found] = local_recourses(
            None, data, opened, [0], method=self.method, constraints=self.constraints,
            freeze=self.freeze, bonds=opened.reads_edges and edge_attr is not None,
        )  # fmt: skip
        return self._explanation(item, found, desired)

    def _desired(self, model: _core.Classifier, data: _core.Dataset, target: int) -> int:
        if self.desired is not None:
            return self.desired
        row = model.log_probabilities([data[0]])[0]
        by_column = np.empty_like(row)
        for c, value in enumerate(row):
            by_column[model.column_of(c)] = value
        by_column[target] = -np.inf
        return int(by_column.argmax())

    def _explanation(self, item: Data, found: Any, desired: int) -> Explanation:
        nodes = torch.zeros(item.num_nodes, 1)
        edges = torch.zeros(item.edge_index.shape[1])
        ops = [] if found.script is None else found.script.ops
        added = {"insert_node": 0, "insert_edge": 0}
        for kind, u, v, _ in ops:
            if kind in ("delete_node", "relabel_node"):
                nodes[u] = 1
            elif kind in ("delete_edge", "relabel_edge"):
                a, b = item.edge_index.cpu()
                edges[((a == u) & (b == v)) | ((a == v) & (b == u))] = 1
            else:
                added[kind] += 1
        masks: dict[str, Any] = {}
        if self.explainer_config.node_mask_type is not None:
            masks["node_mask"] = nodes.to(item.x.device)
        if self.explainer_config.edge_mask_type is not None:
            masks["edge_mask"] = edges.to(item.x.device)
        return Explanation(
            **masks,
            found=found.target is not None,
            desired=desired,
            counterfactual=None if found.target is None else found.to_pyg(),
            edits=[] if found.script is None else found.in_words(),
            proof=found.script,
            distance=found.distance,
            added_nodes=added["insert_node"],
            added_edges=added["insert_edge"],
        )


def _alone(item: Data) -> Dataset:
    """One graph, whose nodes may get any label that x has a column for."""
    rows = item.x.detach().cpu().numpy()
    keys = keys_of_rows(rows, None, "nodes", "x")
    table = _table(rows, keys)
    edges: LabelTable | None = None
    lines = item.edge_index.detach().cpu().numpy()
    order = lines[0] < lines[1]
    edge_labels = None
    if getattr(item, "edge_attr", None) is not None:
        attributes = item.edge_attr.detach().cpu().numpy()
        edge_keys = keys_of_rows(attributes, None, "edges", "edge_attr")
        edges = _table(attributes, edge_keys)
        edge_labels = edges.values_of(edge_keys[order].tolist(), "label of edges").tolist()
    graph = _core.Graph(
        table.values_of(keys.tolist(), "label of nodes").tolist(),
        [(int(u), int(v)) for u, v in lines[:, order].T],
        edge_labels,
    )
    raw = _core.raw_from_graphs(
        "graph", [graph], list(enumerate(table.names)), [] if edges is None else list(enumerate(edges.names)), []
    )
    return Dataset(_Reading("pyg"), nodes=table, edges=edges, raw=raw, metadata={"name": "graph"})


def _table(rows: np.ndarray, keys: np.ndarray) -> LabelTable:
    """All columns of what is one-hot; of whole numbers those that occur."""
    if rows.ndim == 2 and rows.shape[1] > 1:
        width = rows.shape[1]
        return LabelTable(tuple(range(width)), np.eye(width, dtype=rows.dtype))
    values = np.unique(keys)
    return LabelTable(tuple(values.tolist()), values.astype(rows.dtype)[:, None])
