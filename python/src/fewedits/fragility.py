# SPDX-License-Identifier: MIT
"""Is one step enough to change a model's mind?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _core
from ._core import FragileGraph
from ._errors import error
from ._progress import Bars
from .data import Dataset, dataset
from .models import Model, open_model
from .opened import needs_edges, record

__all__ = ["Fragility", "fragility"]


class Fragility:
    """How easily a model is talked out of its verdicts: every graph one step of the edit map away was
    shown to it, so that a no is a proof. Of two steps only the most promising ones were."""

    def __init__(self, core: _core.FragilityList) -> None:
        self.core = core

    @property
    def theta(self) -> float:
        return self.core.theta

    @property
    def rejected(self) -> list[FragileGraph]:
        """Of the graphs that it does not accept, what it takes to be accepted."""
        return self.core.rejected

    @property
    def accepted(self) -> list[FragileGraph]:
        """Of those that it accepts, what it takes to be rejected."""
        return self.core.accepted

    def share(self, steps: int = 1, *, accepted: bool = False) -> float:
        """The share of graphs whose verdict so many steps, 1 or 2, are known to change."""
        graphs = self.accepted if accepted else self.rejected
        known = [g.fewest_known for g in graphs if g.fewest_known is not None]
        return sum(fewest <= steps for fewest in known) / len(graphs) if graphs else 0.0

    def to_pandas(self) -> Any:
        """A table with a row for each graph."""
        import pandas

        rows = [
            {"graph": g.graph, "accepted": accepted, "steps": g.steps, "enough": g.enough, "fewest_known": g.fewest_known}
            for accepted, graphs in ((False, self.rejected), (True, self.accepted))
            for g in graphs
        ]
        out = pandas.DataFrame(rows, columns=["graph", "accepted", "steps", "enough", "fewest_known"])
        out["fewest_known"] = out["fewest_known"].astype("Int64")
        return out

    def __repr__(self) -> str:
        return (
            f"Fragility(one step changes the verdict of {self.share():.1%} of {len(self.rejected)} rejected and "
            f"{self.share(accepted=True):.1%} of {len(self.accepted)} accepted graphs, at theta {self.theta:g})"
        )


def asked(
    model: Model, question: _core.Question, explanation: _core.Explanation | None, progress: object
) -> Fragility:
    with Bars(progress) as bars:
        return Fragility(_core.fragility(model.data, model.core, question, explanation, bars.pairs()))


def question_of(
    read: Dataset,
    opened: Model,
    desired: object,
    bonds: str | None,
    constraints: str | Sequence[str],
    source_class: str | Sequence[str],
) -> _core.Question:
    """What is asked of a dataset and a model that no explanation tells of."""
    if bonds not in (None, "use", "ignore"):
        raise error(f"bonds is {bonds!r}", "it is use or ignore")
    question = _core.Question()
    question.bonds = None if bonds is None else bonds == "use"
    if bonds is None and needs_edges(opened, read):
        question.bonds = True
    question.constraints = [constraints] if isinstance(constraints, str) else list(constraints)
    question.source_classes = [source_class] if isinstance(source_class, str) else list(source_class)
    record(question, read, opened, desired)
    return question


def fragility(
    data: Any,
    model: Any,
    *,
    desired: object = None,
    theta: float = 0.1,
    bonds: str | None = None,
    plausible: bool = False,
    constraints: str | Sequence[str] = (),
    source_class: str | Sequence[str] = (),
    only_correct: bool = False,
    min_lead: float | None = None,
    min_probability: float | None = None,
    threads: int = 0,
    progress: object = None,
    reading: dict[str, Any] | None = None,
    **how: Any,
) -> Fragility:
    """Asks a model about every graph one step away from each graph that it rejects or accepts, as
    ``fewedits fragility`` does; where none changes the verdict, two steps are tried.

    ``data``, ``model`` and ``how`` are those of :func:`fewedits.explain`; so are ``bonds`` (``"use"`` or
    ``"ignore"``; None: where they are known) and the rest. ``plausible`` counts only results whose
    neighbourhoods all occur in the dataset. Ctrl-C raises KeyboardInterrupt: half of it proves nothing.
    """
    read = dataset(data, **(reading or {}))
    opened = open_model(model, read, desired, threads=threads, **how)
    question = question_of(read, opened, desired, bonds, constraints, source_class)
    question.theta, question.plausible, question.only_correct = theta, plausible, only_correct
    question.min_lead, question.min_probability, question.threads = min_lead, min_probability, threads
    return asked(opened, question, None, progress)
