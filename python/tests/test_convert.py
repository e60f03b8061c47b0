# SPDX-License-Identifier: MIT
# What a module of PyTorch gives is Any to mypy.
# mypy: disable-error-code="no-any-return"
"""Modules of PyTorch as models of the engine: which ones, with what answers, and why others not.

Answers are compared with the engine of the package. Where there is none, FEWEDITS_CLI may name the
command line tool, which is asked in its place; with neither, comparisons are skipped.
"""

from __future__ import annotations

import csv
import importlib
import importlib.util
import json
import os
import struct
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
import torch_geometric.nn as pyg
from torch import nn
from torch_geometric.data import Batch, Data
from torch_geometric.nn import (
    GATConv,
    GCNConv,
    GINConv,
    GINEConv,
    GraphConv,
    SAGEConv,
    global_add_pool,
    global_max_pool,
    global_mean_pool,
)

from fewedits.convert import NativeModel, NotNative, Sample, to_native

torch.set_num_threads(1)

LABELS, EDGE_LABELS, WIDTH = 4, 3, 6
Tensor = torch.Tensor


# ---- Graphs


def random_graph(generator: np.random.Generator, nodes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels of nodes, pairs of nodes, labels of edges; some nodes have no neighbours."""
    pairs = [(u, v) for u in range(nodes) for v in range(u) if generator.random() < 2.2 / nodes]
    return (
        generator.integers(0, LABELS, nodes),
        np.array(pairs, dtype=np.int64).reshape(-1, 2),
        generator.integers(0, EDGE_LABELS, len(pairs)),
    )


def make_graphs() -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    generator = np.random.default_rng(7)
    graphs = [random_graph(generator, int(generator.integers(1, 14))) for _ in range(60)]
    # One that has every label, so that a dataset of them has.
    path = np.array([[1, 0], [2, 1], [3, 2]])
    return [(np.arange(LABELS), path, np.arange(EDGE_LABELS)), *graphs]


GRAPHS = make_graphs()


def as_data(graph: tuple[np.ndarray, np.ndarray, np.ndarray]) -> Data:
    labels, pairs, edges = graph
    both = np.concatenate([pairs, pairs[:, ::-1]]).T
    return Data(
        x=torch.eye(LABELS)[torch.from_numpy(labels)],
        edge_index=torch.from_numpy(np.ascontiguousarray(both)),
        edge_attr=torch.eye(EDGE_LABELS)[torch.from_numpy(np.concatenate([edges, edges]))],
        label=torch.from_numpy(labels),
        edge_label=torch.from_numpy(np.concatenate([edges, edges])),
    )


BATCH = Batch.from_data_list([as_data(graph) for graph in GRAPHS])


# ---- The engine


def by_package(native: NativeModel) -> np.ndarray:
    fe: Any = importlib.import_module("fewedits")
    items = [as_data(graph) for graph in GRAPHS]
    data = fe.dataset([Data(x=i.x, edge_index=i.edge_index, edge_attr=i.edge_attr) for i in items])
    # The engine's labels are numbered as the columns of the features.
    assert np.array_equal(data.rows_of_nodes(), np.eye(LABELS))
    assert np.array_equal(data.rows_of_edges(), np.eye(EDGE_LABELS))
    core = fe._core.native_classifier(native.model_json, native.tensors, "test", data.core, False)
    return np.asarray(core.log_probabilities(list(data), 1))


def by_command(native: NativeModel, folder: Path, command: str) -> np.ndarray:
    name = folder.name
    at = 0
    lines: dict[str, list[str]] = {"A": [], "graph_indicator": [], "node_labels": [], "edge_labels": []}
    for number, (labels, pairs, edges) in enumerate(GRAPHS, 1):
        lines["graph_indicator"] += [str(number)] * len(labels)
        lines["node_labels"] += map(str, labels)
        for (u, v), label in zip(pairs.tolist(), edges.tolist(), strict=True):
            lines["A"] += [f"{at + u + 1}, {at + v + 1}", f"{at + v + 1}, {at + u + 1}"]
            lines["edge_labels"] += [str(label)] * 2
        at += len(labels)
    lines["graph_labels"] = ["0", "1"] + ["0"] * (len(GRAPHS) - 2)
    for part, rows in lines.items():
        (folder / f"{name}_{part}.txt").write_text("\n".join(rows) + "\n")
    said = json.loads(native.model_json)
    (folder / "model.json").write_text(native.model_json)
    write_safetensors(folder / said["weights"], native.tensors)
    out = subprocess.run(
        [command, "predict", "--dataset", str(folder), "--model", str(folder / "model.json"), "--threads", "1"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert out.returncode == 0, out.stderr
    table = list(csv.DictReader(out.stdout.splitlines()))
    assert [int(row["tu_graph"]) for row in table] == list(range(len(GRAPHS)))
    columns = [key for key in table[0] if key.startswith("logprob")]
    return np.array([[float(row[key]) for key in columns] for row in table])


def write_safetensors(file: Path, tensors: dict[str, np.ndarray]) -> None:
    header: dict[str, Any] = {}
    at = 0
    for name, array in tensors.items():
        assert array.dtype == np.float32
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    text = json.dumps(header).encode()
    with file.open("wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        for array in tensors.values():
            out.write(np.ascontiguousarray(array).tobytes())


Engine = Callable[[NativeModel], np.ndarray]


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    if importlib.util.find_spec("fewedits._core") is not None:
        return by_package
    command = os.environ.get("FEWEDITS_CLI")
    if command:
        return lambda native: by_command(native, tmp_path, command)
    pytest.skip("neither the package's engine nor FEWEDITS_CLI")


# ---- Modules


def sample_of(inputs: tuple[str, ...], ids: bool) -> Sample:
    """Features one-hot, or a column of numbers."""
    columns, edge_columns = torch.arange(LABELS)[:, None], torch.arange(EDGE_LABELS)[:, None]
    nodes, edges = (columns, edge_columns) if ids else (torch.eye(LABELS), torch.eye(EDGE_LABELS))
    return Sample(
        inputs, nodes[BATCH.label], BATCH.edge_index, edges[BATCH.edge_label], BATCH.batch, len(GRAPHS),
        nodes.numpy(), edges.numpy(),
    )  # fmt: skip


def randomised(module: nn.Module, seed: int) -> nn.Module:
    """Weights and statistics as after a training, so that nothing is 0 or 1 by chance."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, tensor in [*module.named_parameters(), *module.named_buffers()]:
            if not tensor.is_floating_point():
                continue
            if name.endswith("running_var"):
                tensor.uniform_(0.3, 2, generator=generator)
            elif tensor.dim() > 1:
                tensor.normal_(0, 2.5 * tensor.shape[-1] ** -0.5, generator=generator)
            else:
                tensor.normal_(0.1, 0.4, generator=generator)
    return module.eval()


def answers(module: nn.Module, sample: Sample) -> np.ndarray:
    """Probabilities of the classes, whatever the module gives."""
    given = {"x": sample.x, "edge_index": sample.edge_index, "edge_attr": sample.edge_attr, "batch": sample.batch}
    with torch.no_grad():
        if sample.inputs == ("data",):
            batch = Batch(**given)
            batch.ptr = torch.cat([torch.zeros(1), sample.batch.bincount().cumsum(0)]).long()
            out = module(batch)
        else:
            out = module(*(given[name] for name in sample.inputs))
    out = out[0] if isinstance(out, tuple) else out
    out = out.double()
    kind = getattr(module, "gives", "logits")
    if kind == "logit":
        out = torch.stack([torch.zeros_like(out.view(-1)), out.view(-1)], 1).softmax(1)
    elif kind == "probability":
        out = torch.stack([1 - out.view(-1), out.view(-1)], 1)
    elif kind == "probabilities":
        pass
    else:  # of log-probabilities, this changes nothing
        out = out.softmax(1)
    return out.numpy()


class Gcn(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = GCNConv(LABELS, WIDTH), GCNConv(WIDTH, WIDTH, bias=False)
        self.lin = nn.Linear(WIDTH, 2)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        x = self.conv1(x, edge_index).relu()
        x = torch.relu(self.conv2(x, edge_index))
        return self.lin(global_max_pool(x, batch))


def mlp(inputs: int, outputs: int) -> nn.Module:
    return nn.Sequential(
        nn.Linear(inputs, WIDTH), nn.BatchNorm1d(WIDTH, eps=1e-3), nn.ReLU(), nn.Linear(WIDTH, outputs), nn.ReLU()
    )


class GinWithNorms(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.convs = nn.ModuleList([GINConv(mlp(LABELS, WIDTH), train_eps=True), GINConv(mlp(WIDTH, 5), eps=0.3)])
        self.norms = nn.ModuleList([pyg.BatchNorm(WIDTH), nn.BatchNorm1d(5, affine=False)])
        self.head = nn.Sequential(nn.Linear(5, 7), nn.BatchNorm1d(7), nn.ReLU(), nn.Dropout(0.5), nn.Linear(7, 3))

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        for conv, norm in zip(self.convs, self.norms, strict=True):
            x = norm(conv(x, edge_index))
        return F.log_softmax(self.head(global_add_pool(x, batch)), dim=-1)


class Sage(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = SAGEConv(LABELS, WIDTH)
        self.second = SAGEConv(WIDTH, WIDTH, aggr="max", bias=False)
        self.third = SAGEConv(WIDTH, WIDTH, aggr="sum", root_weight=False)
        self.bn = nn.BatchNorm1d(WIDTH)
        self.out = pyg.Linear(WIDTH, 2)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        x = F.elu(self.first(x, edge_index))
        x = self.bn(self.second(x, edge_index)).relu()
        x = self.third(x, edge_index)
        return F.softmax(self.out(global_mean_pool(x, batch)), dim=1)

    gives = "probabilities"


class Gat(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.one = GATConv(LABELS, 4, heads=3, dropout=0.4)
        self.norm = nn.BatchNorm1d(12)
        self.two = GATConv(12, 5, heads=2, concat=False, negative_slope=0.1, bias=False)
        self.lin = nn.Linear(5, 2)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        x = F.dropout(x, p=0.6, training=self.training)
        x = F.elu(self.norm(self.one(x, edge_index)))
        x = F.dropout(x, p=0.6, training=self.training)
        x = self.two(x, edge_index)
        return self.lin(global_mean_pool(x, batch))


class GatWithEdges(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.one = GATConv(LABELS, 4, heads=3, edge_dim=EDGE_LABELS)
        self.two = GATConv(12, 4, heads=1, edge_dim=EDGE_LABELS)
        self.lin = nn.Linear(4, 2)

    def forward(self, x: Tensor, edge_index: Tensor, edge_attr: Tensor, batch: Tensor) -> Tensor:
        x = self.one(x, edge_index, edge_attr).relu()
        x = self.two(x, edge_index, edge_attr=edge_attr).relu()
        return self.lin(global_add_pool(x, batch))


class Gine(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.one = GINEConv(mlp(LABELS, WIDTH), edge_dim=EDGE_LABELS, train_eps=True)
        self.bonds = nn.Linear(EDGE_LABELS, WIDTH)
        self.two = GINEConv(nn.Linear(WIDTH, WIDTH))
        self.lin = nn.Linear(WIDTH, 1)

    def forward(self, x: Tensor, edge_index: Tensor, edge_attr: Tensor, batch: Tensor) -> Tensor:
        x = self.one(x, edge_index, edge_attr)
        x = self.two(x, edge_index, self.bonds(edge_attr).tanh()).relu()
        return self.lin(global_add_pool(x, batch)).squeeze(-1)

    gives = "logit"


class Jumping(nn.Module):
    """The input is pooled, too, one layer is not, and the order is another."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b, self.c = GCNConv(LABELS, WIDTH), GCNConv(WIDTH, WIDTH), GCNConv(WIDTH, 5)
        self.lin = nn.Linear(5 + WIDTH + LABELS, 2)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        h1 = self.a(x, edge_index).relu()
        h2 = self.b(h1, edge_index).relu()
        h3 = self.c(h2, edge_index).relu()
        return self.lin(torch.cat([global_add_pool(h, batch) for h in (h3, h1, x)], dim=1))


class JumpingOnNodes(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.convs = nn.ModuleList([SAGEConv(LABELS, WIDTH), SAGEConv(WIDTH, WIDTH)])
        self.jump = pyg.JumpingKnowledge("cat")
        self.pool = pyg.MaxAggregation()
        self.lin = nn.Linear(2 * WIDTH, 2)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        xs = []
        for conv in self.convs:
            x = F.relu(conv(x, edge_index))
            xs += [x]
        return self.lin(self.pool(self.jump(xs), batch))


class SumOfReadouts(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = GCNConv(LABELS, WIDTH), GCNConv(WIDTH, WIDTH)
        self.lin = nn.Linear(WIDTH, 2)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        h1 = self.a(x, edge_index).relu()
        h2 = self.b(h1, edge_index).relu()
        return self.lin(global_mean_pool(h1, batch) + 0.5 * global_mean_pool(h2, batch) - 1)


class OddNames(nn.Module):
    """What is called a norm is a layer, and the other way round; all in a list, a dict and functions."""

    def __init__(self) -> None:
        super().__init__()
        self.batch_norm = GCNConv(LABELS, WIDTH)
        self.fc = nn.ModuleDict({"dropout": nn.BatchNorm1d(WIDTH), "x": GINConv(nn.Linear(WIDTH, WIDTH))})
        self.encoder = global_mean_pool
        self.act = F.relu
        self.conv1 = nn.Sequential(nn.Identity(), nn.Linear(WIDTH, 2))

    def readout(self, x: Tensor, batch: Tensor) -> Tensor:
        return self.conv1(self.encoder(x, batch, size=None))

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        x = self.act(self.fc["dropout"](self.batch_norm(x, edge_index)))
        return self.readout(self.act(self.fc["x"](x, edge_index)), batch)


class OddDropout(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.drop = nn.Dropout(0.5)
        self.a, self.b = GCNConv(LABELS, WIDTH), GCNConv(WIDTH, WIDTH)
        self.lin = nn.Linear(WIDTH, 2)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        x = self.drop(x)
        x = F.relu(self.drop(self.a(self.drop(x), edge_index)), inplace=True)
        x = F.dropout(self.b(x, edge_index), 0.2, self.training).relu_()
        return self.drop(self.lin(self.drop(global_add_pool(self.drop(x), batch))))


class NormAfterActivation(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = GCNConv(LABELS, WIDTH), GINConv(mlp(WIDTH, WIDTH))
        self.n1, self.n2 = nn.BatchNorm1d(WIDTH), pyg.BatchNorm(WIDTH)
        self.lin = nn.Linear(WIDTH, 2)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        x = self.n1(self.a(x, edge_index).relu())
        x = self.n2(self.b(x, edge_index).relu())
        return self.lin(global_add_pool(x, batch))


class TakesData(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = GCNConv(LABELS, WIDTH)
        self.lin = nn.Linear(WIDTH, 2)

    def forward(self, data: Any) -> Tensor:
        x, edge_index, batch = data.x.float(), data.edge_index, data.batch
        x = self.conv(x, edge_index, data.edge_weight).relu()
        return self.lin(global_mean_pool(x, batch, data.num_graphs))


class Embeddings(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.atoms = nn.ModuleList([nn.Embedding(LABELS, WIDTH), nn.Embedding(LABELS, WIDTH)])
        self.bonds = nn.Embedding(EDGE_LABELS, WIDTH)
        self.conv = GINEConv(mlp(WIDTH, WIDTH))
        self.lin = nn.Linear(WIDTH, 2)

    def encode(self, x: Tensor) -> Tensor:
        return sum(atom(x[:, 0]) for atom in self.atoms) / 2

    def forward(self, x: Tensor, edge_index: Tensor, edge_attr: Tensor, batch: Tensor) -> Tensor:
        x = F.layer_norm(self.encode(x), [WIDTH])
        x = self.conv(x, edge_index, self.bonds(edge_attr.squeeze(-1)))
        return self.lin(global_mean_pool(x, batch))

    ids = True


class Encoder(nn.Module):
    """It asks for the number of columns, which tracing does not know."""

    def __init__(self) -> None:
        super().__init__()
        self.tables = nn.ModuleList([nn.Embedding(LABELS, WIDTH)])

    def forward(self, x: Tensor) -> Tensor:
        out: Any = 0
        for i in range(x.shape[1]):
            out = out + self.tables[i](x[:, i])
        return out


class EncoderOfColumns(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = Encoder()
        self.conv = GCNConv(WIDTH, WIDTH)
        self.lin = nn.Linear(WIDTH, 2)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        x = self.conv(self.encoder(x), edge_index).relu()
        return self.lin(global_add_pool(x, batch))

    ids = True


class Constants(nn.Module):
    """Tensors that are no parameters, and one that is."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = GCNConv(LABELS, WIDTH)
        self.plain = torch.linspace(0.5, 2, WIDTH)
        self.register_buffer("kept", torch.linspace(-1, 1, WIDTH))
        self.weight = nn.Parameter(torch.zeros(WIDTH, 2))

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        x = (self.conv(x, edge_index) * self.plain - self.kept + torch.tensor(0.25)).relu()
        return global_mean_pool(x, batch) @ self.weight / 2 + torch.tensor([0.1, -0.1])


class Probability(Gcn):
    def __init__(self) -> None:
        super().__init__()
        self.lin = nn.Linear(WIDTH, 1)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        return torch.sigmoid(super().forward(x, edge_index, batch)).view(-1)

    gives = "probability"


class Basic(nn.Module):
    """A model of PyTorch Geometric, pooled, with an MLP."""

    def __init__(self, model: nn.Module, outputs: int = WIDTH, pool: Callable[..., Tensor] = global_mean_pool) -> None:
        super().__init__()
        self.model, self.pool = model, pool
        self.mlp = pyg.MLP([outputs, 8, 2], dropout=0.3)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        return self.mlp(self.pool(self.model(x, edge_index), batch))


class Graphs(nn.Module):
    def __init__(self, conv: nn.Module, outputs: int = WIDTH, act: Any = None) -> None:
        super().__init__()
        self.conv, self.act, self.lin = conv, act or nn.ReLU(), nn.Linear(outputs, 2)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        return self.lin(global_mean_pool(self.act(self.conv(x, edge_index)), batch))


class SideBySide(nn.Module):
    """Mean and maximum of every layer."""

    def __init__(self) -> None:
        super().__init__()
        self.convs = nn.ModuleList([GCNConv(LABELS, WIDTH), GCNConv(WIDTH, 5), GCNConv(5, WIDTH)])
        self.lin1, self.lin2 = nn.Linear(2 * (2 * WIDTH + 5), 8), nn.Linear(8, 3)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        pooled = []
        for conv in self.convs:
            x = F.leaky_relu(conv(x, edge_index), 0.2)
            pooled.append(torch.cat([global_max_pool(x, batch), global_mean_pool(x, batch)], dim=1))
        return self.lin2(F.leaky_relu(self.lin1(torch.cat(pooled, dim=-1)), 0.2))


class SumOfSides(nn.Module):
    """Mean and maximum of each of two layers, summed."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b, self.lin = GCNConv(LABELS, WIDTH), GCNConv(WIDTH, WIDTH), nn.Linear(2 * WIDTH, 2)
        self.pool = pyg.aggr.MultiAggregation(["mean", "max"])

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        a = torch.tanh(self.a(x, edge_index))
        b = torch.sigmoid(self.b(a, edge_index))
        return self.lin(self.pool(a, batch) + self.pool(b, batch))


class NormsOnBothSides(nn.Module):
    def __init__(self, conv: nn.Module, width: int) -> None:
        super().__init__()
        self.conv, self.norms = conv, nn.ModuleList([nn.BatchNorm1d(width) for _ in range(3)])
        self.act, self.node, self.next = nn.PReLU(init=0.3), nn.Linear(width, WIDTH), SAGEConv(WIDTH, WIDTH)
        self.head = nn.Sequential(nn.BatchNorm1d(WIDTH), nn.Tanh(), nn.Linear(WIDTH, 2))

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        x = self.norms[1](self.act(self.norms[0](self.conv(x, edge_index))))
        x = self.node(self.norms[2](x)).tanh()
        return self.head(global_max_pool(self.next(x, edge_index), batch))


class TanhInside(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        inside = nn.Sequential(nn.Linear(LABELS, 8), nn.Tanh(), nn.BatchNorm1d(8), nn.Linear(8, 7), nn.Tanh())
        last = nn.Sequential(nn.GELU(), nn.Linear(7, 5), nn.ReLU(), nn.Linear(5, WIDTH))
        self.one, self.two, self.lin = GINConv(inside), GINConv(last, train_eps=True), nn.Linear(WIDTH, 2)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        x = self.two(self.one(x, edge_index), edge_index)
        return self.lin(global_add_pool(x, batch))


class Random(nn.Module):
    """Layers, norms, activations and poolings by chance."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        chance = np.random.default_rng(seed)
        self.steps: list[tuple[str, Any]] = []
        self.kinds = nn.ModuleList()
        width = LABELS

        def add(kind: str, module: nn.Module) -> None:
            self.steps.append((kind, len(self.kinds)))
            self.kinds.append(module)

        self.act = [nn.ReLU(), nn.LeakyReLU(0.1), nn.ELU(), nn.Tanh(), nn.GELU()][chance.integers(5)]
        for _ in range(int(chance.integers(1, 4))):
            out = int(chance.integers(2, 9))
            convs: list[Callable[[int, int], nn.Module]] = [
                GCNConv, SAGEConv, GraphConv, lambda i, o: GINConv(nn.Sequential(nn.Linear(i, o), self.act)),
                lambda i, o: GINConv(mlp(i, o)), lambda i, o: GATConv(i, o, heads=2, concat=False),
            ]  # fmt: skip
            add("conv", convs[chance.integers(len(convs))](width, out))
            width = out
            for _ in range(int(chance.integers(0, 5))):
                what = chance.integers(5)
                if what == 0:
                    add("node", nn.BatchNorm1d(width))
                elif what == 1:
                    add("node", self.act)
                elif what == 2:
                    add("node", nn.Dropout(0.5))
                elif what == 3 and chance.random() < 0.5:
                    out = int(chance.integers(2, 9))
                    add("node", nn.Linear(width, out))
                    width = out
                elif what == 4 and chance.random() < 0.5:
                    self.steps.append(("pool", 0))
            if chance.random() < 0.3:
                self.steps.append(("pool", 0))
        self.pools = [[global_add_pool], [global_mean_pool], [global_max_pool], [global_mean_pool, global_max_pool]]
        self.pool = self.pools[chance.integers(4)]
        self.width = 0
        with torch.no_grad():
            pooled = self.eval().pooled(torch.eye(LABELS), torch.zeros(2, 0).long(), torch.zeros(LABELS).long())
        self.head = nn.Sequential(nn.Linear(pooled.shape[1], 5), nn.BatchNorm1d(5), self.act, nn.Linear(5, 2))

    def pooled(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        out = []
        for kind, which in [*self.steps, ("pool", 0)]:
            if kind == "pool":
                out += [pool(x, batch) for pool in self.pool]
            else:
                module = self.kinds[which]
                x = module(x, edge_index) if kind == "conv" else module(x)
        return torch.cat(out, dim=1)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        return self.head(self.pooled(x, edge_index, batch))


def of_sequential() -> nn.Module:
    return pyg.Sequential(
        "x, edge_index, batch",
        [
            (nn.Dropout(0.5), "x -> x"),
            (GCNConv(LABELS, WIDTH), "x, edge_index -> x1"),
            nn.ReLU(inplace=True),
            (GCNConv(WIDTH, WIDTH), "x1, edge_index -> x2"),
            nn.ReLU(inplace=True),
            (global_mean_pool, "x2, batch -> x"),
            nn.Linear(WIDTH, 2),
        ],
    )


XEB, XEAB = ("x", "edge_index", "batch"), ("x", "edge_index", "edge_attr", "batch")

#: Modules that go native, and the layers that they become.
NATIVE: dict[str, tuple[Callable[[], nn.Module], tuple[str, ...], list[str]]] = {
    "gcn": (Gcn, XEB, ["gcn", "gcn"]),
    "gin with norms": (GinWithNorms, XEB, ["gin", "gin"]),
    "sage": (Sage, XEB, ["sage"] * 3),
    "gat": (Gat, XEB, ["gat", "gat"]),
    "gat with edges": (GatWithEdges, XEAB, ["gat", "gat"]),
    "gine": (Gine, XEAB, ["gine", "gine"]),
    "jumping": (Jumping, XEB, ["sage", "gcn", "gcn", "gcn"]),
    "jumping on nodes": (JumpingOnNodes, XEB, ["sage", "sage"]),
    "sum of readouts": (SumOfReadouts, XEB, ["gcn", "gcn"]),
    "odd names": (OddNames, XEB, ["gcn", "gin"]),
    "odd dropout": (OddDropout, XEB, ["gcn", "gcn"]),
    "norm after activation": (NormAfterActivation, XEB, ["gcn", "gin"]),
    "takes data": (TakesData, ("data",), ["gcn"]),
    "embeddings": (Embeddings, XEAB, ["gine"]),
    "encoder of columns": (EncoderOfColumns, XEB, ["gcn"]),
    "constants": (Constants, XEB, ["gcn"]),
    "probability": (Probability, XEB, ["gcn", "gcn"]),
    "sequential": (of_sequential, XEB, ["gcn", "gcn"]),
    "side by side": (SideBySide, XEB, ["gcn"] * 3),
    "sum of sides": (SumOfSides, XEB, ["gcn"] * 2),
    "norms on both sides of a gcn": (lambda: NormsOnBothSides(GCNConv(LABELS, 5), 5), XEB, ["gcn", "sage", "sage"]),
    "norms on both sides of a gat": (
        lambda: NormsOnBothSides(GATConv(LABELS, 3, heads=2), 6), XEB, ["gat", "sage", "sage"]
    ),
    "tanh inside": (TanhInside, XEB, ["gin", "gin", "sage"]),
    "graph conv": (lambda: Graphs(GraphConv(LABELS, WIDTH)), XEB, ["sage"]),
    "graph conv, mean": (lambda: Graphs(GraphConv(LABELS, WIDTH, aggr="mean")), XEB, ["sage"]),
    "gcn without normalisation": (lambda: Graphs(GCNConv(LABELS, WIDTH, normalize=False)), XEB, ["gin"]),
    "PyG's GCN": (lambda: Basic(pyg.GCN(LABELS, WIDTH, 3, norm="batch_norm", dropout=0.2)), XEB, ["gcn"] * 3),
    "PyG's GIN": (lambda: Basic(pyg.GIN(LABELS, WIDTH, 2, 5), 5, global_add_pool), XEB, ["gin"] * 2),
    "PyG's GIN, act first": (
        lambda: Basic(pyg.GIN(LABELS, WIDTH, 2, norm="batch_norm", act_first=True)), XEB,
        ["gin", "gin"],
    ),
    "PyG's GraphSAGE": (lambda: Basic(pyg.GraphSAGE(LABELS, WIDTH, 2, jk="last")), XEB, ["sage"] * 3),
    "PyG's GAT": (lambda: Basic(pyg.GAT(LABELS, WIDTH, 2, heads=2, act="elu")), XEB, ["gat"] * 2),
    "PyG's GIN, jumping": (lambda: Basic(pyg.GIN(LABELS, WIDTH, 3, jk="cat")), XEB, ["gin"] * 3),
}  # fmt: skip


@pytest.mark.parametrize("name", NATIVE)
def test_it_goes_native_and_answers_the_same(name: str, engine: Engine) -> None:
    make, inputs, layers = NATIVE[name]
    module = make()
    sample = sample_of(inputs, getattr(module, "ids", False))
    # Weights with which the answers differ.
    for seed in range(20):
        expected = answers(randomised(module, seed), sample)
        if expected.std(axis=0).max() > 0.05:
            break
    assert expected.std(axis=0).max() > 0.05
    before = {key: value.clone() for key, value in module.state_dict().items()}
    native = to_native(module, sample)
    assert isinstance(native, NativeModel), native
    assert [layer["conv"] for layer in json.loads(native.model_json)["layers"]] == layers
    np.testing.assert_allclose(np.exp(engine(native)), expected, rtol=0, atol=1e-5)
    assert not module.training
    assert all(torch.equal(value, before[key]) for key, value in module.state_dict().items())


class MaxOfRows(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.pre, self.conv = nn.Linear(LABELS, WIDTH), SAGEConv(WIDTH, WIDTH, aggr="max")
        self.lin = nn.Linear(WIDTH, 2)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        return self.lin(global_mean_pool(self.conv(self.pre(x), edge_index).relu(), batch))


@pytest.mark.parametrize(
    ("make", "table", "embedded"),
    [
        (Gcn, "permuted", False), (Gcn, "any", False), (GinWithNorms, "any", False), (Sage, "any", False),
        (Gat, "any", False), (Jumping, "any", False), (JumpingOnNodes, "permuted", False),
        (Embeddings, "ids", True), (MaxOfRows, "permuted", True),
        (lambda: Graphs(SAGEConv(LABELS, WIDTH, aggr="max")), "permuted", False),
        (lambda: Graphs(SAGEConv(LABELS, WIDTH, aggr="max")), "any", True),
    ],
)  # fmt: skip
def test_rows_of_labels_may_be_any(
    make: Callable[[], nn.Module], table: str, embedded: bool, engine: Engine
) -> None:
    """They become part of the first product, where it is linear in them; an embedding else."""
    torch.manual_seed(2)
    module = randomised(make(), 3)
    inputs = XEAB if table == "ids" else XEB
    sample = sample_of(inputs, table == "ids")
    if table != "ids":
        rows = torch.eye(LABELS).roll(1, 0) if table == "permuted" else torch.eye(LABELS) - torch.rand(LABELS, LABELS)
        sample = replace(sample, x=rows[BATCH.label], node_rows=rows.numpy())
    native = to_native(module, sample)
    assert isinstance(native, NativeModel), native
    assert ("node_embedding" in json.loads(native.model_json)) is embedded
    np.testing.assert_allclose(np.exp(engine(native)), answers(module, sample), rtol=0, atol=1e-5)


@pytest.mark.parametrize("seed", range(40))
def test_random_modules_answer_the_same(seed: int, engine: Engine) -> None:
    module, sample = Random(seed), sample_of(XEB, False)
    expected = answers(randomised(module, seed), sample)
    native = to_native(module, sample)
    assert isinstance(native, NativeModel), native
    np.testing.assert_allclose(np.exp(engine(native)), expected, rtol=0, atol=1e-4)


# ---- And those that do not


class Residual(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b, self.lin = GCNConv(LABELS, WIDTH), GCNConv(WIDTH, WIDTH), nn.Linear(WIDTH, 2)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        x = self.a(x, edge_index).relu()
        x = (x + self.b(x, edge_index)).relu()
        return self.lin(global_mean_pool(x, batch))


class Attention(Gcn):
    def __init__(self) -> None:
        super().__init__()
        self.pool = pyg.AttentionalAggregation(nn.Linear(WIDTH, 1))

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        return self.lin(self.pool(self.conv1(x, edge_index), batch))


class DependsOnValues(Gcn):
    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        if x.sum() > 3:
            x = x + 1
        return super().forward(x, edge_index, batch)


class OtherEdges(Gcn):
    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        return super().forward(x, edge_index.flip(0), batch)


class AlwaysDrops(Gcn):
    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        return self.lin(global_mean_pool(F.dropout(self.conv1(x, edge_index)), batch))


class MixesNodes(Gcn):
    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        return super().forward(x - x.mean(0), edge_index, batch)


class Labels(Gcn):
    """Several answers to several questions."""

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        return super().forward(x, edge_index, batch).sigmoid()


class OverTheBatch(Gcn):
    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        return super().forward(x, edge_index, batch).softmax(0)


class OfNodes(Gcn):
    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        return self.lin(self.conv1(x, edge_index))


class ChangedInPlace(Gcn):
    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        h = self.conv1(x, edge_index)
        F.relu(h, inplace=True)
        return self.lin(global_mean_pool(h, batch))


class ChangedSomehow(Gcn):
    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        h = self.conv1(x, edge_index)
        h.clamp_(max=0.1)
        return self.lin(global_mean_pool(h, batch))


class Remembers(Gcn):
    """It keeps what it computes, as one does to look at it later."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Any] = []
        self.last: Any = None

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        self.last = self.conv1(x, edge_index)
        self.seen.append(self.last)
        return self.lin(global_mean_pool(self.last, batch))


class Counts(Gcn):
    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        self.calls += 1
        out = super().forward(x, edge_index, batch)
        return -out if self.calls > 100 else out


class Collects(Gcn):
    def __init__(self) -> None:
        super().__init__()
        self.sizes: dict[str, int] = {"calls": 0}

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        self.sizes["calls"] += 1
        return super().forward(x, edge_index, batch)


class Weighted(GCNConv):  # type: ignore[misc]
    def message(self, x_j: Tensor, edge_weight: Any) -> Tensor:
        return 2 * super().message(x_j, edge_weight)


def hooked() -> nn.Module:
    module = Gcn()
    module.conv1.register_forward_hook(lambda module, given, out: 2 * out)
    return module


def hooked_inside() -> nn.Module:
    module = Gcn()
    module.conv2.lin.register_forward_hook(lambda module, given, out: 2 * out)
    return module


def with_other_parts() -> nn.Module:
    module = Gcn()
    module.conv1.lin = nn.Sequential(module.conv1.lin, nn.Tanh())
    return module


def with_other_messages() -> nn.Module:
    module = Gcn()
    module.conv2.message = lambda x_j, edge_weight: x_j
    return module


def half_in_training() -> nn.Module:
    return Graphs(GCNConv(LABELS, WIDTH), act=nn.Sequential(nn.BatchNorm1d(WIDTH), nn.ReLU()))


NOT_NATIVE: dict[str, tuple[Callable[[], nn.Module], str]] = {
    "GATv2": (lambda: Graphs(pyg.GATv2Conv(LABELS, WIDTH)), "GATv2Conv (conv) is no layer"),
    "own layer": (lambda: Graphs(Weighted(LABELS, WIDTH)), "Weighted (conv) is no layer"),
    "improved": (lambda: Graphs(GCNConv(LABELS, WIDTH, improved=True)), "counts a node twice"),
    "no self loops": (lambda: Graphs(GCNConv(LABELS, WIDTH, add_self_loops=False)), "adds no self loops"),
    "cached": (lambda: Graphs(GCNConv(LABELS, WIDTH, cached=True)), "cached=True"),
    "flow": (lambda: Graphs(GCNConv(LABELS, WIDTH, flow="target_to_source")), "target_to_source"),
    "gin, mean": (lambda: Graphs(GINConv(mlp(LABELS, WIDTH), aggr="mean")), "aggregates by mean"),
    "gine, no edges": (lambda: Graphs(GINEConv(mlp(LABELS, WIDTH))), "GINEConv (conv) gets no features of edges"),
    "sage, lstm": (lambda: Graphs(SAGEConv(LABELS, WIDTH, aggr="lstm")), "aggregates by lstm"),
    "sage, normalised": (lambda: Graphs(SAGEConv(LABELS, WIDTH, normalize=True)), "normalize=True"),
    "sage, projected": (lambda: Graphs(SAGEConv(LABELS, WIDTH, project=True)), "project=True"),
    "gat, no loops": (lambda: Graphs(GATConv(LABELS, WIDTH, add_self_loops=False)), "adds no self loops"),
    "gat, residual": (lambda: Graphs(GATConv(LABELS, WIDTH, residual=True)), "residual=True"),
    "gat, two kinds": (lambda: Graphs(GATConv((LABELS, LABELS), WIDTH)), "in two ways"),
    "layer norm": (lambda: Graphs(GCNConv(LABELS, WIDTH), act=nn.LayerNorm(WIDTH)), "LayerNorm (act) is no module"),
    "graph norm": (lambda: Graphs(GCNConv(LABELS, WIDTH), act=pyg.GraphNorm(WIDTH)), "GraphNorm (act) is no module"),
    "silu": (lambda: Graphs(GCNConv(LABELS, WIDTH), act=nn.SiLU()), "silu between layers"),
    "elu, alpha": (lambda: Graphs(GCNConv(LABELS, WIDTH), act=nn.ELU(2.0)), "elu(2) between layers"),
    "gelu, tanh": (lambda: Graphs(GCNConv(LABELS, WIDTH), act=nn.GELU("tanh")), "gelu_tanh between layers"),
    "softplus": (lambda: Graphs(GCNConv(LABELS, WIDTH), act=nn.Softplus()), "Softplus (act) is no module"),
    "two slopes": (
        lambda: Graphs(GCNConv(LABELS, WIDTH), act=nn.Sequential(nn.LeakyReLU(), nn.LeakyReLU(0.2))),
        "several slopes",
    ),
    "no statistics": (
        lambda: Graphs(GCNConv(LABELS, WIDTH), act=nn.BatchNorm1d(WIDTH, track_running_stats=False)),
        "keeps no statistics",
    ),
    "jumping, max": (lambda: Basic(pyg.GCN(LABELS, WIDTH, 2, jk="max")), "with the mode max"),
    "jumping, lstm": (lambda: Basic(pyg.GCN(LABELS, WIDTH, 2, jk="lstm")), "with the mode lstm"),
    "hooks": (hooked, "GCNConv (conv1) has hooks"),
    "hooks inside": (hooked_inside, "GCNConv (conv2) has hooks"),
    "other parts": (with_other_parts, "GCNConv (conv1) has a Sequential as lin"),
    "other messages": (with_other_messages, "GCNConv (conv2) is no layer"),
    "counts": (Counts, "its forward changes calls"),
    "collects": (Collects, "its forward changes sizes"),
    "residual": (Residual, "residual"),
    "attention": (Attention, "AttentionalAggregation (pool) is no pooling"),
    "values": (DependsOnValues, "depends on values"),
    "other edges": (OtherEdges, "flip"),
    "dropout": (AlwaysDrops, "dropout is always on"),
    "mixes nodes": (MixesNodes, "depend on other nodes"),
    "labels": (Labels, "a sigmoid for each class"),
    "over the batch": (OverTheBatch, "not over the classes of each graph"),
    "of nodes": (OfNodes, "one row of numbers for each graph"),
    "in place": (ChangedInPlace, "changes a value that is used elsewhere"),
    "in place, otherwise": (ChangedSomehow, "clamp_ changes a value that is used elsewhere"),
    "torchscript": (lambda: torch.jit.script(nn.Linear(LABELS, 2)), "TorchScript"),
}


@pytest.mark.parametrize("name", NOT_NATIVE)
def test_it_stays_as_it_is_and_says_why(name: str) -> None:
    make, why = NOT_NATIVE[name]
    module = make().eval()
    given = to_native(module, sample_of(XEB, False))
    assert isinstance(given, NotNative), given
    assert why in given.reason


def test_a_norm_in_training_mode_stays_as_it_is() -> None:
    module = half_in_training().eval()
    assert isinstance(to_native(module, sample_of(XEB, False)), NativeModel)
    module.act[0].train()  # type: ignore[index,union-attr]
    given = to_native(module, sample_of(XEB, False))
    assert isinstance(given, NotNative) and "training mode" in given.reason


def test_what_is_inside_a_compiled_module_counts() -> None:
    module = torch.compile(Gcn().eval())
    assert isinstance(to_native(module, sample_of(XEB, False)), NativeModel)


def test_a_module_remembers_nothing_of_it() -> None:
    module = Remembers().eval()
    assert "seen" in vars(module)
    assert isinstance(to_native(module, sample_of(XEB, False)), NativeModel)
    assert module.seen == [] and module.last is None


def test_nothing_of_pytorch_is_changed() -> None:
    """Tracing puts functions in the place of others, for as long as it lasts."""
    glob: Any = importlib.import_module("torch_geometric.nn.pool.glob")
    before = (glob.scatter, pyg.Aggregation.__call__, nn.Module.__call__, nn.Module.__getattr__)
    for make in (Gcn, DependsOnValues):
        to_native(make().eval(), sample_of(XEB, False))
        assert (glob.scatter, pyg.Aggregation.__call__, nn.Module.__call__, nn.Module.__getattr__) == before


# ---- In an explanation


class GineOfItems(nn.Module):
    def __init__(self, features: int, edge_features: int) -> None:
        super().__init__()
        self.convs = nn.ModuleList([
            GINEConv(nn.Sequential(nn.Linear(features, 16), nn.BatchNorm1d(16), nn.ReLU()), edge_dim=edge_features),
            GINEConv(nn.Sequential(nn.Linear(16, 16), nn.BatchNorm1d(16), nn.ReLU()), edge_dim=edge_features),
        ])  # fmt: skip
        self.lin = nn.Linear(32, 1)

    def forward(self, data: Any) -> Tensor:
        x, pooled = data.x, []
        for conv in self.convs:
            x = conv(x, data.edge_index, data.edge_attr)
            pooled.append(global_mean_pool(x, data.batch))
        return self.lin(torch.cat(pooled, dim=1)).view(-1)


def test_explanations_are_those_of_the_black_box(items: list[Any], gcn: nn.Module, why: Any) -> None:
    fe: Any = importlib.import_module("fewedits")
    quick: dict[str, Any] = importlib.import_module("conftest").QUICK
    native = fe.explain(items, gcn, desired=1, native=True, **quick)
    assert native.model.kind == "native" and not native.model.is_black_box
    assert why.model.kind == "torch" and why.model.is_black_box
    assert any("agrees with the module" in note for note in native.model.notes)
    assert native.coverage == why.coverage
    assert [c.covers for c in native] == [c.covers for c in why]


def test_a_model_that_sees_edges_is_opened_natively(items: list[Any]) -> None:
    fe: Any = importlib.import_module("fewedits")
    models: Any = importlib.import_module("fewedits.models")
    module = randomised(GineOfItems(items[0].x.shape[1], items[0].edge_attr.shape[1]), 4)
    data = fe.dataset(items)
    opened = models.open_model(module, data, 1, output="logit")
    assert opened.kind == "native", opened.notes
    graphs = list(data)[:50]
    black = models.open_model(module, data, 1, output="logit", native=False)
    ours, theirs = (np.exp(m.core.log_probabilities(graphs, 1)) for m in (opened, black))
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-4)
    assert theirs.std(axis=0).max() > 1e-3


def test_a_note_says_what_was_not_known(items: list[Any]) -> None:
    fe: Any = importlib.import_module("fewedits")
    models: Any = importlib.import_module("fewedits.models")
    module = Graphs(pyg.GATv2Conv(items[0].x.shape[1], WIDTH)).eval()
    opened = models.open_model(module, fe.dataset(items), 1)
    assert opened.kind == "torch"
    assert any("GATv2Conv (conv) is no layer that the engine computes" in note for note in opened.notes)
