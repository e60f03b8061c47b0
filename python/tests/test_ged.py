# SPDX-License-Identifier: MIT
"""Edit distances of all kinds of graphs, against networkx."""

from __future__ import annotations

import pickle
from typing import Any

import networkx as nx
import numpy as np
import pytest
from torch_geometric.data import Data

import fewedits as fe


def random_graph(seed: int, nodes: int = 6) -> nx.Graph:
    rng = np.random.default_rng(seed)
    graph = nx.gnp_random_graph(nodes, 0.4, seed=seed)
    for node in graph:
        graph.nodes[node]["label"] = int(rng.integers(3))
    return graph


def test_distances_are_those_of_networkx() -> None:
    graphs = [random_graph(seed) for seed in range(6)]
    matrix = fe.ged_matrix(graphs, threads=1)
    for i, a in enumerate(graphs):
        for j, b in enumerate(graphs[: i + 1]):
            expected = nx.graph_edit_distance(a, b, node_match=lambda p, q: p["label"] == q["label"])
            assert matrix.distance[i, j] == matrix.distance[j, i] == expected
            assert matrix.lower[i, j] == matrix.upper[i, j] == expected


def test_the_script_leads_from_the_one_to_the_other() -> None:
    a, b = random_graph(1, 8), random_graph(2, 7)
    found = fe.ged(a, b)
    assert found.is_exact and len(found.script) == found.distance == float(found)
    assert found.script.replay(fe.dataset([a, b])[0]).is_isomorphic(fe.dataset([a, b])[1])
    assert len(found.edits()) == found.distance
    assert 0 < found.normalized <= 1


def test_labels_of_edges_count_if_asked() -> None:
    path = ([0, 0, 0], [(0, 1), (1, 2)], [1, 1])
    other = ([0, 0, 0], [(0, 1), (1, 2)], [1, 2])
    assert fe.ged(path, other).distance == 0
    assert fe.ged(path, other, edge_labels=True).distance == 1
    assert fe.ged(path, other, edge_labels=True).edits() == ["relabel edge 1–2 from 1 to 2"]


def test_costs_are_the_users() -> None:
    a: Any = ([0], [])
    b: Any = ([0, 0], [])
    assert fe.ged(a, b).distance == 1
    assert fe.ged(a, b, costs={"insert_node": 7}).distance == 7
    assert fe.ged(b, a, costs={"insert_node": 7}).distance == 1
    with pytest.raises(fe.Error, match="no cost called"):
        fe.ged(a, b, costs={"move_node": 1})


def test_within_asks_less() -> None:
    graphs = [random_graph(seed) for seed in range(8)]
    exact = fe.ged_matrix(graphs, threads=1)
    near = fe.ged_matrix(graphs, within=0.2, threads=1)
    sizes = np.array([g.number_of_nodes() + g.number_of_edges() for g in graphs])
    assert near.within is not None and near.complete
    assert np.array_equal(near.within, exact.distance <= 0.2 * (sizes[:, None] + sizes[None, :]))
    assert near.within.diagonal().all()


def test_a_small_budget_gives_bounds() -> None:
    rng = np.random.default_rng(5)
    a, b = (
        ([0] * 24, [(u, v) for u in range(24) for v in range(u) if rng.random() < 0.3]) for _ in range(2)
    )
    found = fe.ged(a, b, work=1000)
    assert found.lower < found.upper and found.status == "bounds"
    with pytest.raises(fe.Error, match="is between") as caught:
        _ = found.distance
    assert "work=" in caught.value.remedy


def test_two_kinds_of_graphs_of_one_family() -> None:
    import torch

    data = [
        Data(x=torch.eye(3)[[0, 1]], edge_index=torch.tensor([[0, 1], [1, 0]])),
        Data(x=torch.eye(3)[[0, 1, 2]], edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])),
    ]
    assert fe.ged(data[0], data[1]).distance == 2
    assert fe.ged(data[0], data[1]).edits() == ["add node 2 (2)", "add edge 1–2"]


def test_other_distances_have_their_options() -> None:
    graphs = fe.generate(6, seed=1)
    [measure] = fe.distances(graphs, [(0, 1)], method="wl", wl_iterations=2, threads=1)
    [other] = fe.distances(graphs, [(0, 1)], method="wl", wl_iterations=0, threads=1)
    assert 0 < other.distance < measure.distance
    with pytest.raises(fe.Error, match="no option called 'rw-length'"):
        fe.distances(graphs, [(0, 1)], method="wl", rw_length=3)
    with pytest.raises(fe.Error, match="there is no graph 9"):
        fe.distances(graphs, [(0, 9)])
    [exact] = fe.distances(graphs, [(0, 1)], threads=1)
    assert exact.status == "exact" and exact.distance == fe.ged(graphs[0], graphs[1]).distance


def test_what_is_no_graph_is_refused() -> None:
    with pytest.raises(fe.Error, match="a int is no graph"):
        fe.ged(1, 2)


def test_distances_are_pickled() -> None:
    found = fe.ged(nx.cycle_graph(5), nx.path_graph(5))
    back = pickle.loads(pickle.dumps(found))
    assert back.edits() == found.edits() and back.script == found.script and back.distance == found.distance
