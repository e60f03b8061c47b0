# SPDX-License-Identifier: MIT
"""Graphs as values."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import fewedits as fe


def test_a_graph_says_what_it_was_made_of() -> None:
    graph = fe.Graph([2, 0, 1], [(2, 0), (0, 1)], [5, 6])
    assert graph.num_nodes == 3 and graph.num_edges == 2
    assert graph.labels.tolist() == [2, 0, 1]
    assert graph.edges.tolist() == [[0, 1], [0, 2]]
    assert graph.edge_labels is not None and graph.edge_labels.tolist() == [6, 5]
    assert graph.without_edge_labels().edge_labels is None


@pytest.mark.parametrize(
    ("labels", "edges", "edge_labels", "says"),
    [
        ([0, 0], [(0, 2)], None, "names a node that is not there"),
        ([0, 0], [(1, 1)], None, "is a self loop"),
        ([0, 0], [(0, 1), (1, 0)], None, "is there twice"),
        ([0, 0], [(0, 1)], [1, 2], "1 edges and 2 labels"),
    ],
)
def test_what_is_no_graph_is_refused(
    labels: list[int], edges: list[tuple[int, int]], edge_labels: list[int] | None, says: str
) -> None:
    with pytest.raises(fe.Error, match=says):
        fe.Graph(labels, edges, edge_labels)


def test_equality_is_node_by_node_and_isomorphism_is_not() -> None:
    a = fe.Graph([0, 1, 0], [(0, 1), (1, 2)])
    b = fe.Graph([1, 0, 0], [(0, 1), (0, 2)])
    assert a != b and a.is_isomorphic(b)
    assert a == fe.Graph([0, 1, 0], [(1, 0), (2, 1)])
    assert hash(a) == hash(fe.Graph([0, 1, 0], [(1, 0), (2, 1)]))
    assert not a.is_isomorphic(fe.Graph([0, 1, 1], [(0, 1), (1, 2)]))


def test_graphs_are_copied_and_pickled() -> None:
    graph = fe.Graph([2, 0, 1], [(2, 0), (0, 1)], [5, 6])
    for other in (copy.copy(graph), copy.deepcopy(graph), pickle.loads(pickle.dumps(graph))):
        assert other == graph


def test_arrays_outlive_their_graph() -> None:
    labels = fe.Graph([7] * 100, []).labels
    assert np.all(labels == 7)
