# SPDX-License-Identifier: MIT
"""What is asked of an explanation: recourse, evaluation, verification, pages and pictures."""

from __future__ import annotations

import copy
import json
import os
import pickle
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import fewedits as fe


def test_recourse_of_what_was_explained(why: fe.Explanation) -> None:
    found = why.recourse()
    assert [r.index for r in found] == why.inputs
    covered = [r for r in found if r.status == "yes"]
    assert len(covered) == round(why.coverage * len(why.inputs)) > 0
    for r in covered:
        assert r.script is not None and r.target is not None and r.edits == len(r.script)
        assert r.script.replay(r.graph).is_isomorphic(r.target)
        assert len(r.in_words()) == r.edits and r.draw().count("<svg") == 1
        assert r.distance <= why.theta and not r.accepted and r.probability < 0.5


def test_recourse_of_new_graphs(why: fe.Explanation, items: list[Any], gcn: nn.Module) -> None:
    new = [items[i].clone() for i in why.inputs[:5]]
    found = why.recourse(new)
    assert [r.index for r in found] == [0, 1, 2, 3, 4]
    assert [r.distance for r in found] == [r.distance for r in why.recourse(graphs=why.inputs[:5])]
    [one] = why.recourse(new[0])
    assert one.distance == found[0].distance
    with torch.no_grad():
        item = one.to_pyg()
        out = gcn(item.x, item.edge_index, torch.zeros(item.num_nodes, dtype=torch.long))
    assert out.argmax().item() == 1


def test_answers_are_pickled_and_copied(why: fe.Explanation) -> None:
    [answer] = [r for r in why.recourse(graphs=[why[0].covers[0]])]
    for other in (pickle.loads(pickle.dumps(answer)), copy.copy(answer), copy.deepcopy(answer)):
        assert other.script == answer.script and other.in_words() == answer.in_words()
        assert other.graph == answer.graph and other.draw() == answer.draw()
    for counterfactual in (pickle.loads(pickle.dumps(why[0])), copy.deepcopy(why[0])):
        assert counterfactual.graph == why[0].graph and counterfactual.covers == why[0].covers


def test_recourse_of_a_graph_alone_is_nearer(why: fe.Explanation) -> None:
    graphs = why.inputs[:3]
    alone = why.recourse(graphs=graphs, local=True)
    together = why.recourse(graphs=graphs)
    assert [r.index for r in alone] == graphs
    for one, other in zip(alone, together, strict=True):
        assert one.target is not None and one.distance <= other.distance
        assert one.script is not None and one.script.replay(one.graph).is_isomorphic(one.target)
    with pytest.raises(fe.Error, match="derivatives of the model"):
        why.recourse(graphs=graphs, local="cff")
    [frozen] = why.recourse(graphs=graphs[:1], local=True, freeze=[0, 1])
    assert frozen.edits is None or frozen.edits >= (alone[0].edits or 0)
    with pytest.raises(fe.Error, match="no node 999 to freeze"):
        why.recourse(graphs=graphs[:1], local=True, freeze=[999])


def test_it_is_evaluated_anew(why: fe.Explanation, items: list[Any], gcn: nn.Module) -> None:
    anew = why.evaluate()
    assert anew.coverage >= why.coverage and anew.inputs == why.inputs and anew.complete
    assert all(anew.accepted) and anew.theta == why.theta
    kernel = why.evaluate(distance="wl")
    assert kernel.coverage_upper is None
    half = why.evaluate(items[:100])
    assert set(half.inputs) == {i for i in why.inputs if i < 100}
    graphs = [c.graph for c in why]
    listed = fe.evaluate(graphs, items, gcn, desired=1, native=False)
    assert listed.coverage == anew.coverage
    rejected = fe.evaluate([why.data[why.inputs[0]]], items, gcn, desired=1, native=False)
    assert rejected.accepted == [False] and rejected.coverage == 0


def test_it_is_verified_with_the_model(why: fe.Explanation) -> None:
    found = why.verify()
    assert found and found.holds and found.all_checked and found.model_checked
    assert "claims that were checked hold" in str(found) and "proven" in str(found)
    without = why.verify(model=False)
    assert not without and without.holds and not without.model_checked
    assert "model not checked" in str(without)
    assert without.report.claims < found.report.claims


def test_what_is_false_is_found(why: fe.Explanation, items: list[Any], gcn: nn.Module, tmp_path: Path) -> None:
    file = tmp_path / "why.json"
    why.save(file)
    told = json.loads(file.read_text(encoding="utf-8"))
    told["counterfactuals"][0]["probability"] = 0.987654
    told["counterfactuals"][0]["lead"] = 0.975308
    told["metrics"].pop("smallest_lead", None)
    file.write_text(json.dumps(told), encoding="utf-8")
    changed = fe.load(file, items, gcn, native=False)
    found = changed.verify()
    assert not found.holds and any("recorded as 0.987654" in claim for claim in found.false_claims)


def program(name: str) -> str:
    found = os.environ.get(name)
    if found is None:
        pytest.skip(f"{name} does not say where the program is")
    return found


def test_the_program_says_that_the_model_was_not_checked(why: fe.Explanation, tmp_path: Path) -> None:
    folder, file = tmp_path / "data", tmp_path / "why.json"
    why.data.save(folder, desired=1)
    why.save(file)
    done = subprocess.run(
        [program("FEWEDITS_VERIFY"), str(file), "--dataset", str(folder)], capture_output=True, text=True, check=False
    )
    assert "model not checked" in done.stdout and "a black box that is not here" in done.stdout, done
    assert done.returncode == 5
    done = subprocess.run(
        [program("FEWEDITS_CLI"), "evaluate", str(file), "--dataset", str(folder)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1 and "was made with a model that is in no file" in done.stderr
    told = json.loads(file.read_text(encoding="utf-8"))
    told["metrics"]["cost_mean"] /= 2
    file.write_text(json.dumps(told), encoding="utf-8")
    done = subprocess.run(
        [program("FEWEDITS_VERIFY"), str(file), "--dataset", str(folder)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and "metrics.cost_mean" in done.stdout


def test_a_page_shows_it(why: fe.Explanation, tmp_path: Path) -> None:
    page = tmp_path / "why.html"
    why.report(page)
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>") or text.startswith("<!DOCTYPE html>")
    assert "fewedits.explain(data, model" in text and "PyTorch Gcn" in text
    why.report(page, why)
    assert page.read_text(encoding="utf-8") != text


def test_pictures_are_written(why: fe.Explanation, tmp_path: Path) -> None:
    files = why.draw(tmp_path / "pictures", recourses=1)
    names = [file.name for file in files]
    assert names[: len(why)] == [f"counterfactual-{c + 1:02}.svg" for c in range(len(why))]
    assert all(file.read_text(encoding="utf-8").find("<svg") >= 0 for file in files)
    [*_, last] = why.draw(tmp_path / "one", graphs=why.inputs[:1])
    assert last.name.endswith(f"graph-{why.inputs[0]}.svg")
    with pytest.raises(fe.Error, match="is none of the inputs"):
        why.draw(tmp_path / "none", graphs=[10_000])


def test_a_table_has_a_row_for_each_input(why: fe.Explanation) -> None:
    table = why.to_pandas()
    assert list(table["graph"]) == why.inputs
    assert table["covered"].mean() == pytest.approx(why.coverage)
    assert str(table["edits"].dtype) == "Int64"
    assert (table["edits_lower"] <= table["edits"]).all()


def test_predictions_are_the_models(items: list[Any], gcn: nn.Module) -> None:
    found = fe.predict(items, gcn, native=False)
    with torch.no_grad():
        own = [
            gcn(i.x, i.edge_index, torch.zeros(i.num_nodes, dtype=torch.long)).softmax(1)[0].numpy()
            for i in items[:20]
        ]
    columns = [int(name) for name in found.names]
    assert np.allclose(found.probabilities[:20], np.array(own)[:, columns], atol=1e-5)
    accuracy = np.mean([name == str(int(i.y)) for name, i in zip(found, items, strict=True)])
    assert found.accuracy == pytest.approx(accuracy)


def test_fragility_is_that_of_the_program(why: fe.Explanation, gcn: nn.Module, tmp_path: Path) -> None:
    native = fe.predict(why.data, gcn).model
    native.save(tmp_path / "gcn.json")
    why.data.save(tmp_path / "data", desired=1)
    done = subprocess.run(
        [program("FEWEDITS_CLI"), "fragility", "--dataset", str(tmp_path / "data"), "--model",
         str(tmp_path / "gcn.json"), "--bonds", "ignore", "--json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    told = json.loads(done.stdout)
    found = why.fragility(threads=2, progress=False)
    for side, graphs in (("rejected", found.rejected), ("accepted", found.accepted)):
        assert [(g.graph, g.steps, g.enough, g.fewest_known) for g in graphs] == [
            (row["graph"], row["steps"], row["enough"], row["fewest_known"]) for row in told[side]["each"]
        ]
    assert found.share(2) >= found.share(1) > 0 and len(found.to_pandas()) == len(why.data)
    assert "rejected" in repr(found) and pickle.loads(pickle.dumps(found)).share() == found.share()
    other = fe.fragility(why.data, gcn, desired=1, bonds="ignore", progress=False)
    assert [g.enough for g in other.rejected] == [g.enough for g in found.rejected]
    with pytest.raises(fe.Error, match="bonds is 'no'"):
        fe.fragility(why.data, gcn, desired=1, bonds="no")
