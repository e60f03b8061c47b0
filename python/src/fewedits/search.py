# SPDX-License-Identifier: MIT
"""explain(): from graphs and a model to an Explanation."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _core
from ._progress import Bars, say
from .data import dataset
from .explanation import Explanation
from .models import GRAPHS_AT_ONCE, open_model
from .opened import behind, needs_edges, record
from .options import texts_of, with_options

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import ExplainOptions

__all__ = ["explain", "load"]

#: Keywords of fewedits.dataset() that explain() takes for it.
_READING = ("node_label", "edge_label", "features", "target", "node_names", "edge_names",
            "class_names", "name", "molecules", "rare_label_threshold", "classes", "metadata")  # fmt: skip


@with_options
def explain(
    data: Any,
    model: Any,
    *,
    desired: object = None,
    method: str = "gcf",
    distance: str = "certified",
    greed_model: str | os.PathLike[str] = "",
    seed: int = 1,
    constraints: str | Sequence[str] = (),
    threads: int = 0,
    progress: object = None,
    inputs: Sequence[str] | None = None,
    output: str | None = None,
    native: bool | None = None,
    batch_size: int = GRAPHS_AT_ONCE,
    cache_mb: int = 1024,
    run_dir: str | os.PathLike[str] = "",
    resume: bool = False,
    save_seconds: float = 30,
    reading: dict[str, Any] | None = None,
    **options: Unpack[ExplainOptions],
) -> Explanation:
    """Explains why a model rejects what it rejects: a few graphs that it accepts and that are close to
    as many rejected ones as possible, each with the edits that lead there.

    ``data`` is what :func:`fewedits.dataset` takes; ``reading`` are its keywords. ``model`` is a module
    of PyTorch whose forward takes ``(x, edge_index, batch)``, ``(x, edge_index, edge_attr, batch)`` or
    ``(data)``, any other callable (see :class:`fewedits.BlackBox`), or the path of a model's file.
    ``desired`` is the class to reach: its value or its name in the data, or ``"model:N"`` for output N.

    A module that the engine can compute by itself is computed natively, if it agrees with the module on
    every graph; else it is asked as it is, in batches of ``batch_size`` graphs. Which it was, is told.
    ``inputs`` names the arguments of forward, and ``output`` what it gives, where that is not found out.
    ``native=False`` forbids the engine's own computation, True insists on it.

    ``constraints`` are those of the command line (``"valence"``, ``"max-degree=4"``, …). ``threads`` 0
    takes all cores. ``progress`` shows bars where somebody may look; False is silent; a function is told
    ``(stage, done, total, evaluated, coverage)``, and ends the search by giving False. Ctrl-C ends it,
    too: what was found by then is the result, and ``complete`` is False.

    ``run_dir`` is a folder in which the run is saved every ``save_seconds`` and when it ends;
    ``resume=True`` goes on with the run there. A black box is taken for the same if it is called the same
    and predicts the same class for each graph.

    The same seed gives the same explanation for any number of threads.
    """
    texts = texts_of(options)
    read = dataset(data, **(reading or {}))
    opened = open_model(
        model, read, desired, inputs=inputs, output=output, native=native, batch_size=batch_size,
        threads=threads,
    )  # fmt: skip
    request = _core.Request()
    request.method, request.distance, request.seed = method, distance, seed
    request.distance_model = str(greed_model)
    request.options = texts
    request.constraints = [constraints] if isinstance(constraints, str) else list(constraints)
    request.cache_bytes = cache_mb << 20
    request.run_folder = os.fspath(run_dir)
    request.resume, request.save_seconds = resume, save_seconds
    request.threads = threads
    record(request, read, opened, desired)
    if opened.is_black_box and needs_edges(opened, read) and "bonds" not in options:
        # Its answers mean nothing without them.
        request.options = [*texts, ("bonds", "use")]
    notes = [*read.notes, *opened.notes]
    say(notes, progress)
    with Bars(progress) as bars:
        core, more, _ = _core.explain(opened.data, opened.core, request, bars.tell())
    say(more, progress)
    return Explanation(core, read, opened, [*notes, *more])


def load(
    file: str | os.PathLike[str],
    data: Any = None,
    model: Any = None,
    *,
    reading: dict[str, Any] | None = None,
    **how: Any,
) -> Explanation:
    """An explanation that was saved, by this package or by the command line. With its dataset it can
    be drawn, with its model too it can be verified and give recourse. ``how`` is what
    :func:`fewedits.explain` takes about a model.

    Raises Error if the dataset is not the one that was explained.
    """
    core = _core.read_explanation(Path(file))
    read, opened = behind(core, str(file), data, model, reading, how)
    return Explanation(core, read, opened)
