# SPDX-License-Identifier: MIT
"""Graphs per second through the bridge, beside the model alone on tensors that are ready, in one run.

    PYTHONPATH=build/dev/python .venv/bin/python bench/python/bridge.py [--device cuda] [--batches 64 512 4096]

The model is a GIN of five layers of width 64, the graphs are generated molecules. Before anything is
timed, answers through the bridge are compared with those of torch_geometric's own batches. Medians over
repeated calls of both in turn; "overhead" is the time of the bridge beyond that of the model, as a share
of it. A second table says where the time goes.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn
from torch_geometric.data import Batch
from torch_geometric.nn import GINConv, global_add_pool

import fewedits as fe
from fewedits import _core
from fewedits.models import _rows, _Torch, log_probabilities, open_model, torch_inputs


class Gin(nn.Module):
    def __init__(self, features: int, width: int = 64, layers: int = 5) -> None:
        super().__init__()
        sizes = [features] + [width] * layers
        self.convs = nn.ModuleList(
            GINConv(nn.Sequential(nn.Linear(a, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Linear(width, width)))
            for a in sizes[:-1]
        )
        self.out = nn.Linear(width, 2)

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor, batch: torch.Tensor) -> torch.Tensor:
        for conv in self.convs:
            x = conv(x, edge_index).relu()
        return self.out(global_add_pool(x, batch))


def synchronized(device: torch.device) -> float:
    """The time, when the device has done what it was told."""
    if device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


def median_seconds(calls: list[Callable[[], Any]], repeats: int, device: torch.device) -> list[float]:
    """Of each call; they take turns, so that a busy machine slows all of them."""
    times: list[list[float]] = [[] for _ in calls]
    for repeat in range(repeats + 1):
        for call, own in zip(calls, times):
            start = synchronized(device)
            call()
            if repeat > 0:
                own.append(synchronized(device) - start)
    return [float(np.median(own)) for own in times]


class Parts:
    """Where the time goes: asks as the bridge does, and takes the time of each part."""

    NAMES = ("arrays", "model", "answers", "logarithms")

    def __init__(self, model: Gin, data: fe.Dataset) -> None:
        self._asked = _Torch(model, torch_inputs(model), data, data.core)
        self._model = model
        self.seconds: list[tuple[float, ...]] = []

    def __call__(self, batch: _core.Batch) -> np.ndarray:
        device = self._asked._device
        times = [synchronized(device)]
        tensors = self._asked.tensors(batch)
        times.append(synchronized(device))
        with torch.no_grad():
            raw = self._model(tensors["x"], tensors["edge_index"], tensors["batch"])
        times.append(synchronized(device))
        rows = _rows(raw, batch.num_graphs, "the model")
        times.append(time.perf_counter())
        out = log_probabilities(rows, "logits")
        times.append(time.perf_counter())
        self.seconds.append(tuple(b - a for a, b in zip(times, times[1:])))
        return out

    @staticmethod
    def milliseconds(
        model: Gin, data: fe.Dataset, graphs: list[fe.Graph], repeats: int, threads: int
    ) -> dict[str, float]:
        """Medians; "engine" is what is not in the callable."""
        pool = _core.Asking(graphs, threads)
        parts = Parts(model, data)
        engine = []
        for _ in range(repeats + 1):
            core, _ = _core.callable_classifier(parts, 2, "parts", data.core, len(graphs), 1 << 30, False)
            total = pool.ask(core)
            engine.append(total - sum(parts.seconds[-1]))
        out = dict(zip(Parts.NAMES, np.median(parts.seconds[1:], axis=0) * 1e3))
        return {"engine": float(np.median(engine[1:])) * 1e3} | {name: float(ms) for name, ms in out.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--batches", type=int, nargs="+", default=[64, 512, 4096])
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--torch-threads", type=int, default=0)
    parser.add_argument("--threads", type=int, default=0, help="of the engine; 0: all cores")
    parser.add_argument("--json", default="")
    arguments = parser.parse_args()
    if arguments.torch_threads:
        torch.set_num_threads(arguments.torch_threads)
    device = torch.device(arguments.device)
    torch.manual_seed(1)
    data = fe.generate(max(arguments.batches), seed=1)
    model = Gin(len(data.node_names)).eval().to(device)
    core = data.core
    graphs = [core[i] for i in range(len(core))]
    other = fe.generate(max(arguments.batches), seed=2).core
    other_graphs = [other[i] for i in range(len(other))]
    rows = []
    for size in arguments.batches:
        some = graphs[:size]
        items = [data.to_pyg(graph) for graph in some]
        ready = Batch.from_data_list(items).to(device)
        with torch.no_grad():
            expected = model(ready.x, ready.edge_index, ready.batch).cpu().numpy()
        # A new classifier for each call: answers are kept, and are to be asked for here.
        first = open_model(model, data, 1, native=False, batch_size=size)
        found = first.core.log_probabilities(some)
        column = [first.core.column_of(c) for c in range(2)]
        wanted = log_probabilities(expected, "logits")[:, column]
        assert np.abs(np.exp(found) - np.exp(wanted)).max() < 1e-4, "the bridge gives other answers"
        fresh = [first.on(data) for _ in range(arguments.repeats + 1)]
        pool = _core.Asking(some, arguments.threads)
        # A run asks many times: what the first question alone costs (memory that is pinned) is no part.
        others = _core.Asking(other_graphs[:size], arguments.threads)
        for model_of_turn in fresh:
            others.ask(model_of_turn.core)
        turn = iter(fresh)

        def alone() -> None:
            with torch.no_grad():
                model(ready.x, ready.edge_index, ready.batch).cpu()

        def listed() -> None:
            batch = Batch.from_data_list(items).to(device)
            with torch.no_grad():
                model(batch.x, batch.edge_index, batch.batch).cpu()

        alone_s, bridge_s = median_seconds(
            [alone, lambda: pool.ask(next(turn).core)], arguments.repeats, device
        )
        [listed_s] = median_seconds([listed], max(2, arguments.repeats // 5), device)
        parts = Parts.milliseconds(model, data, some, arguments.repeats, arguments.threads)
        rows.append({"batch": size, "model_alone": size / alone_s, "bridge": size / bridge_s,
                     "lists_of_data": size / listed_s, "overhead": bridge_s / alone_s - 1,
                     "parts_ms": parts})  # fmt: skip
    what = torch.cuda.get_device_name() if device.type == "cuda" else f"{torch.get_num_threads()} threads"
    print(f"graphs/s on {device.type} ({what}); GIN, five layers of width 64")
    print(f"{'batch':>6} {'model alone':>12} {'bridge':>12} {'overhead':>9} {'lists of Data':>14}")
    for row in rows:
        print(f"{row['batch']:>6} {row['model_alone']:>12,.0f} {row['bridge']:>12,.0f} "
              f"{row['overhead']:>9.1%} {row['lists_of_data']:>14,.0f}")  # fmt: skip
    print("milliseconds of a batch, when each part is waited for: the engine (has it answered before?), "
          "arrays and features, the model, its answers back, logarithms")  # fmt: skip
    for row in rows:
        print(f"{row['batch']:>6} " + ", ".join(f"{name} {ms:.2f}" for name, ms in row["parts_ms"].items()))
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"device": device.type, "what": what, "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
