# SPDX-License-Identifier: MIT
"""The edit distance of graphs: proven bounds, the map of the nodes and the edits themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from ._core import EditScript, Graph
from ._errors import error
from ._progress import Bars
from .data import Dataset, dataset

__all__ = ["Distance", "DistanceMatrix", "distances", "ged", "ged_matrix"]

#: About a second a pair; unlike a time limit it gives the same answer on every machine.
WORK = 20_000_000


@dataclass(frozen=True)
class Distance:
    """What is known of the edit distance of two graphs."""

    #: No edits of lower cost lead from one to the other.
    lower: int
    #: These do.
    upper: int
    #: For each node of the first graph its node in the second; -1: it is deleted. Empty: none is known.
    map: tuple[int, ...]
    #: "exact", "bounds", "yes", "no" or "unknown".
    status: str
    #: By which the distance is normalised: the cost of deleting one graph and building the other.
    largest: int
    _a: Graph
    _b: Graph
    _data: Dataset
    _costs: tuple[tuple[str, int], ...]

    @property
    def is_exact(self) -> bool:
        return self.lower == self.upper

    @property
    def distance(self) -> int:
        """The distance. Raises Error if only bounds are known."""
        if not self.is_exact:
            raise error(
                f"the distance is between {self.lower} and {self.upper}, and not known",
                "give it more work=, or use lower and upper",
            )
        return self.upper

    @property
    def normalized(self) -> float:
        """The upper bound, from 0 to 1."""
        return self.upper / self.largest if self.largest else 0.0

    @property
    def script(self) -> EditScript:
        """The edits, replayed and checked. Raises Error if a bound alone answered."""
        if not self.map and self._a.num_nodes:
            raise error("a bound decided the pair without a map", "method=\"exact\" finds one")
        return _core.edit_script(self._a, self._b, list(self.map), dict(self._costs))

    def edits(self) -> list[str]:
        """The edits in words."""
        data = self._data
        return self.script.in_words(self._a, data.node_names, data.edge_names, data.is_molecular)

    def __float__(self) -> float:
        return float(self.distance)

    def __repr__(self) -> str:
        if self.is_exact:
            return f"Distance({self.upper}, normalized {self.normalized:.4f})"
        return f"Distance({self.lower} to {self.upper}, {self.status})"


@dataclass(frozen=True)
class DistanceMatrix:
    """The edit distances of all graphs of one list to all of another."""

    #: As asked: upper bounds; of questions whether pairs are within theta, lower ones for a no.
    distance: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    #: Which of :attr:`STATUSES` each pair has; -1: it was interrupted before.
    status: np.ndarray
    #: Whether each pair is within theta, as far as known; None unless that was asked.
    within: np.ndarray | None

    STATUSES = tuple(_core.pair_statuses())

    @property
    def complete(self) -> bool:
        """False after Ctrl-C."""
        return bool((self.status >= 0).all())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self.distance, dtype=dtype)


def _costs(costs: Mapping[str, int] | None, bonds: bool) -> dict[str, int]:
    out = {"relabel_edge": 1} if bonds else {}
    out.update(costs or {})
    return out


def _together(first: Any, second: Any, how: dict[str, Any]) -> tuple[Dataset, list[Graph], list[Graph]]:
    """Graphs of two lists, with the labels of both."""
    if isinstance(first, Dataset) or isinstance(second, Dataset):
        base = first if isinstance(first, Dataset) else second
        a, b = base.read_more(first), base.read_more(second)
        return base, list(a), list(b)
    one, two = _as_list(first), _as_list(second)
    both = dataset([*one, *two], **how)
    if len(both) != len(one) + len(two):
        raise error("a graph has no nodes")
    return both, [both[i] for i in range(len(one))], [both[i] for i in range(len(one), len(both))]


def _as_list(graphs: Any) -> list[Any]:
    if isinstance(graphs, (str, Graph)) or hasattr(graphs, "adjacency"):
        return [graphs]
    if hasattr(graphs, "edge_index"):
        return [graphs]
    if isinstance(graphs, tuple) and len(graphs) in (2, 3) and not _is_graph(graphs[0]):
        return [graphs]
    if not hasattr(graphs, "__iter__"):
        raise error(
            f"a {type(graphs).__name__} is no graph",
            "give a graph of networkx, Data, a SMILES, a pair (labels, edges) or a Graph, or a list of these",
        )
    return list(graphs)


def _is_graph(item: Any) -> bool:
    return (
        isinstance(item, (Graph, str))
        or hasattr(item, "adjacency")
        or hasattr(item, "edge_index")
        or (isinstance(item, tuple) and len(item) in (2, 3))
    )


def ged(
    a: Any,
    b: Any,
    *,
    method: str = "exact",
    theta: float = 0.1,
    edge_labels: bool = False,
    costs: Mapping[str, int] | None = None,
    work: int | None = None,
    milliseconds: float | None = None,
    starts: int = 3,
    kicks: int = 20,
    seed: int = 1,
    **how: Any,
) -> Distance:
    """The edit distance of two graphs: how many nodes and edges one has to insert, delete and relabel
    to make the one from the other.

    ``a`` and ``b`` are anything that :func:`fewedits.dataset` takes a list of: graphs of networkx, Data
    of PyTorch Geometric, SMILES, pairs ``(labels, edges)``, :class:`Graph`. ``how`` are its keywords.

    ``method``: ``"exact"`` (both bounds meet, unless the budget ends first), ``"lower"``, ``"upper"``,
    or ``"within"``, which asks only whether the normalised distance is at most ``theta``. The budget is
    an amount of ``work``, about 20 million a second, so that every machine gives the same answer, or
    ``milliseconds``. ``edge_labels`` makes labels of edges count, too; ``costs`` are whole numbers for
    ``insert_node``, ``delete_node``, ``relabel_node``, ``insert_edge``, ``delete_edge`` (1 each) and
    ``relabel_edge``.
    """
    data, first, second = _together(a, b, how)
    if len(first) != 1 or len(second) != 1:
        raise error("ged compares two graphs", "fewedits.ged_matrix compares lists of them")
    own = _costs(costs, edge_labels)
    budget = WORK if work is None and milliseconds is None else work
    found = _core.ged_measures(
        [first[0], second[0]], [(0, 1)], method, theta, own, budget, milliseconds, starts, kicks, seed, 1
    )[0]
    if not found.done:
        raise KeyboardInterrupt
    return Distance(
        int(found.lower), int(found.upper), tuple(found.map), found.status,
        _largest(first[0], second[0], own), first[0], second[0], data, tuple(sorted(own.items())),
    )  # fmt: skip


def _largest(a: Graph, b: Graph, costs: Mapping[str, int]) -> int:
    def cost(name: str) -> int:
        return costs.get(name, 1)

    return (
        a.num_nodes * cost("delete_node") + a.num_edges * cost("delete_edge")
        + b.num_nodes * cost("insert_node") + b.num_edges * cost("insert_edge")
    )  # fmt: skip


def ged_matrix(
    a: Iterable[Any] | Dataset,
    b: Iterable[Any] | Dataset | None = None,
    *,
    within: float | None = None,
    edge_labels: bool = False,
    costs: Mapping[str, int] | None = None,
    work: int = WORK,
    starts: int = 3,
    kicks: int = 20,
    seed: int = 1,
    threads: int = 0,
    progress: object = None,
    **how: Any,
) -> DistanceMatrix:
    """The edit distances of all graphs of ``a`` to all of ``b`` (or of ``a`` again), in parallel.

    ``within`` asks only which pairs are within that normalised distance of each other, which takes a
    small part of the time. The rest is as in :func:`fewedits.ged`. Ctrl-C gives what was measured by
    then.
    """
    data, first, second = _together(a, a if b is None else b, how)
    del data
    with Bars(progress) as bars:
        distance, lower, upper, status = _core.ged_rows(
            first, second, within, _costs(costs, edge_labels), work, starts, kicks, seed, threads,
            bars.pairs(),
        )  # fmt: skip
    yes = DistanceMatrix.STATUSES.index("yes")
    return DistanceMatrix(distance, lower, upper, status, None if within is None else status == yes)


def distances(
    data: Any,
    pairs: Sequence[tuple[int, int]],
    *,
    method: str = "exact",
    theta: float = 0.1,
    greed_model: str = "",
    costs: Mapping[str, int] | None = None,
    work: int | None = None,
    milliseconds: float | None = None,
    starts: int = 3,
    kicks: int = 20,
    seed: int = 1,
    threads: int = 0,
    progress: object = None,
    reading: dict[str, Any] | None = None,
    **options: Any,
) -> list[_core.Measure]:
    """How far pairs of graphs of a dataset are apart, as ``fewedits distance`` measures it.

    ``method`` is ``"exact"``, ``"lower"``, ``"upper"`` or ``"within"`` for the edit distance, or
    ``"greed"`` (needs ``greed_model``), ``"wl"``, ``"rw"`` or ``"nspd"``, whose options are keywords
    (``wl_iterations=3``).
    """
    from .options import texts_of

    read = dataset(data, **(reading or {}))
    graphs = list(read)
    asked = [(int(a), int(b)) for a, b in pairs]
    with Bars(progress) as bars:
        tell: Callable[[int, int], Any] | None = bars.pairs()
        if method in ("exact", "lower", "upper", "within"):
            budget = WORK if work is None and milliseconds is None else work
            return _core.ged_measures(
                graphs, asked, method, theta, _costs(costs, False), budget, milliseconds, starts, kicks,
                seed, threads, tell,
            )  # fmt: skip
        return _core.other_measures(
            method, graphs, len(read.node_names), asked, str(greed_model), texts_of(options), threads, tell
        )
