# SPDX-License-Identifier: MIT
"""Graphs of other programs in, and back out."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.datasets import TUDataset

import fewedits as fe


def path_graph(x: torch.Tensor, **more: Any) -> Data:
    """Nodes in a row."""
    ends = torch.arange(len(x) - 1)
    edge_index = torch.stack([torch.cat([ends, ends + 1]), torch.cat([ends + 1, ends])])
    return Data(x=x, edge_index=edge_index, **more)


def test_one_hot_features_are_labels() -> None:
    data = fe.dataset([path_graph(torch.eye(4)[[3, 1, 1]], y=torch.tensor([1])),
                       path_graph(torch.eye(4)[[0, 1]], y=torch.tensor([0]))])  # fmt: skip
    assert data.node_names == ["0", "1", "3"]
    assert data[0].labels.tolist() == [2, 1, 1]
    assert data.classes is not None and data.classes.tolist() == [1, 0]
    assert torch.equal(data.to_pyg(data[0]).x, torch.eye(4)[[3, 1, 1]])


def test_a_column_of_whole_numbers_is_labels() -> None:
    data = fe.dataset([path_graph(torch.tensor([[6], [8], [6]]))])
    assert data.node_names == ["6", "8"]
    assert data.to_pyg(data[0]).x.tolist() == [[6], [8], [6]]


def test_a_label_may_be_a_column_an_attribute_or_a_function() -> None:
    x = torch.tensor([[0.5, 1.0], [0.25, 2.0]])
    item = path_graph(x, z=torch.tensor([4, 9]))
    assert fe.dataset([item], node_label=1).node_names == ["1", "2"]
    assert fe.dataset([item], node_label="z").node_names == ["4", "9"]
    assert fe.dataset([item], node_label="rows").node_names == ["0", "1"]
    assert fe.dataset([item], node_label=lambda g: ["a", "b"][: g.num_nodes]).node_names == ["a", "b"]


def test_features_that_say_no_labels_are_refused_with_a_way_out() -> None:
    with pytest.raises(fe.Error, match="neither one-hot nor a column of whole numbers") as caught:
        fe.dataset([path_graph(torch.tensor([[0.5, 1.0], [0.25, 2.0]]))])
    assert "node_label=" in caught.value.remedy and "features=" in caught.value.remedy
    item = path_graph(torch.eye(2))
    item.x = None
    with pytest.raises(fe.Error, match="x is None"):
        fe.dataset([item])


def test_features_of_an_edited_node_need_a_function() -> None:
    item = path_graph(torch.tensor([[0.5, 1.0], [0.25, 1.0]]))
    data = fe.dataset([item], node_label=1)
    with pytest.raises(fe.Error, match="nothing says what an edited node's features are"):
        data.to_pyg(data[0])
    degrees = fe.dataset(
        [item], node_label=1, features=lambda b: np.bincount(b.edge_index[0], minlength=b.num_nodes)
    )
    assert degrees.to_pyg(degrees[0]).x.tolist() == [[1], [1]]


def test_edges_have_labels_alike() -> None:
    item = path_graph(torch.eye(2), edge_attr=torch.eye(3)[[2, 2]])
    data = fe.dataset([item], edge_names=["single", "double", "triple"])
    assert data.edge_names == ["triple"]
    assert data.to_pyg(data[0]).edge_attr.tolist() == [[0, 0, 1], [0, 0, 1]]
    vague = path_graph(torch.eye(2), edge_attr=torch.tensor([[0.1], [0.1]]))
    assert fe.dataset([vague]).edge_names == []
    assert any("edges have no labels" in note for note in fe.dataset([vague]).notes)


def test_a_data_list_goes_there_and_back(items: list[Any]) -> None:
    data = fe.dataset(items)
    for i in (0, 17, 199):
        back = data.to_pyg(data[i])
        assert torch.equal(back.x, items[i].x)
        order = np.lexsort(items[i].edge_index.numpy()[::-1])
        assert np.array_equal(back.edge_index.numpy(), items[i].edge_index.numpy()[:, order])
        assert torch.equal(back.edge_attr, items[i].edge_attr[order])


def write_tu(folder: Path) -> None:
    """Two molecules of three and two atoms in the TU format, as MUTAG names its atoms."""
    raw = folder / "MUTAG" / "raw"
    raw.mkdir(parents=True)
    texts = {
        "A": "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n",
        "graph_indicator": "1\n1\n1\n2\n2\n",
        "graph_labels": "1\n-1\n",
        "node_labels": "0\n1\n6\n0\n0\n",
        "edge_labels": "1\n1\n2\n2\n1\n1\n",
    }
    for name, text in texts.items():
        (raw / f"MUTAG_{name}.txt").write_text(text)


def test_a_tu_dataset_of_pyg(tmp_path: Path) -> None:
    write_tu(tmp_path)
    data = fe.dataset(TUDataset(str(tmp_path), "MUTAG"))
    assert data.name == "MUTAG" and len(data) == 2
    # All seven atoms that MUTAG has are columns: they have their names, and bonds, too.
    assert data.node_names == ["C", "N", "Br"]
    assert data.is_molecular
    assert data.classes is not None and data.classes.tolist() == [1, 0]


def test_a_tu_folder(tmp_path: Path, planted: fe.Dataset) -> None:
    folder = tmp_path / "planted"
    planted.save(folder, desired=1)
    data = fe.dataset(folder)
    assert len(data) == len(planted) and data[5] == planted[5]
    # Labels that no graph has are in no file.
    assert data.node_names == planted.node_names[: len(data.node_names)]
    with pytest.raises(fe.Error, match="no such file or folder") as caught:
        fe.dataset(tmp_path / "nothing")
    assert caught.value.file == str(tmp_path / "nothing")


def test_a_dataset_file(tmp_path: Path, planted: fe.Dataset) -> None:
    file = tmp_path / "planted.few"
    planted.save(file, desired=1)
    data = fe.dataset(file)
    assert len(data) == len(planted) and all(a == b for a, b in zip(data, planted, strict=True))
    assert data.is_molecular and data.classes is not None and planted.classes is not None
    assert data.classes.tolist() == planted.classes.tolist()
    again = tmp_path / "again.few"
    fe.open_dataset(file).save(again, desired=1)
    assert len(again.read_bytes()) <= len(file.read_bytes())
    bytes_ = bytearray(file.read_bytes())
    bytes_[-1] ^= 1
    file.write_bytes(bytes_)
    with pytest.raises(fe.Error, match="checksum") as caught:
        fe.dataset(file)
    assert caught.value.file == str(file)


def test_graphs_of_networkx() -> None:
    a = nx.Graph([("u", "v"), ("v", "w")], y=1)
    b = nx.Graph([(0, 1)], y=0)
    for graph, names in ((a, "CNC"), (b, "CC")):
        for node, name in zip(graph, names, strict=True):
            graph.nodes[node]["element"] = name
    data = fe.dataset([a, b], node_label="element")
    assert data.node_names == ["C", "N"] and data[0].labels.tolist() == [0, 1, 0]
    assert data.classes is not None and data.classes.tolist() == [1, 0]
    back = data.to_networkx(data[0])
    assert [back.nodes[v]["label"] for v in back] == ["C", "N", "C"]
    with pytest.raises(fe.Error, match="is directed"):
        fe.dataset([nx.DiGraph([(0, 1)])])
    with pytest.raises(fe.Error, match="no node has the attribute"):
        fe.dataset([nx.Graph([(0, 1)])], node_label="element")


def test_arrays_and_more_with_the_same_labels() -> None:
    data = fe.dataset([(["C", "O"], [(0, 1)]), (["C", "N"], [(0, 1)])], classes=[0, 1])
    assert data.node_names == ["C", "N", "O"]
    more = data.read_more([(["O", "O"], [(0, 1)])])
    assert more[0].labels.tolist() == [2, 2]
    with pytest.raises(fe.Error, match="label of nodes 'F' that the dataset does not have"):
        data.read_more([(["F"], [])])


@pytest.mark.parametrize(
    ("graphs", "says"),
    [
        ([([0, 0], [(0, 5)])], "names the node 5, but it has 2 nodes"),
        ([([0, 0], [(0, 1)], [])], "1 edges and 0 labels"),
        ([([0], []), ([0], [], [])], "or all are triples"),
        ([], "is no set of graphs, or has none"),
        (3, "is no set of graphs"),
        ([3], "a list of int is no set of graphs"),
    ],
)
def test_what_is_no_set_of_graphs_is_refused(graphs: Any, says: str) -> None:
    with pytest.raises(fe.Error, match=says):
        fe.dataset(graphs)


def test_what_is_normalised_is_told() -> None:
    item = Data(x=torch.eye(2), edge_index=torch.tensor([[0, 0, 0], [0, 1, 1]]))
    notes = fe.dataset([item]).notes
    assert any("self loop" in note for note in notes)
    assert any("one direction only" in note for note in notes)


def test_rare_labels_are_left_out_if_asked() -> None:
    graphs = [([0, 0], [(0, 1)])] * 3 + [([0, 1], [(0, 1)])]
    data = fe.dataset(graphs, rare_label_threshold=1)
    assert len(data) == 3 and data.node_names == ["0"]
    with pytest.raises(fe.Error, match="leaves out the labels 1"):
        data.read_more([([0, 1], [(0, 1)])])


def test_datasets_are_pickled(items: list[Any]) -> None:
    data = fe.dataset(items)
    back = pickle.loads(pickle.dumps(data))
    assert len(back) == len(data) and back[3] == data[3]
    assert back.core.fingerprint() == data.core.fingerprint()
    assert torch.equal(back.to_pyg(back[0]).x, items[0].x)
