# SPDX-License-Identifier: MIT
"""What is left on disk: runs that are saved and resumed, models that were converted, trained models."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from conftest import QUICK, Gcn
from torch import nn
from torch_geometric.nn import GATConv, GINEConv, global_add_pool, global_mean_pool

import fewedits as fe


def program(name: str) -> str:
    found = os.environ.get(name)
    if found is None:
        pytest.skip(f"{name} does not say where the program is")
    return found


def without_seconds(why: fe.Explanation) -> str:
    return "\n".join(line for line in why.core.json().splitlines() if '"seconds"' not in line)


# ---- Runs


@pytest.mark.parametrize("native", [None, False])
def test_a_run_that_was_stopped_is_resumed(
    items: list[Any], gcn: nn.Module, tmp_path: Path, native: bool | None
) -> None:
    def run(**how: Any) -> fe.Explanation:
        return fe.explain(items, gcn, desired=1, native=native, **{**QUICK, **how})

    whole = run()

    def stop_early(stage: str, done: int, total: int, evaluated: int, coverage: float | None) -> bool:
        return stage != "refine"

    part = run(run_dir=tmp_path, save_seconds=0, progress=stop_early)
    assert not part.complete and (tmp_path / "run.fewedits").exists()
    again = run(run_dir=tmp_path, resume=True)
    assert again.complete and without_seconds(again) == without_seconds(whole)


def test_a_run_is_resumed_as_it_was_begun_or_not_at_all(
    items: list[Any], gcn: nn.Module, tmp_path: Path
) -> None:
    def run(model: Any = gcn, **how: Any) -> fe.Explanation:
        return fe.explain(items, model, desired=1, native=False, **{**QUICK, "run_dir": tmp_path, **how})

    with pytest.raises(fe.Error, match="no run to resume"):
        run(resume=True)
    with pytest.raises(fe.Error, match="needs the folder of the run"):
        run(resume=True, run_dir="")
    with pytest.raises(fe.Error, match="is not saved on the way"):
        run(method="ground-truth", distance="certified")
    run()
    with pytest.raises(fe.Error, match="a run in this folder already"):
        run()
    with pytest.raises(fe.Error, match="theta"):
        run(resume=True, theta=0.2)
    other = Gcn(items[0].x.shape[1])
    other.load_state_dict(gcn.state_dict())
    with torch.no_grad():
        other.head.bias.add_(torch.tensor([0.5, -0.5]))
    with pytest.raises(fe.Error, match="model"):
        run(other.eval(), resume=True)
    (tmp_path / "run.fewedits").write_bytes(b"no run")
    with pytest.raises(fe.Error, match="run.fewedits"):
        run(resume=True)


def test_only_one_is_at_work_in_a_folder(items: list[Any], gcn: nn.Module, tmp_path: Path) -> None:
    refused: list[fe.Error] = []

    def tell(*_: Any) -> bool:
        if not refused:
            with pytest.raises(fe.Error, match="at work in this folder") as caught:
                fe.explain(items, gcn, desired=1, native=False, **{**QUICK, "run_dir": tmp_path, "resume": True})
            refused.append(caught.value)
        return True

    fe.explain(items, gcn, desired=1, native=False, **{**QUICK, "run_dir": tmp_path, "progress": tell})
    assert refused


# ---- Models that were converted


class Gat(nn.Module):
    """Labels through an embedding, edges with attention to their labels."""

    def __init__(self, features: int, edges: int) -> None:
        super().__init__()
        self.embed = nn.Linear(features, 12)
        self.conv = GATConv(12, 8, heads=2, edge_dim=edges, fill_value="mean")
        self.out = nn.Linear(16, 2)

    def forward(
        self, x: torch.Tensor, edge_index: torch.Tensor, edge_attr: torch.Tensor, batch: torch.Tensor
    ) -> torch.Tensor:
        x = self.conv(self.embed(x), edge_index, edge_attr).relu()
        out: torch.Tensor = self.out(global_mean_pool(x, batch))
        return out


class Gine(nn.Module):
    def __init__(self, features: int, edges: int) -> None:
        super().__init__()
        self.conv = GINEConv(nn.Sequential(nn.Linear(features, 8), nn.ReLU(), nn.Linear(8, 8)), edge_dim=edges)
        self.out = nn.Linear(8, 2)

    def forward(
        self, x: torch.Tensor, edge_index: torch.Tensor, edge_attr: torch.Tensor, batch: torch.Tensor
    ) -> torch.Tensor:
        out: torch.Tensor = self.out(global_add_pool(self.conv(x, edge_index, edge_attr).relu(), batch))
        return out


@pytest.mark.parametrize("kind", ["gcn", "gat", "gine"])
def test_a_converted_model_is_written_and_read(
    kind: str, items: list[Any], gcn: nn.Module, tmp_path: Path
) -> None:
    torch.manual_seed(4)
    features, edges = items[0].x.shape[1], items[0].edge_attr.shape[1]
    module = gcn if kind == "gcn" else Gat(features, edges) if kind == "gat" else Gine(features, edges)
    data = fe.dataset(items)
    ours = fe.predict(data, module.eval())
    assert ours.model.kind == "native" and not ours.model.is_black_box
    ours.model.save(tmp_path / "m.json")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.json", "m.safetensors"]
    read = fe.predict(data, tmp_path / "m.json")
    assert read.model.kind == "file"
    np.testing.assert_array_equal(read.log_probabilities, ours.log_probabilities)
    with pytest.raises(fe.Error, match="is in a file already"):
        read.model.save(tmp_path / "other.json")
    with pytest.raises(fe.Error, match="ends in .json"):
        ours.model.save(tmp_path / "m.pt")
    asked = fe.predict(data, module, native=False)
    with pytest.raises(fe.Error, match="no model that the engine computes"):
        asked.model.save(tmp_path / "black.json")


def test_the_program_checks_a_model_that_was_converted(items: list[Any], gcn: nn.Module, tmp_path: Path) -> None:
    why = fe.explain(items, gcn, desired=1, **QUICK)
    assert not why.is_black_box and why.model.kind == "native" and "natively" in why.model.about
    file, folder = tmp_path / "why.json", tmp_path / "data"
    why.save(file)
    why.data.save(folder, desired=1)
    told = json.loads(file.read_text(encoding="utf-8"))["model"]
    assert told["path"] == "why.model.json" and len(told["hash"]) == 64
    done = subprocess.run(
        [program("FEWEDITS_VERIFY"), str(file), "--dataset", str(folder)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and "model not checked" not in done.stdout, done
    # By the module, and by the file.
    for model in (gcn, tmp_path / "why.model.json"):
        back = fe.load(file, items, model)
        assert not back.is_black_box and back.verify()
    # Another model is found out.
    weights = tmp_path / "why.model.safetensors"
    text = weights.read_bytes()
    weights.write_bytes(text[:-4] + b"\0\0\0\0")
    done = subprocess.run(
        [program("FEWEDITS_VERIFY"), str(file), "--dataset", str(folder)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and "model: it is another one" in done.stdout


def test_without_its_model_it_counts_as_a_black_box(items: list[Any], gcn: nn.Module, tmp_path: Path) -> None:
    why = fe.explain(items, gcn, desired=1, **QUICK)
    why.save(tmp_path / "why.json", model=False)
    assert [path.name for path in tmp_path.iterdir()] == ["why.json"]
    back = fe.load(tmp_path / "why.json", items)
    assert back.is_black_box
    checked = back.verify(model=False)
    assert checked.holds and not checked.all_checked


# ---- Training


def test_training_is_a_program_of_its_own(planted: fe.Dataset, tmp_path: Path) -> None:
    told = fe.train(planted, tmp_path / "m.safetensors", program=program("FEWEDITS_TRAIN"),
                    conv="gin", epochs=3, head=[8], no_batch_norm=True, seed=2)  # fmt: skip
    assert told["epochs_run"] == 3 and told["complete"]
    spec = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))
    assert spec["layers"][0]["conv"] == "gin" and len(spec["head"]) == 2
    planted.save(tmp_path / "data")
    read = fe.predict(tmp_path / "data", tmp_path / "m.safetensors")
    assert read.log_probabilities.shape == (200, 2) and read.accuracy is not None
    with pytest.raises(fe.Error, match="--epochs"):
        fe.train(planted, tmp_path / "n.safetensors", program=program("FEWEDITS_TRAIN"), epochs=0)


def test_a_distance_is_trained(planted: fe.Dataset, tmp_path: Path) -> None:
    fe.train_distance(planted, tmp_path / "g.safetensors", program=program("FEWEDITS_TRAIN"), pairs=60,
                      epochs=1, budget_work=200, layers=1, width=8, threads=1)  # fmt: skip
    planted.save(tmp_path / "data")
    [found] = fe.distances(tmp_path / "data", [(0, 1)], method="greed", greed_model=str(tmp_path / "g.safetensors"))
    assert np.isfinite(found.distance)


def test_without_the_program_it_is_said(planted: fe.Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(fe.Error, match="nowhere on the PATH") as caught:
        fe.train(planted, tmp_path / "m.safetensors")
    assert "program=" in caught.value.remedy
    with pytest.raises(fe.Error, match="cannot be started"):
        fe.train(planted, tmp_path / "m.safetensors", program=tmp_path / "nothing")
