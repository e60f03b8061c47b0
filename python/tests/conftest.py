# SPDX-License-Identifier: MIT
"""What the tests share: small datasets with a planted rule, and models of them, trained in seconds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GCNConv, global_max_pool

import fewedits as fe

# More would wait for each other on a machine that has other things to do.
torch.set_num_threads(1)

#: Enough for a search to find something, and little enough for a test.
QUICK: dict[str, Any] = {"k": 3, "steps": 60, "refine_work": 3_000_000, "threads": 1, "progress": False}


class Gcn(nn.Module):
    """Graph convolutions, max pooling and a linear layer, as anyone would write them."""

    def __init__(self, features: int, width: int = 16) -> None:
        super().__init__()
        self.first = GCNConv(features, width)
        self.second = GCNConv(width, width)
        self.head = nn.Linear(width, 2)

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor, batch: torch.Tensor) -> torch.Tensor:
        x = self.first(x, edge_index).relu()
        x = self.second(x, edge_index).relu()
        out: torch.Tensor = self.head(global_max_pool(x, batch))
        return out


def train(model: nn.Module, items: Sequence[Any], epochs: int = 40) -> nn.Module:
    optimizer = torch.optim.Adam(model.parameters(), 0.01)
    for _ in range(epochs):
        for batch in DataLoader(list(items), batch_size=64):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(batch.x, batch.edge_index, batch.batch), batch.y)
            loss.backward()
            optimizer.step()
    return model.eval()


@pytest.fixture(scope="session")
def planted() -> fe.Dataset:
    return fe.generate(200, seed=3)


@pytest.fixture(scope="session")
def items(planted: fe.Dataset) -> list[Any]:
    """The same as a list of Data, with one-hot x and edge_attr."""
    out = [planted.to_pyg(graph) for graph in planted]
    assert planted.classes is not None
    for item, label in zip(out, planted.classes.tolist(), strict=True):
        item.y = torch.tensor([label])
    return out


@pytest.fixture(scope="session")
def gcn(items: list[Any]) -> nn.Module:
    torch.manual_seed(0)
    return train(Gcn(items[0].x.shape[1]), items)


@pytest.fixture(scope="session")
def why(items: list[Any], gcn: nn.Module) -> fe.Explanation:
    return fe.explain(items, gcn, desired=1, native=False, **QUICK)


@pytest.fixture(scope="session")
def root() -> Path:
    return Path(__file__).resolve().parents[2]
