# SPDX-License-Identifier: MIT
"""The result: a few graphs that the model accepts, and what they say of those that it rejects."""

from __future__ import annotations

import copy
import html
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _core
from ._core import EditScript, Graph
from ._errors import error
from .answers import Evaluation, Recourse, Verification, compare, local_recourses, recourses
from .data import Dataset
from .fragility import Fragility
from .fragility import asked as fragile
from .models import Model
from .opened import class_called, record
from .options import texts_of
from .rules import RuleList, RuleOptions, write_page
from .rules import asked as searched

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Counterfactual", "Explanation"]


class Counterfactual:
    """A graph that the model accepts, and the rejected graphs that it is near to."""

    def __init__(self, explanation: Explanation, place: int) -> None:
        self._explanation = explanation
        self._core = explanation.core.counterfactuals[place]
        #: Its place in the explanation, from 0.
        self.place = place

    @property
    def graph(self) -> Graph:
        return self._core.graph

    @property
    def probability(self) -> float:
        """Of the desired class, by the model."""
        return self._core.probability

    @property
    def lead(self) -> float | None:
        """Of the desired class's probability over the next one's."""
        return self._core.lead

    @property
    def covers(self) -> list[int]:
        """The inputs within theta: indices into the dataset."""
        return self._core.covers

    @property
    def gain(self) -> int:
        """How many of these no earlier counterfactual covers."""
        return self._core.gain

    @property
    def origin(self) -> int | None:
        """The graph of the dataset that the search set out from, or which it is."""
        return self._core.origin

    def to_pyg(self) -> Any:
        """As ``torch_geometric.data.Data``, with the features that a model sees."""
        return self._explanation.data.to_pyg(self.graph)

    def to_networkx(self) -> Any:
        return self._explanation.data.to_networkx(self.graph)

    def to_smiles(self) -> str:
        """As canonical SMILES (molecules; needs fewedits[chem])."""
        return self._explanation.data.to_smiles(self.graph)

    def draw(self) -> str:
        """A picture, as SVG."""
        return self._explanation.data.draw(self.graph)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._explanation, self.place)

    def _repr_svg_(self) -> str:
        return self.draw()

    def __repr__(self) -> str:
        g = self.graph
        return (
            f"Counterfactual({self.place}: {g.num_nodes} nodes, {g.num_edges} edges, probability "
            f"{self.probability:.3f}, covers {len(self.covers)})"
        )


class Explanation:
    """Why a model rejects what it rejects: counterfactuals, coverage, and recourse for each graph."""

    def __init__(
        self,
        core: _core.Explanation,
        data: Dataset | None = None,
        model: Model | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        self.core = core
        self._data = data
        self._model = model
        #: What was said while it was made.
        self.notes = list(notes)

    # ---- Figures

    @property
    def data(self) -> Dataset:
        """The dataset that is explained. Raises Error if a file was loaded without it."""
        if self._data is None:
            raise error(
                "the explanation was loaded without its dataset", "fewedits.load(file, data=…) gives it one"
            )
        return self._data

    @property
    def model(self) -> Model:
        if self._model is None:
            raise error(
                "the explanation was loaded without its model", "fewedits.load(file, data=…, model=…) gives it one"
            )
        return self._model

    @property
    def counterfactuals(self) -> list[Counterfactual]:
        return [Counterfactual(self, place) for place in range(len(self.core.counterfactuals))]

    @property
    def inputs(self) -> list[int]:
        """The graphs that are explained: indices into the dataset."""
        return self.core.inputs

    @property
    def coverage(self) -> float:
        """Share of the inputs that have a counterfactual within theta. Proven, if ``is_proven``."""
        return self.core.metrics.coverage

    @property
    def coverage_upper(self) -> float | None:
        """The share that no bound excludes; None without proofs."""
        return self.core.metrics.coverage_upper

    @property
    def cost(self) -> float:
        """Median over all inputs of the distance to the nearest counterfactual."""
        return self.core.metrics.cost_median

    @property
    def theta(self) -> float:
        return self.core.theta

    @property
    def metrics(self) -> _core.Metrics:
        return self.core.metrics

    @property
    def is_proven(self) -> bool:
        """Does an edit script stand behind every graph that counts as covered?"""
        return self.core.meaning == "proven edits"

    @property
    def is_black_box(self) -> bool:
        """Only who has the model can check its answers; fewedits-verify says so. A module that is
        computed natively is none: ``save`` puts it into a file."""
        if self._model is not None and self._model.native is not None:
            return False
        return bool(self.core.provenance.black_box)

    @property
    def complete(self) -> bool:
        """False if the search was ended early: then this is the best so far."""
        return self.core.complete

    @property
    def desired(self) -> str:
        """The name of the desired class."""
        classes = self.core.classes
        return classes.desired if classes is not None else ""

    def script(self, graph: int) -> EditScript | None:
        """The edits that lead from a covered input, by its index in the dataset, to its nearest
        counterfactual."""
        for recourse in self.core.recourse:
            if recourse.input == graph:
                return recourse.script
        raise error(f"graph {graph} is none of the inputs")

    def edit_counts(self) -> Counter[str]:
        """How often each kind of edit is used, over the scripts of all covered inputs, in words."""
        out: Counter[str] = Counter()
        names, edges = self.core.label_names, self.core.edge_label_names
        graphs: list[Graph] | None = None
        for place, recourse in enumerate(self.core.recourse):
            if recourse.script is None:
                continue
            if graphs is None:
                graphs = _core.explained_graphs(self.data.core, self.core)
            labels = graphs[place].labels.tolist()
            for kind, u, _, label in recourse.script.ops:
                if kind == "relabel_node":
                    out[f"relabel {names[labels[u]]} to {names[label]}"] += 1
                elif kind == "delete_node":
                    out[f"remove {names[labels[u]]}"] += 1
                elif kind == "insert_node":
                    labels.append(label)
                    out[f"add {names[label]}"] += 1
                elif kind == "delete_edge":
                    out["remove an edge"] += 1
                elif kind == "relabel_edge":
                    out[f"make an edge {edges[label]}" if edges else "relabel an edge"] += 1
                else:
                    out[f"add an edge ({edges[label]})" if edges else "add an edge"] += 1
        return out

    # ---- Questions

    def recourse(
        self,
        data: Any = None,
        *,
        graphs: Sequence[int] | None = None,
        distance: str = "certified",
        greed_model: str = "",
        theta: float | None = None,
        work: int | None = None,
        local: str | bool = False,
        freeze: Sequence[int] = (),
        constraints: Sequence[str] | None = None,
        min_probability: float | None = None,
        keep_isolated: bool = False,
        threads: int = 0,
        progress: object = None,
        **options: Any,
    ) -> list[Recourse]:
        """For each graph that the model does not accept, the nearest counterfactual and the edits that
        lead there, as ``fewedits recourse`` gives them.

        ``data`` are other graphs than those that were explained, new ones too, with the same labels;
        ``graphs`` are indices into these, accepted ones too. ``local=True`` finds a counterfactual for
        each graph alone instead, by a search, ``"cff"`` or ``"rcexplainer"`` by these methods, whose
        options are keywords; ``freeze`` are nodes of the one graph that stay as they are.
        """
        own = data is None
        read = self.data if own else self.data.read_more(data)
        model = self.model if own else self.model.on(read)
        if local is not False:
            chosen = list(graphs) if graphs is not None else (self.inputs if own else list(range(len(read))))
            return local_recourses(
                self.core, read, model, chosen, method="search" if local is True else str(local),
                theta=self.theta, constraints=constraints, min_probability=min_probability,
                keep_isolated=keep_isolated, freeze=freeze, bonds=bool(self.core.edge_label_names),
                threads=threads, options=texts_of(options),
            )  # fmt: skip
        if options:
            raise TypeError(f"recourse() has no option {next(iter(options))!r} without local=")
        compared = compare(
            self.core, read, model, distance=distance, greed_model=greed_model, theta=theta, work=work,
            graphs=graphs, threads=threads, progress=progress,
        )  # fmt: skip
        return recourses(compared, self, read, distance == "certified")

    def evaluate(
        self,
        data: Any = None,
        *,
        distance: str = "certified",
        greed_model: str = "",
        theta: float | None = None,
        work: int | None = None,
        threads: int = 0,
        progress: object = None,
    ) -> Evaluation:
        """Measures the counterfactuals anew, as ``fewedits evaluate`` does: on the graphs that were
        explained, or on others, and under any distance."""
        own = data is None
        read = self.data if own else self.data.read_more(data)
        model = self.model if own else self.model.on(read)
        return Evaluation(
            compare(self.core, read, model, distance=distance, greed_model=greed_model, theta=theta,
                    work=work, graphs=None, threads=threads, progress=progress)
        )  # fmt: skip

    def fragility(
        self, *, plausible: bool = False, threads: int = 0, progress: object = None
    ) -> Fragility:
        """Is one step enough to change the model's mind about a graph? For the graphs, the theta and the
        rules of this explanation; see :func:`fewedits.fragility`."""
        return fragile(self.model, self._question(plausible, threads), self.core, progress)

    def rules(
        self,
        *,
        plausible: bool = False,
        second_model: str | os.PathLike[str] = "",
        threads: int = 0,
        progress: object = None,
        **options: Unpack[RuleOptions],
    ) -> RuleList:
        """A few rewrites that make the model say yes, for the graphs, the theta and the rules of this
        explanation; what its scripts do is tried, too. ``options`` are those of :func:`fewedits.rules`
        that say how rules are searched for."""
        question = self._question(plausible, threads)
        return searched(self.data, self.model, question, self.core, second_model, progress, options)

    def _question(self, plausible: bool, threads: int) -> _core.Question:
        question = _core.Question()
        question.theta, question.plausible, question.threads = self.theta, plausible, threads
        question.bonds = bool(self.core.edge_label_names)
        record(question, self.data, self.model, class_called(self.data, self.desired or None))
        return question

    def verify(self, *, model: bool = True, threads: int = 0) -> Verification:
        """Checks every claim with the code of ``fewedits-verify``, which cannot search: it asks the
        model afresh, replays every script of edits and computes all figures anew. ``model=False``
        checks all but the model's answers."""
        # Opened again, so that answers that were kept are none.
        opened = self.model.on(self.data) if model else self._model
        desired = self.desired or None
        data = self.data.prepared(class_called(self.data, desired)) if opened is None else opened.data
        asked = opened if model else None
        report = _core.verify(
            self.core, data, None if asked is None else asked.core, "" if asked is None else asked.path, threads
        )
        return Verification(report, report.in_words(self.core, len(data)))

    def to_pandas(self) -> Any:
        """A table with a row for each input: its nearest counterfactual, distance and edits."""
        import pandas

        rows = [
            {
                "graph": r.input,
                "counterfactual": r.counterfactual,
                "distance": r.distance,
                "covered": r.covered,
                "edits": r.edits,
                "edits_lower": r.lower,
            }
            for r in self.core.recourse
        ]
        out = pandas.DataFrame(rows)
        if rows:
            for column in ("counterfactual", "edits", "edits_lower"):
                out[column] = out[column].astype("Int64")
        return out

    # ---- Files

    def report(
        self,
        file: str | os.PathLike[str],
        *others: Explanation,
        rules: RuleList | Sequence[RuleList] = (),
        fragility: Fragility | None = None,
        threads: int = 0,
    ) -> None:
        """Writes one HTML file that shows it, as ``fewedits report`` does; others are compared with
        it, and rules and fragility shown. Where its model is at hand, the page begins with what tells
        the graphs that it rejects from those that it accepts."""
        listed = [(self.core, Path(file).stem)]
        listed += [(other.core, f"explanation {i}") for i, other in enumerate(others, 2)]
        write_page(file, listed, rules, fragility, self._data, self._model, threads)

    def draw(
        self,
        folder: str | os.PathLike[str],
        *,
        recourses: int = 3,
        graphs: Sequence[int] = (),
        threads: int = 0,
    ) -> list[Path]:
        """Writes counterfactuals, and inputs beside them, as pictures (SVG), as ``fewedits draw``
        does. ``graphs`` are inputs to draw beside their nearest counterfactual instead."""
        where = Path(folder)
        where.mkdir(parents=True, exist_ok=True)
        out = []
        for name, svg in _core.draw(self.core, self.data.core, recourses, list(graphs), threads):
            out.append(where / f"{name}.svg")
            _core.write_file(out[-1], svg)
        return out

    def save(self, file: str | os.PathLike[str], *, model: bool = True) -> None:
        """Writes it as ``fewedits explain`` does (JSON, very many edits in a file beside it). A module
        that was computed natively is written, too, ``why.model.json`` and ``why.model.safetensors``
        beside ``why.json``, so that ``fewedits-verify`` can ask it; with ``model=False`` it is not,
        and counts as a black box."""
        core, path = self.core, Path(file)
        if model and self._model is not None and self._model.native is not None:
            beside = path.with_suffix(".model.json")
            self._model.save(beside)
            core = core.with_model_file(beside)
        core.write(path)

    # ---- Looking at it

    def __len__(self) -> int:
        return len(self.core.counterfactuals)

    def __iter__(self) -> Iterator[Counterfactual]:
        return iter(self.counterfactuals)

    def __getitem__(self, place: int) -> Counterfactual:
        size = len(self)
        if not -size <= place < size:
            raise IndexError(place)
        return Counterfactual(self, place % size)

    def __repr__(self) -> str:
        what = "proven" if self.is_proven else "claimed"
        ended = "" if self.complete else ", ended early"
        return (
            f"Explanation({len(self)} counterfactuals, coverage {self.coverage:.2%} {what} at theta "
            f"{self.theta:g} of {len(self.inputs)} inputs, median cost {self.cost:.4f}{ended})"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Explanation) and self.core == other.core

    __hash__ = None  # type: ignore[assignment]

    def __copy__(self) -> Explanation:
        return Explanation(self.core, self._data, self._model, self.notes)

    def __deepcopy__(self, memo: dict[int, Any]) -> Explanation:
        # What it shares never changes.
        return Explanation(self.core, self._data, self._model, copy.copy(self.notes))

    def __getstate__(self) -> dict[str, Any]:
        # A model may be anything, and is left behind.
        data = self._data
        if data is not None and data.is_from_files:
            data = None
        return {"core": self.core, "data": data, "notes": self.notes}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["core"], state["data"], None, state["notes"])  # type: ignore[misc]

    def _repr_html_(self) -> str:
        core = self.core
        if self.is_proven:
            upper = core.metrics.coverage_upper
            bound = f" (at most {upper:.2%})" if upper is not None else ""
            coverage = f"<b>{self.coverage:.2%}</b> proven{bound}"
        else:
            coverage = f"<b>{self.coverage:.2%}</b> claimed by {html.escape(core.distance)}"
        out = [
            '<div style="font-family:sans-serif;max-width:60em">',
            f"<p>{len(self)} counterfactuals towards <b>{html.escape(self.desired)}</b> cover {coverage} "
            f"of {len(self.inputs)} graphs within θ = {self.theta:g}; median cost {self.cost:.4f}."
            + ("" if self.complete else " Ended early: the best so far.")
            + (" The model is a black box." if self.is_black_box else "")
            + "</p>",
        ]
        if self._data is not None:
            out.append('<div style="display:flex;flex-wrap:wrap;gap:1em">')
            for c in self.counterfactuals:
                out.append(
                    '<figure style="margin:0;width:13em">'
                    f'<div style="background:#fff;border-radius:4px">{_fitting(c.draw())}</div>'
                    f"<figcaption><small>{c.place + 1}: covers {len(c.covers)}, probability "
                    f"{c.probability:.3f}</small></figcaption></figure>"
                )
            out.append("</div>")
            edits = self.edit_counts().most_common(8)
            if edits:
                rows = "".join(
                    f"<tr><td>{html.escape(edit)}</td><td style='text-align:right'>{count}</td></tr>"
                    for edit, count in edits
                )
                out.append(f"<p>The edits used most:</p><table>{rows}</table>")
        return "".join([*out, "</div>"])


def _fitting(svg: str) -> str:
    """As wide as there is room, and not a document of its own."""
    start = svg.find("<svg")
    return svg[start:].replace("<svg", '<svg style="width:100%;height:auto"', 1)
