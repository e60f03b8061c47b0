# SPDX-License-Identifier: MIT
"""Graphs per second through the bridge, beside the model alone on tensors that are ready, in one run.

    PYTHONPATH=build/dev/python .venv/bin/python bench/python/bridge.py [--device cuda] [--batches 64 512 4096]

The model is a GIN of five layers of width 64, the graphs are generated molecules. Before anything is
timed, answers through the bridge are compared with those of torch_geometric's own batches. Medians over
repeated calls; "overhead" is the time of the bridge beyond that of the model, as a share of it.
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
from fewedits.models import log_probabilities, open_model


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


def median_seconds(call: Callable[[], Any], repeats: int, device: torch.device) -> float:
    times = []
    call()
    for _ in range(repeats):
        if device.type == "cuda":
            torch.cuda.synchronize()
        start = time.perf_counter()
        call()
        if device.type == "cuda":
            torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--batches", type=int, nargs="+", default=[64, 512, 4096])
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--torch-threads", type=int, default=0)
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
    rows = []
    for size in arguments.batches:
        some = graphs[:size]
        items = [data.to_pyg(graph) for graph in some]
        ready = Batch.from_data_list(items).to(device)
        with torch.no_grad():
            expected = model(ready.x, ready.edge_index, ready.batch).cpu().numpy()
            alone = median_seconds(
                lambda: model(ready.x, ready.edge_index, ready.batch).cpu(), arguments.repeats, device
            )
            listed = median_seconds(
                lambda: model(*(getattr(Batch.from_data_list(items).to(device), n)
                                for n in ("x", "edge_index", "batch"))).cpu(),
                max(2, arguments.repeats // 5), device,
            )  # fmt: skip
        # A new classifier for each call: answers are kept, and are to be asked for here.
        first = open_model(model, data, 1, native=False, batch_size=size)
        found = first.core.log_probabilities(some)
        column = [first.core.column_of(c) for c in range(2)]
        wanted = log_probabilities(expected, "logits")[:, column]
        assert np.abs(np.exp(found) - np.exp(wanted)).max() < 1e-4, "the bridge gives other answers"
        fresh = [first.on(data) for _ in range(arguments.repeats + 1)]
        turn = iter(fresh)
        pool = _core.Asking(some)
        bridge = median_seconds(lambda: pool.ask(next(turn).core), arguments.repeats, device)
        rows.append({"batch": size, "model_alone": size / alone, "bridge": size / bridge,
                     "lists_of_data": size / listed, "overhead": bridge / alone - 1})  # fmt: skip
    what = torch.cuda.get_device_name() if device.type == "cuda" else f"{torch.get_num_threads()} threads"
    print(f"graphs/s on {device.type} ({what}); GIN, five layers of width 64")
    print(f"{'batch':>6} {'model alone':>12} {'bridge':>12} {'overhead':>9} {'lists of Data':>14}")
    for row in rows:
        print(f"{row['batch']:>6} {row['model_alone']:>12,.0f} {row['bridge']:>12,.0f} "
              f"{row['overhead']:>9.1%} {row['lists_of_data']:>14,.0f}")  # fmt: skip
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"device": device.type, "what": what, "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
