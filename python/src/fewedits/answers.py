# SPDX-License-Identifier: MIT
"""What is asked of an explanation: recourse, figures measured anew, and whether it holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._core import EditScript, Graph
from ._errors import error
from .data import Dataset, dataset
from .models import Model, open_model

if TYPE_CHECKING:
    from .explanation import Explanation

__all__ = ["Evaluation", "Recourse", "Verification", "evaluate", "predict", "Predictions"]


@dataclass(frozen=True)
class Recourse:
    """What one graph would have to change to become one that the model accepts."""

    #: Its index in the dataset that was asked about.
    index: int
    #: Of the desired class, by the model, as the graph is.
    probability: float
    #: The model accepts it as it is.
    accepted: bool
    #: The place of the nearest counterfactual in the explanation; None: all are beyond reach. -1: the
    #: graph has one of its own (``local=``).
    counterfactual: int | None
    #: Normalised; infinite if there is none.
    distance: float
    #: Is it within theta: "yes", "no", or "unknown" where no proof decides.
    status: str
    #: How many edits lead there; None without proofs.
    edits: int | None
    #: The graph, and what it becomes.
    graph: Graph
    target: Graph | None
    #: The edits, replayed and checked; None without proofs.
    script: EditScript | None
    _data: Dataset
    _edge_names: tuple[str, ...]

    def in_words(self) -> list[str]:
        """The edits, a line for each."""
        if self.script is None:
            raise error("there are no edits to tell", 'they come with distance="certified"')
        return self.script.in_words(
            self.graph, self._data.node_names, list(self._edge_names), self._data.is_molecular
        )

    def draw(self) -> str:
        """Both graphs with the difference marked, as SVG."""
        if self.script is None or self.target is None:
            raise error("there are no edits to draw", 'they come with distance="certified"')
        return _core.draw_pair(
            self._data.core, self.graph, self.target, self.script, f"graph {self.index}",
            f"{len(self.script)} edit{'' if len(self.script) == 1 else 's'}",
        )  # fmt: skip

    def _repr_svg_(self) -> str | None:
        return None if self.script is None else self.draw()

    def to_pyg(self) -> Any:
        """What the graph becomes, as ``torch_geometric.data.Data``."""
        return self._data.to_pyg(self._target())

    def to_networkx(self) -> Any:
        return self._data.to_networkx(self._target())

    def to_smiles(self) -> str:
        return self._data.to_smiles(self._target())

    def _target(self) -> Graph:
        if self.target is None:
            raise error(f"graph {self.index} has no counterfactual")
        return self.target

    def __repr__(self) -> str:
        if self.counterfactual is None:
            return f"Recourse(graph {self.index}: none)"
        edits = "" if self.edits is None else f", {self.edits} edits"
        return f"Recourse(graph {self.index}: distance {self.distance:.4f}{edits}, within theta: {self.status})"


class Evaluation:
    """Counterfactuals measured anew: nothing is believed but the graphs."""

    def __init__(self, compared: _core.Compared) -> None:
        self._compared = compared

    @property
    def coverage(self) -> float:
        return self._compared.result.metrics.coverage

    @property
    def coverage_upper(self) -> float | None:
        """That no bound excludes; None without proofs."""
        possible = self._compared.possible
        return None if possible is None else possible.coverage

    @property
    def cost(self) -> float:
        """Median over all inputs."""
        return self._compared.result.metrics.cost_median

    @property
    def theta(self) -> float:
        return self._compared.result.theta

    @property
    def metrics(self) -> _core.Metrics:
        return self._compared.result.metrics

    @property
    def inputs(self) -> list[int]:
        return self._compared.inputs

    @property
    def accepted(self) -> list[bool]:
        """Of each graph, whether the model accepts it: others are no counterfactuals."""
        return [accepted for _, accepted in self._compared.accepted]

    @property
    def complete(self) -> bool:
        """False after Ctrl-C."""
        return self._compared.complete

    def __repr__(self) -> str:
        upper = "" if self.coverage_upper is None else f" (at most {self.coverage_upper:.2%})"
        return (
            f"Evaluation({len(self._compared.places)} counterfactuals, coverage {self.coverage:.2%}{upper} "
            f"at theta {self.theta:g} of {len(self.inputs)} inputs, median cost {self.cost:.4f})"
        )


class Verification:
    """What came of checking an explanation with the code of ``fewedits-verify``, which cannot search."""

    def __init__(self, report: _core.VerificationReport, words: str) -> None:
        self.report = report
        self._words = words

    @property
    def holds(self) -> bool:
        """No claim that was checked is false."""
        return self.report.holds

    @property
    def all_checked(self) -> bool:
        """Nothing was left out, and the model was asked."""
        return self.report.all_checked and self.report.model_checked

    @property
    def model_checked(self) -> bool:
        return self.report.model_checked

    @property
    def false_claims(self) -> list[str]:
        return self.report.listed

    def __bool__(self) -> bool:
        return self.holds and self.all_checked

    def __str__(self) -> str:
        return self._words

    def __repr__(self) -> str:
        return f"Verification({'holds' if self else 'does not hold' if not self.holds else 'not all checked'})"


def compare(
    explanation: _core.Explanation,
    data: Dataset,
    model: Model,
    *,
    distance: str,
    greed_model: str,
    theta: float | None,
    work: int | None,
    graphs: Sequence[int] | None,
    threads: int,
    progress: object,
) -> _core.Compared:
    from ._progress import Bars

    asked = _core.Comparison()
    asked.distance, asked.distance_model, asked.theta = distance, str(greed_model), theta
    asked.graphs = None if graphs is None else [int(graph) for graph in graphs]
    asked.threads = threads
    if work is not None:
        asked.prove_work = work
    with Bars(progress) as bars:
        return _core.compare(explanation, model.data, model.core, asked, bars.pairs())


def recourses(
    compared: _core.Compared, explanation: Explanation, data: Dataset, scripts: bool
) -> list[Recourse]:
    out = []
    names = tuple(explanation.core.edge_label_names)
    for place, index in enumerate(compared.inputs):
        probability, accepted, nearest, distance, status, edits, _ = compared.answer(place)
        script = compared.script(place) if scripts and edits is not None else None
        target = None if nearest is None else explanation.core.counterfactuals[nearest].graph
        out.append(
            Recourse(index, probability, accepted, nearest, distance, status, edits, compared.input(place),
                     target, script, data, names)
        )  # fmt: skip
    return out


def local_recourses(
    explanation: _core.Explanation | None,
    data: Dataset,
    model: Model,
    graphs: Sequence[int],
    *,
    method: str = "search",
    theta: float = 0.1,
    constraints: Sequence[str] | None = None,
    min_probability: float | None = None,
    keep_isolated: bool = False,
    freeze: Sequence[int] = (),
    bonds: bool = False,
    threads: int = 0,
    options: Sequence[tuple[str, str]] = (),
) -> list[Recourse]:
    """A counterfactual for each graph alone."""
    asked = _core.Local()
    asked.method, asked.options, asked.threads = method, list(options), threads
    asked.constraints = None if constraints is None else list(constraints)
    asked.min_probability, asked.keep_isolated, asked.frozen = min_probability, keep_isolated, list(freeze)
    recorded = _core.recorded_nothing() if explanation is None else explanation.provenance
    found = _core.find_alone(model.data, model.core, bonds, recorded, asked, list(graphs))
    names = tuple(data.edge_names) if bonds else ()
    if explanation is not None:
        names = tuple(explanation.edge_label_names)
    seen = [model.data[i] for i in graphs]
    logs = model.core.log_probabilities(seen, threads)
    desired = _core.desired_class(model.data, model.core)
    out = []
    for alone, graph, row in zip(found, seen, logs, strict=True):
        probability, accepted = float(np.exp(row[desired])), int(row.argmax()) == desired
        own = graph if bonds else graph.without_edge_labels()
        if alone.graph is None:
            out.append(Recourse(alone.input, probability, accepted, None, float("inf"), "no", None, own, None,
                                None, data, names))  # fmt: skip
            continue
        size = own.num_nodes + own.num_edges + alone.graph.num_nodes + alone.graph.num_edges
        distance = alone.edits / size if size else 0.0
        out.append(
            Recourse(alone.input, probability, accepted, -1, distance, "yes" if distance <= theta else "no",
                     alone.edits, own, alone.graph, alone.script, data, names)
        )  # fmt: skip
    return out


def evaluate(
    graphs: Any,
    data: Any,
    model: Any,
    *,
    desired: object = None,
    distance: str = "certified",
    greed_model: str = "",
    theta: float | None = None,
    work: int | None = None,
    threads: int = 0,
    progress: object = None,
    reading: dict[str, Any] | None = None,
    **how: Any,
) -> Evaluation:
    """Measures how many of the graphs that a model rejects are near to one of ``graphs``, as
    ``fewedits evaluate`` does of a list of graphs. ``how`` is what :func:`fewedits.explain` takes about
    a model."""
    read = dataset(data, **(reading or {}))
    opened = open_model(model, read, desired, threads=threads, **how)
    given = [graph.without_edge_labels() for graph in read.read_more(graphs)]
    proves = distance == "certified"
    core = _core.counterfactuals_of(given, [], _core.SAFE_LEAD if proves else 0.0)
    return Evaluation(
        compare(core, read, opened, distance=distance, greed_model=greed_model, theta=theta, work=work,
                graphs=None, threads=threads, progress=progress)
    )  # fmt: skip


@dataclass(frozen=True)
class Predictions:
    """What a model says of a dataset."""

    #: A row for each graph, a column for each class.
    log_probabilities: np.ndarray
    #: The class of each graph: a column.
    predicted: np.ndarray
    #: Of the classes.
    names: list[str]
    #: Against the classes of the dataset; None if it has none.
    accuracy: float | None
    #: The model, as it was opened: natively or as a black box.
    model: Model

    @property
    def probabilities(self) -> np.ndarray:
        out: np.ndarray = np.exp(self.log_probabilities)
        return out

    def __iter__(self) -> Iterator[str]:
        """The name of each graph's class."""
        return (self.names[c] for c in self.predicted.tolist())

    def __len__(self) -> int:
        return len(self.predicted)


def predict(
    data: Any, model: Any, *, threads: int = 0, reading: dict[str, Any] | None = None, **how: Any
) -> Predictions:
    """Evaluates a whole dataset, as ``fewedits predict`` does. ``how`` is what :func:`fewedits.explain`
    takes about a model."""
    read = dataset(data, **(reading or {}))
    opened = open_model(model, read, None, required=False, threads=threads, **how)
    return Predictions(*_core.predict(opened.data, opened.core, threads), opened)
