# SPDX-License-Identifier: MIT
"""The same module, computed by the engine and asked as it is: what comes out is the same, or as good."""

from __future__ import annotations

from typing import Any

import numpy as np
from conftest import QUICK
from torch import nn

import fewedits as fe


def test_native_and_black_box_cover_alike(items: list[Any], gcn: nn.Module) -> None:
    """`bench/python/paired.py` does the same with ten seeds and more work."""
    differences = []
    for seed in range(1, 4):
        coverages = []
        for native in (True, False):
            why = fe.explain(items, gcn, desired=1, seed=seed, native=native, **QUICK)
            assert why.verify(), (seed, native)
            assert why.is_black_box is not native
            coverages.append(why.coverage)
        differences.append(coverages[1] - coverages[0])
    assert abs(np.mean(differences)) <= 0.01, differences
