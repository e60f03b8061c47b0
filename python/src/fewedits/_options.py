# SPDX-License-Identifier: MIT
"""The keywords that explain() takes from the table of options. Written by fewedits._generate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypedDict


class ExplainOptions(TypedDict, total=False):
    k: float | None
    fill: bool | None
    theta: float | None
    prove_work: float | None
    walk_theta: float | None
    steps: float | None
    alpha: float | None
    teleport: float | None
    candidates: float | None
    capacity: float | None
    max_neighbours: float | None
    bonds: Literal["use"] | Literal["ignore"] | None
    source_class: str | Sequence[str] | None
    only_correct: bool | None
    graphs: str | Iterable[int] | None
    split: Literal["train"] | Literal["validation"] | Literal["test"] | None
    min_lead: float | None
    min_probability: float | None
    no_reinforcement: bool | None
    no_importance: bool | None
    uniform_teleport: bool | None
    ties: Literal["coverage"] | Literal["earliest"] | None
    patience: float | None
    time_limit: float | None
    refine_work: float | None
    climbs: float | None
    sample: float | None
    no_refine: bool | None
    wl_iterations: float | None
    rw_length: float | None
    rw_decay: float | None
    nspd_radius: float | None
    nspd_distance: float | None
    keep_isolated: bool | None
    cff_lambda: float | None
    cff_alpha: float | None
    cff_gamma: float | None
    cff_rate: float | None
    cff_steps: float | None
    rc_lambda: float | None
    rc_size: float | None
    rc_entropy: float | None
    rc_rate: float | None
    rc_epochs: float | None
