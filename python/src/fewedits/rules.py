# SPDX-License-Identifier: MIT
"""A few rewrites, this piece becomes that one, that make the model say yes."""

from __future__ import annotations

import html
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

from . import _core
from ._core import PatternCounts, RuleFigures, RuleUse
from ._errors import error
from ._progress import Bars, say
from .data import Dataset, dataset
from .fragility import Fragility, question_of
from .models import Model, open_model
from .opened import behind

__all__ = ["Rule", "RuleList", "load_rules", "rules"]


class RuleOptions(TypedDict, total=False):
    """How rules are searched for, as ``fewedits rules`` calls it, with its defaults."""

    #: Rules to choose, at most.
    rules: int
    #: The figure to choose for: "average", "somewhere" or "everywhere".
    objective: str
    #: Parts for held-out figures; 0: none.
    folds: int
    #: Share of the inputs that a rule must apply to.
    min_support: float
    #: Rules that are tried with more context.
    expansions: int
    #: Inputs that no single step helps for which two are tried.
    two_steps: int
    #: Times that the best rules get one change more.
    more_changes: int
    #: Of parts and random baselines.
    seed: int
    #: Rules that are measured, in order; none is searched for.
    measure: RuleList | str | Sequence[str] | None
    #: End after so many seconds; 0: never.
    time_limit: float


class Figures(NamedTuple):
    """A rule's figures."""

    #: Of the rule by itself.
    alone: RuleFigures
    #: Of the list up to this rule.
    list: RuleFigures


class Baselines(NamedTuple):
    """What chance does."""

    #: Lists of random rules of like support, on average; None where rules were only measured.
    random_rules: RuleFigures | None
    #: The share of inputs for which one of as many random edits as the list takes model calls works.
    random_edits: float


class Rule:
    """A rewrite: a piece of a graph becomes another one."""

    def __init__(self, rules: RuleList, place: int) -> None:
        self._rules = rules
        self._core = rules.core.rules[place]
        #: Its place in the list, from 0.
        self.place = place

    @property
    def text(self) -> str:
        """As ``fewedits rules --try`` and ``measure=`` read it: ``O-[>Na]``."""
        return self._rules.core.text(self.place)

    @property
    def words(self) -> str:
        """As one would say it: "attach sodium to an oxygen". Without the dataset, elements are called
        by their symbols."""
        return self._rules.core.words(self.place, self._rules.is_molecular)

    @property
    def figures(self) -> Figures:
        """Of the rule ``alone``, and of the ``list`` up to it. Held out is a whole list:
        ``RuleList.held_out``."""
        return Figures(self._core.alone, self._core.so_far)

    @property
    def support(self) -> float:
        """The share of inputs that it applies to."""
        return self._core.alone.support

    @property
    def edits(self) -> int:
        """Unit edits of one use."""
        return self._core.edits

    @property
    def places(self) -> dict[int, tuple[int, int]]:
        """By input that it applies to: its places there, and those of them that work."""
        return {graph: (places, works) for graph, places, works in self._core.inputs}

    @property
    def on_accepted(self) -> RuleUse:
        """What it does to graphs that the model accepts as they are: they should stay so."""
        return self._core.on_accepted

    @property
    def inverse_on_accepted(self) -> RuleUse | None:
        """What the way back does to them; None: that is no rule."""
        return self._core.inverse_on_accepted

    @property
    def before(self) -> PatternCounts:
        """How many graphs contain what it changes."""
        return self._core.left

    @property
    def after(self) -> PatternCounts | None:
        """How many contain what it makes; None: that cannot be looked for."""
        return self._core.right

    @property
    def pairs(self) -> tuple[int, int | None]:
        """Pairs of graphs of the dataset that differ by just this rule, and how many of them have
        another true class (None: the dataset has no classes)."""
        return self._core.pairs, self._core.pairs_other_class

    @property
    def reading(self) -> str | None:
        """How it is to be read, in words: does it take away what rejected graphs have, add what accepted
        ones have, or make what the data does not have? None: the model is not at hand."""
        accepted = self._rules.accepted
        return None if accepted is None else self._rules.core.reading(self.place, accepted)[1]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._rules, self.place)

    def __repr__(self) -> str:
        f = self._core.alone
        return f"Rule({self.text}: {self.words}; works on average {f.average:.1%}, somewhere {f.somewhere:.1%}, everywhere {f.everywhere:.1%})"


class RuleList:
    """An ordered list of rules: for a graph, the first one that applies is used."""

    def __init__(
        self,
        core: _core.RuleList,
        data: Dataset | None = None,
        model: Model | None = None,
        accepted: int | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        self.core = core
        self._data = data
        self._model = model
        #: How many graphs the model accepts as they are; None: it is not at hand.
        self.accepted = accepted
        #: What was said while it was made.
        self.notes = list(notes)
        #: Are its labels elements? Not known without the dataset.
        self.is_molecular = data is not None and data.core.is_molecular

    @property
    def inputs(self) -> list[int]:
        """The rejected graphs: indices into the dataset."""
        return self.core.inputs

    @property
    def theta(self) -> float:
        return self.core.theta

    @property
    def objective(self) -> str:
        """The figure that it was chosen for."""
        return self.core.objective

    @property
    def desired(self) -> str:
        """The name of the desired class."""
        return self.core.classes.desired

    @property
    def figures(self) -> RuleFigures:
        """Of the whole list, on the inputs that it was chosen on."""
        return self.core.figures

    @property
    def held_out(self) -> RuleFigures | None:
        """Of lists that were chosen on all parts but one, on that one: what to expect of new graphs.
        None: nothing was held out, or it ended before."""
        return self.core.held_out

    @property
    def held_out_rules(self) -> list[list[str]]:
        """The lists that these figures are of, by part."""
        return self.core.held_out_lists

    @property
    def baselines(self) -> Baselines | None:
        """What chance does; None: it ended before."""
        edits = self.core.random_edits
        return None if edits is None else Baselines(self.core.random_rules, edits)

    @property
    def complete(self) -> bool:
        """False if the search was ended early: then these are the best so far."""
        return self.core.complete

    def interval(self, share: float) -> tuple[float, float]:
        """The 95 % interval of a figure over the inputs, a held-out one, say."""
        return _core.interval_of(share, len(self.inputs))

    def to_pandas(self) -> Any:
        """A table with a row for each rule."""
        import pandas

        columns = ["rule", "words", "reading", "edits", "support", "somewhere", "average", "everywhere", "list"]
        rows = [
            (r.text, r.words, r.reading, r.edits, r.support, f.somewhere, f.average, f.everywhere,
             _figure(r.figures.list, self.objective))
            for r in self
            for f in [r.figures.alone]
        ]  # fmt: skip
        return pandas.DataFrame(rows, columns=columns)

    # ---- Files

    def save(self, file: str | os.PathLike[str], *, model: bool | str | os.PathLike[str] = True) -> None:
        """Writes it as ``fewedits rules`` does (JSON), for ``fewedits-verify``, ``fewedits report`` and
        :func:`fewedits.load_rules`. A module that was computed natively is written beside it,
        ``rules.model.json`` beside ``rules.json``; with ``model=False`` it is not, and counts as a black
        box. If it is in a file already, that of the explanation, name it: ``model="why.model.json"``."""
        core, path = self.core, Path(file)
        native = self._model is not None and self._model.native is not None
        beside: Path | None = None
        if not isinstance(model, bool):
            if not native:
                raise error(f"model is {str(model)!r}, and these rules are of no module that the engine computes")
            beside = Path(model)
        elif model and native and self._model is not None:
            beside = path.with_suffix(".model.json")
            self._model.save(beside)
        if beside is not None:
            # As seen from the rules, so that they can be moved together.
            core = core.with_model_file(beside, os.path.relpath(beside, path.parent))
        _core.write_file(path, core.json())

    def report(
        self,
        file: str | os.PathLike[str],
        *others: RuleList,
        fragility: Fragility | None = None,
        threads: int = 0,
    ) -> None:
        """Writes one HTML file that shows it, as ``fewedits report`` does; with an explanation,
        ``why.report(file, rules=…)`` does."""
        write_page(file, [], [self, *others], fragility, self._data, self._model, threads)

    # ---- Looking at it

    def __len__(self) -> int:
        return len(self.core.rules)

    def __iter__(self) -> Iterator[Rule]:
        return (Rule(self, place) for place in range(len(self)))

    def __getitem__(self, place: int) -> Rule:
        size = len(self)
        if not -size <= place < size:
            raise IndexError(place)
        return Rule(self, place % size)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RuleList) and self.core == other.core

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        # A model may be anything, and is left behind.
        data = self._data
        if data is not None and data.is_from_files:
            data = None
        return {"core": self.core, "data": data, "accepted": self.accepted, "notes": self.notes,
                "is_molecular": self.is_molecular}  # fmt: skip

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["core"], state["data"], None, state["accepted"], state["notes"])  # type: ignore[misc]
        self.is_molecular = state["is_molecular"]

    def __repr__(self) -> str:
        held = "" if self.held_out is None else f", held out {_figure(self.held_out, self.objective):.1%}"
        ended = "" if self.complete else ", ended early"
        return (
            f"RuleList({len(self)} rules, works {_in_words(self.objective)} {_figure(self.figures, self.objective):.1%}"
            f"{held} at theta {self.theta:g} of {len(self.inputs)} inputs{ended})"
        )

    def _repr_html_(self) -> str:
        out = [
            '<div style="font-family:sans-serif;max-width:70em">',
            f"<p>{len(self)} rules towards <b>{html.escape(self.desired)}</b>, for {len(self.inputs)} graphs "
            f"within θ = {self.theta:g}, chosen for what works {_in_words(self.objective)}."
            + ("" if self.complete else " Ended early: the best so far.")
            + "</p><table><tr><th>rule</th><th></th><th>support</th><th>somewhere</th><th>average</th>"
            "<th>everywhere</th><th></th></tr>",
        ]
        for r in self:
            alone = r.figures.alone
            cells = "".join(f"<td>{share:.1%}</td>" for share in (r.support, *_three(alone)))
            out.append(
                f"<tr><td><code>{html.escape(r.text)}</code></td><td>{html.escape(r.words)}</td>{cells}"
                f"<td>{html.escape(r.reading or '')}</td></tr>"
            )
        out.append(_row("the list, on the inputs it was chosen on", self.figures))
        if self.held_out is not None:
            out.append(_row("held out", self.held_out))
        if self.baselines is not None and self.baselines.random_rules is not None:
            out.append(_row("random rules of like support", self.baselines.random_rules))
        if self.baselines is not None:
            out.append(
                "<tr><td></td><td>random edits, as many model calls</td><td></td>"
                f"<td>{self.baselines.random_edits:.1%}</td><td></td><td></td><td></td></tr>"
            )
        return "".join([*out, "</table></div>"])


def _three(f: RuleFigures) -> tuple[float, float, float]:
    return f.somewhere, f.average, f.everywhere


def _figure(f: RuleFigures, objective: str) -> float:
    return float(getattr(f, objective))


def _in_words(objective: str) -> str:
    return "on average" if objective == "average" else objective


def _row(name: str, f: RuleFigures) -> str:
    cells = "".join(f"<td>{share:.1%}</td>" for share in (f.support, *_three(f)))
    return f"<tr><td></td><td><b>{name}</b></td>{cells}<td></td></tr>"


def _search_of(options: Mapping[str, Any]) -> _core.RuleSearch:
    search = _core.RuleSearch()
    for name, value in options.items():
        if name not in RuleOptions.__annotations__:
            raise TypeError(f"rules have no option {name!r}")
        if name == "measure":
            if value is not None:
                search.measures = True
                search.tried = [value] if isinstance(value, str) else _texts(value)
            continue
        _check(name, value)
        setattr(search, name, value)
    if search.measures and not search.tried:
        raise error("there are no rules to measure", "leave measure out, and they are searched for")
    return search


def _texts(rules: Any) -> list[str]:
    return [rule.text if isinstance(rule, Rule) else str(rule) for rule in rules]


#: What makes sense, as on the command line.
_RANGES: dict[str, tuple[float, float]] = {
    "rules": (1, 1000), "folds": (0, 100), "min_support": (0, 1), "expansions": (0, 2**32 - 1),
    "two_steps": (0, 2**32 - 1), "more_changes": (0, 2**32 - 1), "seed": (0, 2**64 - 1),
    "time_limit": (0, float("inf")),
}  # fmt: skip


def _check(name: str, value: Any) -> None:
    if name not in _RANGES:
        return
    low, high = _RANGES[name]
    if isinstance(value, bool) or not low <= value <= high:
        raise error(f"{name} is {value!r}", f"it is at least {low}" if high > 1000 else f"it is from {low} to {high}")


def asked(
    data: Dataset,
    model: Model,
    question: _core.Question,
    explanation: _core.Explanation | None,
    second_model: str | os.PathLike[str],
    progress: object,
    options: Mapping[str, Any],
    notes: Sequence[str] = (),
) -> RuleList:
    search = _search_of(options)
    second = None
    if second_model:
        search.second_model = os.fspath(second_model)
        second = _core.open_classifier(Path(second_model), model.data, True)
    with Bars(progress) as bars:
        core, accepted = _core.rules(model.data, model.core, second, question, search, explanation, bars.tell())
    return RuleList(core, data, model, accepted, notes)


def rules(
    data: Any,
    model: Any,
    *,
    desired: object = None,
    rules: int = 10,
    objective: str = "average",
    folds: int = 5,
    min_support: float = 0.01,
    expansions: int = 100,
    two_steps: int = 60,
    more_changes: int = 4,
    seed: int = 1,
    measure: RuleList | str | Sequence[str] | None = None,
    time_limit: float = 0,
    theta: float = 0.1,
    bonds: str | None = None,
    plausible: bool = False,
    second_model: str | os.PathLike[str] = "",
    constraints: str | Sequence[str] = (),
    source_class: str | Sequence[str] = (),
    only_correct: bool = False,
    min_lead: float | None = None,
    min_probability: float | None = None,
    threads: int = 0,
    progress: object = None,
    reading: dict[str, Any] | None = None,
    **how: Any,
) -> RuleList:
    """Finds a few rewrites (this piece becomes that one) that make a model say yes, as ``fewedits rules``
    does, and measures them, also on inputs that they were not chosen on.

    ``data``, ``model`` and ``how`` are those of :func:`fewedits.explain`; a black box is asked often.
    At most so many ``rules`` are chosen, for the ``objective`` ``"average"`` (the share of places that
    work), ``"somewhere"`` or ``"everywhere"``. ``folds`` are the parts for held-out figures, 0 for none.
    ``min_support`` is the share of inputs that a rule must apply to; ``expansions``, ``two_steps`` and
    ``more_changes`` say how much is tried. ``measure`` takes rules instead, as text or a
    list that was found before (on another model, say), and searches for none.

    ``plausible`` counts only results whose neighbourhoods all occur in the dataset, ``second_model`` (a
    model's file) only those that it accepts, too. ``bonds`` is ``"use"`` or ``"ignore"``; None: where they
    are known. Ctrl-C, or a ``progress`` that gives False, ends the search, as ``time_limit`` (seconds) does:
    the best rules so far are the result, and ``complete`` is False. KeyboardInterrupt is raised if nothing
    was tried by then. The same seed gives the same rules for any number of threads.
    """
    read = dataset(data, **(reading or {}))
    opened = open_model(model, read, desired, threads=threads, **how)
    question = question_of(read, opened, desired, bonds, constraints, source_class)
    question.theta, question.plausible, question.only_correct = theta, plausible, only_correct
    question.min_lead, question.min_probability, question.threads = min_lead, min_probability, threads
    notes = [*read.notes, *opened.notes]
    say(notes, progress)
    options = RuleOptions(
        rules=rules, objective=objective, folds=folds, min_support=min_support, expansions=expansions,
        two_steps=two_steps, more_changes=more_changes, seed=seed, measure=measure, time_limit=time_limit,
    )  # fmt: skip
    return asked(read, opened, question, None, second_model, progress, options, notes)


def load_rules(
    file: str | os.PathLike[str],
    data: Any = None,
    model: Any = None,
    *,
    reading: dict[str, Any] | None = None,
    threads: int = 0,
    **how: Any,
) -> RuleList:
    """Rules that were saved, by this package or by the command line. With their dataset molecules are
    named, with their model too rules have a reading. ``how`` is what :func:`fewedits.explain` takes about
    a model.

    Raises Error if the dataset is not theirs.
    """
    core = _core.read_rules(Path(file))
    read, opened = behind(core, str(file), data, model, reading, how)
    accepted = None if opened is None else len(_core.accepted_graphs(opened.data, opened.core, threads))
    return RuleList(core, read, opened, accepted)


def write_page(
    file: str | os.PathLike[str],
    explanations: list[tuple[_core.Explanation, str]],
    rules: RuleList | Sequence[RuleList],
    fragility: Fragility | None,
    data: Dataset | None,
    model: Model | None,
    threads: int,
) -> None:
    """The page of ``fewedits report``."""
    if data is None:
        raise error("these were loaded without their dataset", "load them with it: data=…")
    lists = [rules] if isinstance(rules, RuleList) else list(rules)
    named = [(one.core, f"rules {i}" if len(lists) > 1 else "rules") for i, one in enumerate(lists, 1)]
    seen = model.data if model is not None else data.core
    page = _core.report_page(
        explanations, named, None if fragility is None else fragility.core, seen,
        None if model is None else model.core, threads,
    )  # fmt: skip
    _core.write_file(Path(file), page)
