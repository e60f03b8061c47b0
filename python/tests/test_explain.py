# SPDX-License-Identifier: MIT
"""The call, and what comes out."""

from __future__ import annotations

import copy
import inspect
import os
import pickle
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from conftest import QUICK, Gcn
from torch import nn

import fewedits as fe
from fewedits import _core


def test_an_explanation_says_what_it_found(why: fe.Explanation, items: list[Any], gcn: nn.Module) -> None:
    assert 0 < why.coverage <= (why.coverage_upper or 0) <= 1
    assert why.is_proven and why.is_black_box and why.complete
    assert why.model.kind == "torch" and why.desired == "1"
    assert 1 <= len(why) <= 3
    covered = set()
    for c in why:
        item = c.to_pyg()
        with torch.no_grad():
            out = gcn(item.x, item.edge_index, torch.zeros(item.num_nodes, dtype=torch.long))
        assert out.softmax(1)[0, 1].item() == pytest.approx(c.probability, abs=1e-5)
        assert out.argmax().item() == 1
        covered |= set(c.covers)
    assert len(covered) == round(why.coverage * len(why.inputs))
    with torch.no_grad():
        predicted = [
            gcn(i.x, i.edge_index, torch.zeros(i.num_nodes, dtype=torch.long)).argmax().item() for i in items
        ]
    assert why.inputs == [i for i, p in enumerate(predicted) if p != 1]


def test_edits_lead_to_the_counterfactual(why: fe.Explanation) -> None:
    graphs = _core.explained_graphs(why.data.core, why.core)
    checked = 0
    for place, recourse in enumerate(why.core.recourse):
        if not recourse.covered:
            continue
        script = why.script(recourse.input)
        assert script is not None and recourse.counterfactual is not None
        target = why[recourse.counterfactual].graph
        assert script.replay(graphs[place]).is_isomorphic(target)
        assert len(script) <= why.theta * (graphs[place].num_nodes + graphs[place].num_edges
                                           + target.num_nodes + target.num_edges)  # fmt: skip
        checked += 1
    assert checked == round(why.coverage * len(why.inputs)) > 0
    with pytest.raises(fe.Error, match="none of the inputs"):
        why.script(10_000)


def test_the_same_seed_gives_the_same_for_any_number_of_threads(
    why: fe.Explanation, items: list[Any], gcn: nn.Module
) -> None:
    other = fe.explain(items, gcn, desired=1, native=False, **{**QUICK, "threads": 3})
    one, two = why.core.json(), other.core.json()
    assert strip_seconds(one) == strip_seconds(two)


def strip_seconds(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if '"seconds"' not in line)


def test_it_is_shown_in_notebooks(why: fe.Explanation) -> None:
    shown = why._repr_html_()
    assert shown.count("<svg") == len(why) and "black box" in shown
    assert f"{why.coverage:.2%}" in shown and "proven" in shown
    assert f"{len(why.inputs)} inputs" in repr(why)
    assert sum(why.edit_counts().values()) == sum(
        len(r.script) for r in why.core.recourse if r.script is not None
    )


def test_it_is_saved_loaded_pickled_and_copied(
    why: fe.Explanation, items: list[Any], gcn: nn.Module, tmp_path: Path
) -> None:
    file = tmp_path / "why.json"
    why.save(file)
    assert fe.load(file) == why
    back = fe.load(file, items, gcn, native=False)
    assert back == why and back.counterfactuals[0].draw() == why.counterfactuals[0].draw()
    with pytest.raises(fe.Error, match="loaded without its dataset"):
        _ = fe.load(file).data
    with pytest.raises(fe.Error, match="is not the dataset that"):
        fe.load(file, items[:50])
    assert pickle.loads(pickle.dumps(why)) == why
    assert copy.copy(why) == copy.deepcopy(why) == why
    assert pickle.loads(pickle.dumps(why)).counterfactuals[0].draw() == why[0].draw()


def test_keywords_are_those_of_the_one_table() -> None:
    names = set(inspect.signature(fe.explain).parameters)
    table = {row.name.replace("-", "_") for row in _core.option_table()}
    assert table <= names
    assert "counterfactuals to choose, at most" in (fe.explain.__doc__ or "")
    with pytest.raises(TypeError, match="no option 'thetta'; did you mean theta?"):
        fe.explain([], None, thetta=0.1)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"theta": 2}, "theta must be between 0 and 1"),
        ({"k": 0}, "k must be from 1"),
        ({"k": "many"}, "k is 'many'"),
        ({"fill": 1}, "give True or False"),
        ({"method": "guess"}, "there is no method called guess"),
        ({"distance": "far"}, "there is no distance called far"),
        ({"constraints": "no-such"}, "no-such"),
        ({"bonds": "maybe"}, "give use or ignore"),
        ({"method": "cff"}, "derivatives of the model"),
        ({"desired": 7}, "7"),
        ({"graphs": [100_000]}, "100000"),
        ({"graphs": "list.txt"}, "give indices"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    items: list[Any], gcn: nn.Module, options: dict[str, Any], says: str
) -> None:
    with pytest.raises(fe.Error, match=says):
        fe.explain(items, gcn, **{"desired": 1, "native": False, **QUICK, **options})


def test_the_choice_of_inputs_is_the_users(items: list[Any], gcn: nn.Module) -> None:
    every = fe.explain(items, gcn, desired=1, native=False, method="ground-truth", **QUICK)
    some = every.inputs[:10]
    few = fe.explain(items, gcn, desired=1, native=False, method="ground-truth", graphs=some, **QUICK)
    assert few.inputs == some and few.core.from_dataset
    for c in few:
        assert c.origin is not None and c.graph == few.data[c.origin].without_edge_labels()


def test_progress_is_told_and_can_end_it(items: list[Any], gcn: nn.Module) -> None:
    told: list[str] = []

    def tell(stage: str, done: int, total: int, evaluated: int, coverage: float | None) -> bool:
        told.append(stage)
        return stage != "refine"

    options = {**QUICK, "progress": tell}
    early = fe.explain(items, gcn, desired=1, native=False, **options)
    assert not early.complete and "walk" in told and "refine" in told
    assert "ended early" in repr(early)


def test_an_exception_in_progress_comes_through(items: list[Any], gcn: nn.Module) -> None:
    def tell(*_: object) -> None:
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        fe.explain(items, gcn, desired=1, native=False, **{**QUICK, "progress": tell})


class Interrupting(nn.Module):
    """A model during whose work somebody presses Ctrl-C."""

    def __init__(self, inner: nn.Module, after: int) -> None:
        super().__init__()
        self.inner, self.calls, self.after = inner, 0, after

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor, batch: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        if self.calls == self.after:
            os.kill(os.getpid(), signal.SIGINT)
            for _ in range(1000):  # Python looks for signals between instructions
                pass
        out: torch.Tensor = self.inner(x, edge_index, batch)
        return out


def test_ctrl_c_in_the_model_gives_the_best_so_far(items: list[Any], gcn: nn.Module) -> None:
    before = signal.getsignal(signal.SIGINT)
    # Late enough: a sample of single graphs is asked first.
    early = fe.explain(items, Interrupting(gcn, 150).eval(), desired=1, native=False,
                       **{**QUICK, "refine_work": 2_000_000_000, "steps": 5000})  # fmt: skip
    assert not early.complete and len(early) > 0
    assert signal.getsignal(signal.SIGINT) is before
    # It is over: nothing hangs on to be raised later.
    assert fe.explain(items, gcn, desired=1, native=False, **QUICK).complete


def test_ctrl_c_before_there_is_anything_is_an_interrupt(items: list[Any], gcn: nn.Module) -> None:
    with pytest.raises(KeyboardInterrupt):
        fe.explain(items, Interrupting(gcn, 70).eval(), desired=1, native=False, **QUICK)


def test_several_threads_may_explain_at_once(items: list[Any], gcn: nn.Module, why: fe.Explanation) -> None:
    found: list[fe.Explanation] = []
    threads = [
        threading.Thread(
            target=lambda: found.append(fe.explain(items, gcn, desired=1, native=False, **QUICK))
        )
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [strip_seconds(f.core.json()) for f in found] == [strip_seconds(why.core.json())] * 3


def test_a_fork_may_explain(items: list[Any], why: fe.Explanation) -> None:
    del why  # threads of the engine were used, and are gone
    code = (
        "import os, sys, fewedits as fe\n"
        "data = fe.generate(40, seed=1)\n"
        "def ask(x, edge_index, batch, num_graphs):\n"
        "    import numpy as np\n"
        "    oxygen = np.bincount(batch, x[:, 1], num_graphs)\n"
        "    return np.stack([oxygen - 2.5, 2.5 - oxygen], 1)\n"
        "run = lambda: fe.explain(data, ask, desired=1, k=2, steps=20, refine_work=500000,\n"
        "                         threads=2, progress=False)\n"
        "first = run()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os._exit(0 if run().coverage == first.coverage else 7)\n"
        "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=120, check=False).returncode == 0


def test_files_of_models_are_read_too(
    planted: fe.Dataset, root: Path, tmp_path: Path
) -> None:
    """A file in the layout of the paper, made of a module's weights."""
    torch.manual_seed(1)
    planted.save(tmp_path / "planted", desired=1)
    width, labels = 8, len(fe.dataset(tmp_path / "planted").node_names)
    state = {}
    for layer, (a, b) in enumerate([(labels, width), (width, width), (width, width)]):
        state[f"convs.{layer}.weight"] = torch.randn(a, b)
        state[f"convs.{layer}.bias"] = torch.randn(b) / 10
        for name, value in (("weight", 1.0), ("bias", 0.0), ("running_mean", 0.0), ("running_var", 1.0)):
            state[f"bns.{layer}.{name}"] = torch.full((b,), value)
    state["fc.weight"], state["fc.bias"] = torch.randn(2, width), torch.zeros(2)
    file = tmp_path / "gcn.pt"
    torch.save(state, file)
    # As many graphs in the one class as in the other.
    model = _core.open_classifier(file, _core.open_dataset(tmp_path / "planted", desired="model:1"))
    logs = model.log_probabilities([planted[i] for i in range(len(planted))])
    state["fc.bias"][1] = float(np.median(logs[:, 0] - logs[:, 1]))
    torch.save(state, file)
    with pytest.raises(fe.Error, match="nothing says which is which"):
        fe.explain(tmp_path / "planted", file, desired=1, **QUICK)
    found = fe.explain(tmp_path / "planted", file, desired="model:1", **QUICK)
    assert not found.is_black_box and found.core.provenance.model_path == str(file)
    assert "fewedits explain --dataset" in found.core.command


def test_the_extension_links_neither_torch_nor_rdkit() -> None:
    needed = subprocess.run(
        ["readelf", "--dynamic", _core.__file__], capture_output=True, text=True, check=True
    ).stdout
    assert "libc.so" in needed
    assert "torch" not in needed and "RDKit" not in needed and "c10" not in needed


def test_a_gcn_of_other_width_is_told_in_words(items: list[Any]) -> None:
    with pytest.raises(RuntimeError, match="mat1 and mat2"):
        fe.explain(items, Gcn(5).eval(), desired=1, **QUICK)


def test_answers_do_not_depend_on_what_was_asked_before(why: fe.Explanation) -> None:
    graphs = [why.data[i] for i in range(20)]
    one = why.model.core.log_probabilities(graphs)
    two = np.concatenate([why.model.core.log_probabilities([g]) for g in graphs])
    assert np.array_equal(one, two)


def test_the_keywords_for_type_checkers_are_those_of_the_table(root: Path) -> None:
    from fewedits._generate import options_source

    # python -m fewedits._generate python/src/fewedits/_options.py
    assert (root / "python/src/fewedits/_options.py").read_text(encoding="utf-8") == options_source()


def test_the_page_is_made_of_the_docstrings(root: Path) -> None:
    from fewedits import _generate

    # python -m fewedits._generate python/src/fewedits/_options.py docs/python.md
    assert (root / "docs/python.md").read_text(encoding="utf-8") == _generate.page()
    listed = {name for _, _, names in _generate._SECTIONS for name in names}
    assert listed == set(fe.__all__)
