# SPDX-License-Identifier: MIT
"""A whole explanation of Mutagenicity by the published GCN: as the engine computes it, and as a plain
module of PyTorch that is asked as it is. One run, the same seed and work; seconds and coverage.

    PYTHONPATH=build/dev/python .venv/bin/python bench/python/whole.py [--shared ../shared] [--refine-work N]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch_geometric.nn import GCNConv, global_max_pool

import fewedits as fe


class PaperGcn(nn.Module):
    """Three graph convolutions with batch norm, max pooling, a linear layer, log-softmax."""

    def __init__(self, state: dict[str, torch.Tensor]) -> None:
        super().__init__()
        width = state["fc.weight"].shape[1]
        labels = state["convs.0.weight"].shape[0]
        self.convs = nn.ModuleList(GCNConv(labels if i == 0 else width, width) for i in range(3))
        self.bns = nn.ModuleList(nn.BatchNorm1d(width) for _ in range(3))
        self.fc = nn.Linear(width, state["fc.weight"].shape[0])
        named = {}
        for name, value in state.items():
            older = name.startswith("convs.") and name.endswith(".weight")
            named[name.replace(".weight", ".lin.weight") if older else name] = value.T if older else value
        self.load_state_dict(named)

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor, batch: torch.Tensor) -> torch.Tensor:
        for conv, bn in zip(self.convs, self.bns):
            x = bn(conv(x, edge_index)).relu()
        return self.fc(global_max_pool(x, batch)).log_softmax(-1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", default="../shared")
    parser.add_argument("--refine-work", type=int, default=None)
    parser.add_argument("--graphs", default=None, help="explain only these: 0-299")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    file = Path(arguments.shared) / "models/mutagenicity/gcn.pth"
    data = fe.open_dataset(Path(arguments.shared) / "datasets/Mutagenicity")
    module = PaperGcn(torch.load(file, map_location="cpu", weights_only=True)).eval().to(arguments.device)
    options: dict[str, Any] = {"bonds": "ignore", "seed": 1, "threads": arguments.threads}
    if arguments.refine_work is not None:
        options["refine_work"] = arguments.refine_work
    if arguments.graphs is not None:
        options["graphs"] = arguments.graphs
    seconds = {}
    for name, model in (("native", file), ("black box", module)):
        start = time.perf_counter()
        why = fe.explain(data, model, native=False if name == "black box" else None, **options)
        seconds[name] = time.perf_counter() - start
        counts = why.model.counts
        asked = "" if counts is None else (
            f", the model was asked about {counts.asked:,} graphs in {counts.batches:,} batches, "
            f"{counts.seconds:.1f} s of it in Python"
        )
        print(f"{name}: {seconds[name]:.1f} s, coverage {why.coverage:.2%} of {len(why.inputs)}{asked}", flush=True)
    print(f"black box over native: {seconds['black box'] / seconds['native']:.2f}")


if __name__ == "__main__":
    main()
