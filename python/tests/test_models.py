# SPDX-License-Identifier: MIT
"""Any model: modules written in many ways, TorchScript, ONNX, callables, and what is refused."""

from __future__ import annotations

import gc
import resource
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from conftest import QUICK, Gcn, train
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import (
    GATConv,
    GCNConv,
    GINConv,
    GINEConv,
    GraphConv,
    JumpingKnowledge,
    SAGEConv,
    global_add_pool,
    global_max_pool,
    global_mean_pool,
)

import fewedits as fe
from fewedits import _core
from fewedits.models import guess_output, log_probabilities, open_model, torch_inputs

T = torch.Tensor
LABELS, BONDS, WIDTH = 10, 3, 8


class Two(nn.Module):
    """Two layers of a kind, a pooling and a linear layer."""

    def __init__(self, first: nn.Module, second: nn.Module, pool: Any, width: int = WIDTH) -> None:
        super().__init__()
        self.one, self.two, self.pool, self.out = first, second, pool, nn.Linear(width, 2)

    def forward(self, x: T, edge_index: T, batch: T) -> T:
        x = self.one(x, edge_index).relu()
        x = self.two(x, edge_index).relu()
        out: T = self.out(self.pool(x, batch))
        return out


def mlp(a: int) -> nn.Module:
    return nn.Sequential(nn.Linear(a, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH))


class Gine(nn.Module):
    """Reads edge_attr."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Linear(LABELS, WIDTH)
        self.conv = GINEConv(mlp(WIDTH), edge_dim=BONDS)
        self.out = nn.Linear(WIDTH, 2)

    def forward(self, x: T, edge_index: T, edge_attr: T, batch: T) -> T:
        out: T = self.out(global_add_pool(self.conv(self.embed(x), edge_index, edge_attr), batch))
        return out


class Jumping(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = GCNConv(LABELS, WIDTH), GCNConv(WIDTH, WIDTH)
        self.jump = JumpingKnowledge("cat")
        self.out = nn.Linear(2 * WIDTH, 2)

    def forward(self, x: T, edge_index: T, batch: T) -> T:
        one = self.a(x, edge_index).relu()
        two = self.b(one, edge_index).relu()
        out: T = self.out(global_mean_pool(self.jump([one, two]), batch)).log_softmax(-1)
        return out


class OddNames(nn.Module):
    """Nothing is called what one expects, and probabilities come out."""

    def __init__(self) -> None:
        super().__init__()
        self.zwei = nn.ModuleDict({"links": SAGEConv(LABELS, WIDTH), "rechts": SAGEConv(WIDTH, WIDTH)})
        self.ende = nn.Linear(WIDTH, 2)

    def forward(self, x: T, edge_index: T, batch: T) -> T:
        h = self.zwei["links"](x, edge_index).tanh()
        out: T = self.ende(global_max_pool(self.zwei["rechts"](h, edge_index), batch)).softmax(-1)
        return out


class OddDropout(nn.Module):
    """Dropout before the first layer and after the last; gives one logit."""

    def __init__(self) -> None:
        super().__init__()
        self.before, self.after = nn.Dropout(0.5), nn.Dropout(0.5)
        self.conv, self.out = GCNConv(LABELS, WIDTH), nn.Linear(WIDTH, 1)

    def forward(self, data: Data) -> T:
        h = self.conv(self.before(data.x), data.edge_index).relu()
        out: T = self.after(self.out(global_mean_pool(h, data.batch))).squeeze(-1)
        return out


def modules() -> dict[str, nn.Module]:
    torch.manual_seed(4)
    return {
        "gcn": Two(GCNConv(LABELS, WIDTH), GCNConv(WIDTH, WIDTH), global_max_pool),
        "gin": Two(GINConv(mlp(LABELS)), GINConv(mlp(WIDTH)), global_add_pool),
        "sage": Two(SAGEConv(LABELS, WIDTH), SAGEConv(WIDTH, WIDTH), global_mean_pool),
        "gat": Two(GATConv(LABELS, 4, heads=2), GATConv(WIDTH, WIDTH), global_max_pool),
        "graph": Two(GraphConv(LABELS, WIDTH), GraphConv(WIDTH, WIDTH), global_mean_pool),
        "gine": Gine(),
        "jumping": Jumping(),
        "odd-names": OddNames(),
        "odd-dropout": OddDropout(),
    }


def balanced(module: nn.Module, items: list[Any]) -> nn.Module:
    """With the last bias so that about half of the graphs are in either class."""
    module.eval()
    last = [m for m in module.modules() if isinstance(m, nn.Linear)][-1]
    with torch.no_grad():
        for _ in range(3):
            opened = open_model(module, fe.dataset(items), 1, native=False)
            logs = opened.core.log_probabilities([opened.data[i] for i in range(len(opened.data))])
            one, two = opened.core.column_of(0), opened.core.column_of(1)
            columns = np.empty_like(logs)
            columns[:, one], columns[:, two] = logs[:, 0], logs[:, 1]
            last.bias[-1] += float(np.median(columns[:, 0] - columns[:, 1]))
    return module


@pytest.mark.parametrize("name", list(modules()))
def test_modules_written_in_many_ways(name: str, items: list[Any]) -> None:
    module = balanced(modules()[name], items)
    quick = {**QUICK, "steps": 20, "refine_work": 300_000, "theta": 0.2}
    why = fe.explain(items, module, desired=1, **quick)
    assert why.model.kind in ("native", "torch")
    assert (why.model.output in ("log-probabilities", "probabilities", "logit")) == (
        name in ("jumping", "odd-names", "odd-dropout")
    )
    assert bool(why.core.edge_label_names) == (name == "gine")
    assert len(why) > 0
    for c in why:
        item = c.to_pyg()
        item.batch = torch.zeros(item.num_nodes, dtype=torch.long)
        with torch.no_grad():
            if name == "odd-dropout":
                raw = module(item)
            elif name == "gine":
                raw = module(item.x, item.edge_index, item.edge_attr, item.batch)
            else:
                raw = module(item.x, item.edge_index, item.batch)
        probability = np.exp(log_probabilities(raw.numpy().reshape(1, -1), why.model.output or "logits"))[0, 1]
        assert probability == pytest.approx(c.probability, abs=1e-4)
    assert why.verify()


def test_torchscript_is_asked_as_it_is(items: list[Any], gcn: nn.Module) -> None:
    class Plain(nn.Module):
        """PyG's layers are not needed to be scripted: sums over neighbours will do."""

        def __init__(self) -> None:
            super().__init__()
            self.w = nn.Linear(LABELS, WIDTH)
            self.out = nn.Linear(WIDTH, 2)

        def forward(self, x: T, edge_index: T, batch: T) -> T:
            h = torch.relu(self.w(x))
            h = h.index_add(0, edge_index[1], h[edge_index[0]])
            graphs = int(batch.max()) + 1
            out: T = self.out(torch.zeros(graphs, h.size(1)).index_add(0, batch, h) / 20)
            return out

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(2)
        scripted = torch.jit.script(balanced(Plain(), items))  # type: ignore[no-untyped-call]
    assert torch_inputs(scripted) == ("x", "edge_index", "batch")
    why = fe.explain(items, scripted, desired=1, method="ground-truth", **{**QUICK, "theta": 0.2})
    assert why.model.kind == "torch" and "Plain" in why.model.about and len(why) > 0


def test_onnx_runtime_is_a_callable(items: list[Any], tmp_path: Path) -> None:
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper, save

    rng = np.random.default_rng(3)
    weights = rng.normal(size=(LABELS, 2)).astype(np.float32)

    # Sums over the nodes of a graph of a linear function: logits.
    graph = helper.make_graph(
        [
            helper.make_node("MatMul", ["x", "w"], ["node"]),
            helper.make_node("ReduceMax", ["batch"], ["last"], keepdims=1),
            helper.make_node("Add", ["last", "one"], ["graphs"]),
            helper.make_node("Concat", ["graphs", "two"], ["shape"], axis=0),
            helper.make_node("ConstantOfShape", ["shape"], ["zeros"]),
            helper.make_node("Unsqueeze", ["batch", "axis"], ["column"]),
            helper.make_node("Concat", ["column", "column"], ["index"], axis=1),
            helper.make_node("ScatterElements", ["zeros", "index", "node"], ["y"], axis=0, reduction="add"),
        ],
        "sums",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", LABELS]),
         helper.make_tensor_value_info("batch", TensorProto.INT64, ["n"])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["g", 2])],
        [numpy_helper.from_array(weights, "w"), numpy_helper.from_array(np.array([1]), "one"),
         numpy_helper.from_array(np.array([2]), "two"), numpy_helper.from_array(np.array([1]), "axis")],
    )  # fmt: skip
    file = tmp_path / "sums.onnx"
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8), str(file))
    session = onnxruntime.InferenceSession(str(file))

    def ask(x: np.ndarray, batch: np.ndarray) -> Any:
        return session.run(None, {"x": x, "batch": batch})[0]

    logits = np.concatenate([ask(i.x.numpy(), np.zeros(i.num_nodes, np.int64)) for i in items])
    bias = float(np.median(logits[:, 0] - logits[:, 1]))
    why = fe.explain(items, lambda x, batch: ask(x, batch) + np.array([0, bias]), desired=1,
                     **{**QUICK, "theta": 0.2})  # fmt: skip
    assert why.model.kind == "callable" and len(why) > 0
    for c in why:
        item = c.to_pyg()
        raw = ask(item.x.numpy(), np.zeros(item.num_nodes, np.int64))[0] + np.array([0, bias])
        assert raw.argmax() == 1


def test_a_callable_may_want_a_list_of_data(items: list[Any], gcn: nn.Module, why: fe.Explanation) -> None:
    from torch_geometric.data import Batch

    asked: list[int] = []

    def ask(data: list[Data]) -> T:
        asked.append(len(data))
        batch = Batch.from_data_list(data)
        with torch.no_grad():
            out: T = gcn(batch.x, batch.edge_index, batch.batch)
        return out

    other = fe.explain(items, fe.BlackBox(ask, wants="data"), desired=1, **QUICK)
    assert max(asked) > 100
    assert [c.graph for c in other] == [c.graph for c in why]


class Continuous(nn.Module):
    """Sees charges that are no labels."""

    def forward(self, x: T, edge_index: T, batch: T) -> T:
        total = torch.zeros(int(batch.max()) + 1).index_add_(0, batch, x[:, 0])
        return torch.stack([-total, total], 1)


def test_continuous_features_come_from_the_users_function() -> None:
    rng = np.random.default_rng(1)
    charge = np.array([-0.5, 0.25, 0.125])
    items = []
    for _ in range(40):
        z = rng.integers(0, 3, 6)
        ends = np.array([[i, i + 1] for i in range(5)]).T
        items.append(Data(
            x=torch.tensor(charge[z] + rng.normal(0, 1e-3, 6), dtype=torch.float32)[:, None],
            z=torch.tensor(z), edge_index=torch.tensor(np.concatenate([ends, ends[::-1]], 1)),
        ))  # fmt: skip
    with pytest.raises(fe.Error, match="neither one-hot"):
        fe.explain(items, Continuous().eval(), desired=1, **QUICK)
    with pytest.raises(fe.Error, match="nothing says what an edited node's features are"):
        fe.explain(items, Continuous().eval(), desired=1, reading={"node_label": "z"}, **QUICK)
    reading = {
        "node_label": "z",
        "features": lambda batch: charge[batch.labels].astype(np.float32)[:, None],
    }
    why = fe.explain(items, Continuous().eval(), desired=1, reading=reading, **{**QUICK, "theta": 0.2})
    assert any("on features from the function" in note for note in why.notes)
    for c in why:
        labels = np.array([int(why.data.node_names[v]) for v in c.graph.labels])
        assert charge[labels].sum() > 0


def test_features_that_labels_do_not_tell_are_found_out() -> None:
    class WithPositions(nn.Module):
        def forward(self, data: Data) -> T:
            value = data.x[:, :1] + (0 if data.pos is None else data.pos)
            total = torch.zeros(data.num_graphs).index_add_(0, data.batch, value[:, 0])
            return torch.stack([total, -total], 1)

    ends = torch.tensor([[0, 1], [1, 0]])
    items = [Data(x=torch.eye(2)[[i % 2, 1]], edge_index=ends, pos=torch.full((2, 1), float(i))) for i in range(8)]
    with pytest.raises(fe.Error, match="it sees more than labels and edges"):
        fe.explain(items, WithPositions().eval(), desired=1, **QUICK)


@pytest.mark.parametrize(
    ("raw", "output"),
    [
        (np.array([[1.0, 2.0], [0.0, -3.0]]), "logits"),
        (np.array([[0.25, 0.75], [0.5, 0.5]]), "probabilities"),
        (np.log(np.array([[0.25, 0.75], [0.5, 0.5]])), "log-probabilities"),
        (np.array([0.25, 0.75]), "probability"),
        (np.array([[-2.0], [3.0]]), "logit"),
    ],
)
def test_what_a_model_gives_is_found_out(raw: np.ndarray, output: str) -> None:
    assert guess_output(raw)[0] == output
    logs = log_probabilities(raw, output)
    assert logs.shape == (2, 2) and np.exp(logs).sum(axis=1) == pytest.approx([1, 1])


# ---- What is refused, and why


class Broken(nn.Module):
    def __init__(self, inner: nn.Module, how: str) -> None:
        super().__init__()
        self.inner, self.how, self.calls = inner, how, 0
        self.norm = nn.BatchNorm1d(2, track_running_stats=False)

    def forward(self, x: T, edge_index: T, batch: T) -> T:
        self.calls += 1
        out: T = self.inner(x, edge_index, batch)
        if self.how == "chance":
            out = nn.functional.dropout(out, 0.5, training=True)
        elif self.how == "batch":
            out = out - out.mean(0)
        elif self.how == "nan":
            out = out * float("nan")
        elif self.how == "late-nan" and self.calls > 100:
            out = out * float("nan")
        elif self.how == "nodes":
            out = x[:, :2]
        elif self.how == "classes" and self.calls > 100:
            out = torch.cat([out, out], 1)
        elif self.how == "late-error" and self.calls > 100:
            raise RuntimeError("out of luck")
        return out


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("chance", "when it is asked again"),
        ("batch", "depend on the other graphs of the batch"),
        ("nan", "the model gives NaN for a graph of the dataset"),
        ("late-nan", "the model gives nan as the log-probability"),
        ("nodes", "may lack a pooling layer"),
        ("classes", "rows of 4 values"),
    ],
)
def test_answers_that_cannot_be_used_are_refused(
    items: list[Any], gcn: nn.Module, how: str, says: str
) -> None:
    with pytest.raises(fe.Error, match=says):
        fe.explain(items, Broken(gcn, how).eval(), desired=1, **QUICK)


def test_an_exception_in_the_model_comes_through(items: list[Any], gcn: nn.Module) -> None:
    with pytest.raises(RuntimeError, match="out of luck"):
        fe.explain(items, Broken(gcn, "late-error").eval(), desired=1, **QUICK)


def test_a_model_in_training_is_refused(items: list[Any]) -> None:
    with pytest.raises(fe.Error, match="is in training mode") as caught:
        fe.explain(items, OddDropout().train(), desired=1, **QUICK)
    assert "eval()" in caught.value.remedy


def test_a_model_on_two_devices_is_refused(items: list[Any]) -> None:
    module = Two(GCNConv(LABELS, WIDTH), GCNConv(WIDTH, WIDTH, device="meta") if False else
                 GCNConv(WIDTH, WIDTH).to("meta"), global_max_pool)  # fmt: skip
    with pytest.raises(fe.Error, match=r"spread over several devices \(cpu, meta\)"):
        fe.explain(items, module.eval(), desired=1, **QUICK)


def test_a_model_without_weights_is_refused(items: list[Any]) -> None:
    with pytest.raises(fe.Error, match="no weights: it is on the device meta"):
        fe.explain(items, Gcn(items[0].x.shape[1]).eval().to("meta"), desired=1, **QUICK)


def test_a_model_of_other_classes_is_told(items: list[Any]) -> None:
    module = Two(GCNConv(LABELS, WIDTH), GCNConv(WIDTH, WIDTH), global_max_pool)
    module.out = nn.Linear(WIDTH, 5)
    with pytest.raises(fe.Error, match="9"):
        fe.explain(items, module.eval(), desired=9, **QUICK)
    few = [item.clone() for item in items]
    for item in few:
        item.y = item.y + 7
    with pytest.raises(fe.Error, match="nothing says which is which"):
        fe.explain(few, module.eval(), desired=8, **QUICK)


def test_what_is_no_model_is_refused(items: list[Any]) -> None:
    with pytest.raises(fe.Error, match="a int is no model"):
        fe.explain(items, 3, desired=1, **QUICK)
    with pytest.raises(fe.Error, match="it is not clear what is what"):
        fe.explain(items, lambda foo, bar: None, desired=1, **QUICK)
    with pytest.raises(fe.Error, match="an array with a row for each graph was expected"):
        fe.explain(items, lambda x, edge_index, batch: {"a": 1}, desired=1, **QUICK)
    with pytest.raises(fe.Error, match="wants is 'pictures'"):
        fe.BlackBox(print, wants="pictures")
    with pytest.raises(fe.Error, match="No such file"):
        fe.explain(items, "nowhere.pt", desired=1, **QUICK)


def test_batches_are_large(why: fe.Explanation) -> None:
    counts = why.model.counts
    assert counts is not None and counts.asked <= counts.graphs
    assert counts.asked / counts.batches > 10


def test_memory_is_held() -> None:
    """Two hundred explanations take no more memory than some of them."""
    data = fe.generate(30, seed=2)

    def ask(x: np.ndarray, batch: np.ndarray, num_graphs: int) -> np.ndarray:
        oxygen = np.bincount(batch, x[:, 1], num_graphs)
        return np.stack([oxygen - 2.5, 2.5 - oxygen], 1)

    def once() -> None:
        fe.explain(data, ask, desired=1, k=2, method="ground-truth", prove_work=100, threads=1, progress=False)

    def resident() -> int:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize()

    for _ in range(40):
        once()
    gc.collect()
    before = resident()
    for _ in range(160):
        once()
    gc.collect()
    assert resident() - before < 12 << 20


def test_a_model_is_let_go(items: list[Any]) -> None:
    import weakref

    torch.manual_seed(0)
    module = balanced(modules()["gcn"], items)
    watch = weakref.ref(module)
    why = fe.explain(items, module, desired=1, native=False, **{**QUICK, "steps": 5, "refine_work": 10_000,
                                                                "theta": 0.3})  # fmt: skip
    del module, why
    gc.collect()
    assert watch() is None


def test_training_helpers_train(items: list[Any]) -> None:
    """The fixtures say something: the planted rule is learnt better than by guessing."""
    torch.manual_seed(0)
    module = train(Two(GCNConv(LABELS, WIDTH), GCNConv(WIDTH, WIDTH), global_max_pool), items)
    accuracy = fe.predict(items, module, native=False).accuracy
    share = np.mean([int(item.y) for item in items])
    assert accuracy is not None and accuracy > max(share, 1 - share)


def test_the_first_answer_is_kept_unless_there_was_none() -> None:
    data = fe.generate(3000, seed=2)
    graphs = list(data)
    size = np.array([graph.num_nodes for graph in graphs], dtype=np.float32)
    asked: list[int] = []
    fails = [True]

    def ask(batch: _core.Batch) -> np.ndarray:
        asked.append(batch.num_graphs)
        if fails[0] and len(asked) > 2:
            raise RuntimeError("no answer")
        counts = np.array([graph.num_nodes for graph in batch.graphs], dtype=np.float32)
        return np.stack([counts, -counts - len(asked)], axis=1)

    core, _ = _core.callable_classifier(ask, 2, "sizes", data.core, 700, 1 << 30, False)
    with pytest.raises(RuntimeError, match="no answer"):
        core.log_probabilities(graphs, 2)
    assert asked == [700, 700, 700]
    fails[0] = False
    asked.clear()
    twice = core.log_probabilities([*graphs[:100], *graphs[:100]], 1)
    np.testing.assert_array_equal(twice[:100], twice[100:])
    assert asked == [len({(g.labels.tobytes(), g.edges.tobytes()) for g in graphs[:100]})]
    known = asked[0]
    whole = core.log_probabilities(graphs, 2)
    np.testing.assert_array_equal(whole[:, 0], size)
    np.testing.assert_array_equal(whole[:100], twice[:100])
    assert sum(asked[1:]) <= len(graphs) - known
    rounds = len(asked)
    np.testing.assert_array_equal(core.log_probabilities(graphs[::-1], 1), whole[::-1])
    assert len(asked) == rounds
