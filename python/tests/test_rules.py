# SPDX-License-Identifier: MIT
"""Rules: those of the program, by every way in which a model is asked, and the page that shows them."""

from __future__ import annotations

import copy
import inspect
import json
import os
import pickle
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import fewedits as fe
from fewedits import _core
from fewedits.rules import RuleOptions

#: Little enough for a test.
LITTLE: dict[str, Any] = {"rules": 3, "expansions": 20, "two_steps": 10, "more_changes": 1}


def program(name: str) -> str:
    found = os.environ.get(name)
    if not found:
        pytest.skip(f"{name} does not say where the program is")
    return found


@pytest.fixture(scope="module")
def found(items: list[Any], gcn: nn.Module) -> fe.RuleList:
    return fe.rules(items, gcn, desired=1, native=False, threads=2, progress=False, **LITTLE)


def numbers(told: Any) -> Any:
    """Without what tells where a list comes from."""
    return {key: told[key] for key in told if key not in ("dataset", "model", "software", "options", "seed", "classes")}


def test_rules_are_those_of_the_program(
    why: fe.Explanation, items: list[Any], gcn: nn.Module, found: fe.RuleList, tmp_path: Path
) -> None:
    native = fe.predict(why.data, gcn).model
    native.save(tmp_path / "gcn.json")
    why.data.save(tmp_path / "data", desired=1)
    file = tmp_path / "rules.json"
    cli = [program("FEWEDITS_CLI"), "rules", "--dataset", str(tmp_path / "data"), "--model", str(tmp_path / "gcn.json")]
    little = [text for name, value in LITTLE.items() for text in (f"--{name.replace('_', '-')}", str(value))]
    subprocess.run([*cli, *little, "-o", str(file)], capture_output=True, text=True, check=True)
    told = json.loads(file.read_text(encoding="utf-8"))
    own = fe.rules(tmp_path / "data", tmp_path / "gcn.json", threads=1, progress=False, **LITTLE)
    assert numbers(json.loads(own.core.json())) == numbers(told)
    assert own.core.provenance.options == fe.load_rules(file).core.provenance.options
    loaded = fe.load_rules(file)
    assert [r.text for r in loaded] == [r.text for r in own] and loaded.figures == own.figures
    assert [r.text for r in found] == [r.text for r in own]
    assert loaded.held_out == own.held_out == found.held_out


def test_a_rule_tells_what_it_does(found: fe.RuleList) -> None:
    assert 0 < len(found) <= 3 and found.complete and found.objective == "average" and found.theta == 0.1
    assert found[-1].place == len(found) - 1 and [r.place for r in found] == list(range(len(found)))
    with pytest.raises(IndexError):
        found[3]
    for r in found:
        alone, so_far = r.figures
        assert 0 <= alone.everywhere <= alone.average <= alone.somewhere <= r.support == alone.support <= 1
        assert so_far.support >= alone.support
        # Every figure again, from the places.
        n = len(found.inputs)
        assert set(r.places) <= set(found.inputs)
        assert alone.support == pytest.approx(len(r.places) / n)
        assert alone.average == pytest.approx(sum(works / places for places, works in r.places.values()) / n)
        assert alone.somewhere == pytest.approx(sum(works > 0 for _, works in r.places.values()) / n)
        assert alone.everywhere == pytest.approx(sum(works == places for places, works in r.places.values()) / n)
        assert r.edits >= 1 and ">" in r.text and r.words and r.reading
        assert r.before.rejected <= n and r.on_accepted.accepted <= r.on_accepted.places
        assert r.text in repr(r)
    assert found.figures == found[-1].figures.list
    assert found.held_out is not None and len(found.held_out_rules) == 5
    low, high = found.interval(found.held_out.average)
    assert 0 <= low < found.held_out.average < high <= 1
    assert found.baselines is not None and found.baselines.random_rules is not None
    assert found.figures.average > found.baselines.random_rules.average
    assert "held out" in repr(found)


def test_it_is_seen_and_taken_along(found: fe.RuleList, items: list[Any], gcn: nn.Module, tmp_path: Path) -> None:
    table = found.to_pandas()
    assert list(table["rule"]) == [r.text for r in found] and list(table["support"]) == [r.support for r in found]
    shown = found._repr_html_()
    assert shown.count("<tr>") == 1 + len(found) + 4 and "held out" in shown
    again = pickle.loads(pickle.dumps(found))
    assert again == found and [r.reading for r in again] == [r.reading for r in found]
    file = tmp_path / "rules.json"
    found.save(file)
    alone = fe.load_rules(file)
    assert alone == found and alone[0].reading is None and alone[0].words
    together = fe.load_rules(file, items, gcn, native=False)
    assert [r.reading for r in together] == [r.reading for r in found] and together.accepted == found.accepted
    with pytest.raises(fe.Error, match="is not the dataset"):
        fe.load_rules(file, items[:100])
    with pytest.raises(fe.Error, match="give its dataset"):
        fe.load_rules(file, model=gcn)


def test_a_module_and_the_engine_find_the_same(found: fe.RuleList, items: list[Any], gcn: nn.Module, tmp_path: Path) -> None:
    native = fe.rules(items, gcn, desired=1, native=True, threads=1, progress=False, **LITTLE)
    assert numbers(json.loads(native.core.json())) == numbers(json.loads(found.core.json()))
    file = tmp_path / "rules.json"
    native.save(file)
    folder = tmp_path / "data"
    fe.dataset(items).save(folder, desired=1)
    verify = [program("FEWEDITS_VERIFY"), str(file), "--dataset", str(folder)]
    done = subprocess.run(verify, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done
    told = json.loads(file.read_text(encoding="utf-8"))
    told["rules"][0]["alone"]["on_average"] *= 0.9
    file.write_text(json.dumps(told), encoding="utf-8")
    done = subprocess.run(verify, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done
    with pytest.raises(fe.Error, match="of no module that the engine computes"):
        found.save(file, model="why.model.json")


def test_rules_are_measured(found: fe.RuleList, items: list[Any], gcn: nn.Module) -> None:
    how: dict[str, Any] = {"desired": 1, "native": False, "progress": False}
    anew = fe.rules(items, gcn, measure=found, **how)
    assert [r.figures for r in anew] == [r.figures for r in found] and anew.held_out is None
    assert anew.baselines is not None and anew.baselines.random_rules is None
    one = fe.rules(items, gcn, measure=found[0].text, **how)
    assert [r.text for r in one] == [found[0].text] and one[0].figures.alone == found[0].figures.alone
    with pytest.raises(fe.Error):
        fe.rules(items, gcn, measure="no rule", **how)
    with pytest.raises(fe.Error, match="no rules to measure"):
        fe.rules(items, gcn, measure=[], **how)


def test_what_makes_no_sense_is_refused(items: list[Any], gcn: nn.Module, why: fe.Explanation) -> None:
    how: dict[str, Any] = {"desired": 1, "progress": False}
    for options, words in (
        ({"objective": "most"}, "objective is 'most'"),
        ({"rules": 0}, "rules is 0"),
        ({"min_support": 1.5}, "min_support is 1.5"),
        ({"bonds": "no"}, "bonds is 'no'"),
        ({"second_model": "nowhere.pt"}, "nowhere.pt"),
    ):
        with pytest.raises(fe.Error, match=words):
            fe.rules(items, gcn, **how, **options)
    with pytest.raises(TypeError, match="no option 'walks'"):
        why.rules(walks=3)  # type: ignore[call-arg]


def test_a_second_model_must_accept_it_too(found: fe.RuleList, items: list[Any], gcn: nn.Module, tmp_path: Path) -> None:
    file = tmp_path / "gcn.json"
    fe.predict(items, gcn).model.save(file)
    how: dict[str, Any] = {"desired": 1, "native": False, "progress": False, "measure": found}
    same = fe.rules(items, gcn, second_model=file, **how)
    assert [r.figures for r in same] == [r.figures for r in found]
    # One that accepts just what the first one rejects leaves nothing.
    other = copy.deepcopy(gcn)
    with torch.no_grad():
        for parameter in list(other.parameters())[-2:]:
            parameter.neg_()
    fe.predict(items, other).model.save(file)
    nothing = fe.rules(items, gcn, second_model=file, **how)
    assert all(r.figures.alone.somewhere == 0 < r.support for r in nothing)


def test_what_was_found_by_then_is_the_result(items: list[Any], gcn: nn.Module) -> None:
    told: list[tuple[str, int, int]] = []

    def until(stage: str, done: int, total: int, *_: object) -> bool:
        told.append((stage, done, total))
        return stage != "choose rules"

    ended = fe.rules(items, gcn, desired=1, native=False, progress=until, **LITTLE)
    assert not ended.complete and len(ended) > 0 and ended.held_out is None and ended.baselines is None
    assert "ended early" in repr(ended) and told[-1][0] == "choose rules"
    assert all(r.figures.alone.support > 0 for r in ended)


def test_an_interrupt_in_the_model_gives_the_best_so_far(items: list[Any], gcn: nn.Module) -> None:
    stages: list[str] = []
    raised_in: list[str] = []

    class Impatient(nn.Module):
        def forward(self, x: torch.Tensor, edge_index: torch.Tensor, batch: torch.Tensor) -> torch.Tensor:
            if stages and stages[-1] != "list steps" and not raised_in:
                raised_in.append(stages[-1])
                raise KeyboardInterrupt
            out: torch.Tensor = gcn(x, edge_index, batch)
            return out

    def tell(stage: str, *_: object) -> None:
        stages.append(stage)

    ended = fe.rules(items, Impatient().eval(), desired=1, native=False, threads=1, progress=tell, **LITTLE)
    assert raised_in == ["try rules"] and not ended.complete and len(ended) > 0
    # Before there is anything, it is one.
    stages[:], raised_in[:] = ["before"], []
    with pytest.raises(KeyboardInterrupt):
        fe.rules(items, Impatient().eval(), desired=1, native=False, threads=1, progress=False, **LITTLE)


def test_a_signal_gives_the_best_so_far(items: list[Any], gcn: nn.Module) -> None:
    def tell(stage: str, *_: object) -> None:
        if stage == "choose rules":
            os.kill(os.getpid(), signal.SIGINT)

    for native in (True, False):
        ended = fe.rules(items, gcn, desired=1, native=native, progress=tell, **LITTLE)
        assert not ended.complete and len(ended) > 0 and ended.held_out is None


def test_an_explanation_has_rules(why: fe.Explanation, found: fe.RuleList, tmp_path: Path) -> None:
    own = why.rules(progress=False, threads=2, **LITTLE)
    assert own.inputs == why.inputs == found.inputs and own.theta == why.theta
    assert ("explanation", "") in own.core.provenance.options
    assert own.figures.average >= found.figures.average - 0.05
    page = tmp_path / "why.html"
    why.report(page)
    without = page.read_text(encoding="utf-8")
    # The model is at hand: the first sentences are there, as they are not in a loaded one's page.
    assert '"opening":[{' in without
    file = tmp_path / "why.json"
    why.save(file)
    fe.load(file, why.data).report(page)
    assert '"opening":[{' not in page.read_text(encoding="utf-8")
    why.report(page, rules=own, fragility=why.fragility(progress=False))
    text = page.read_text(encoding="utf-8")
    assert own[0].words in text and own[0].words not in without
    own.report(page)
    assert own[0].words in page.read_text(encoding="utf-8")
    own.save(file)
    with pytest.raises(fe.Error, match="without their dataset"):
        fe.load_rules(file).report(page)


def test_defaults_are_the_programs() -> None:
    own = _core.RuleSearch()
    told = inspect.signature(fe.rules).parameters
    for name in RuleOptions.__annotations__:
        if name != "measure":
            assert told[name].default == getattr(own, name), name
    text = subprocess.run([program("FEWEDITS_CLI"), "rules", "--help"], capture_output=True, text=True, check=True).stdout
    for name in RuleOptions.__annotations__:
        if name != "measure":
            flag = "--" + name.replace("_", "-")
            assert re.search(rf"{flag} .*={told[name].default}(\s|$)", text, re.MULTILINE), name
