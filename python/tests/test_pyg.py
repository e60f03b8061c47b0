# SPDX-License-Identifier: MIT
"""PyTorch Geometric's own interface."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn
from torch_geometric.explain import Explainer

import fewedits as fe
from fewedits.pyg import CounterfactualExplainer


def explainer(model: nn.Module, **how: Any) -> Explainer:
    return Explainer(
        model, algorithm=CounterfactualExplainer(**how), explanation_type="model", node_mask_type="object",
        edge_mask_type="object",
        model_config={"mode": "multiclass_classification", "task_level": "graph", "return_type": "raw"},
    )  # fmt: skip


def test_a_graph_gets_its_counterfactual_and_the_proof(items: list[Any], gcn: nn.Module) -> None:
    explained = 0
    for item in items[:12]:
        batch = torch.zeros(item.num_nodes, dtype=torch.long)
        with torch.no_grad():
            before = int(gcn(item.x, item.edge_index, batch).argmax())
        found = explainer(gcn)(item.x, item.edge_index, batch=batch)
        if not found.found:
            assert not found.edge_mask.any() and not found.node_mask.any()
            continue
        explained += 1
        other = found.counterfactual
        with torch.no_grad():
            after = gcn(other.x, other.edge_index, torch.zeros(other.num_nodes, dtype=torch.long))
        assert int(after.argmax()) == found.desired == 1 - before
        kinds = [op[0] for op in found.proof.ops]
        assert len(found.edits) == len(kinds) > 0
        assert int(found.edge_mask.sum()) == 2 * sum(k in ("delete_edge", "relabel_edge") for k in kinds)
        assert int(found.node_mask.sum()) == sum(k in ("delete_node", "relabel_node") for k in kinds)
        assert found.added_nodes == kinds.count("insert_node")
        assert 0 < found.distance < 1
        assert found.validate()
    assert explained > 6


def test_labels_may_be_those_of_a_dataset(items: list[Any], gcn: nn.Module) -> None:
    plain = [item.clone() for item in items]
    for item in plain:
        item.edge_attr = None
    item = plain[0]
    batch = torch.zeros(item.num_nodes, dtype=torch.long)
    how = {"data": fe.dataset(plain), "constraints": ["labels=0,1,3"]}
    found = explainer(gcn, **how)(item.x, item.edge_index, batch=batch)
    assert found.found == (found.counterfactual is not None)
    labels = {0, 1, 3} | set(item.x.argmax(1).tolist())
    assert found.found is False or set(found.counterfactual.x.argmax(1).tolist()) <= labels


def test_what_it_cannot_do_is_refused(items: list[Any], gcn: nn.Module) -> None:
    with pytest.raises(ValueError, match="does not support the given explanation settings"):
        Explainer(
            gcn, algorithm=CounterfactualExplainer(), explanation_type="model", node_mask_type="attributes",
            edge_mask_type="object",
            model_config={"mode": "multiclass_classification", "task_level": "node", "return_type": "raw"},
        )  # fmt: skip
    item = items[0]
    two = torch.zeros(item.num_nodes, dtype=torch.long)
    two[-1] = 1
    with pytest.raises(fe.Error, match="explain one graph at a time"):
        explainer(gcn)(item.x, item.edge_index, batch=two)
