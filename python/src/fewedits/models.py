# SPDX-License-Identifier: MIT
"""Models: files that the engine reads, modules of PyTorch, and any callable."""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from . import _core
from ._errors import error
from .convert import NativeModel, NotNative, Sample, to_native
from .data import Dataset

__all__ = ["BlackBox", "Model"]

#: Graphs, and nodes, that a model is asked about at once, unless somebody says otherwise.
GRAPHS_AT_ONCE = 4096
NODES_AT_ONCE = 262_144
#: By how much the probabilities of a graph may depend on the others in its batch.
BATCH_TOLERANCE = 1e-5
#: By how much a converted model may differ from the module.
NATIVE_TOLERANCE = 1e-4

OUTPUTS = ("logits", "log-probabilities", "probabilities", "logit", "probability")


class Asked(Protocol):
    """What is asked about a batch, and gives what the model gives."""

    #: Does it look at labels of edges?
    reads_edges: bool
    #: Is that known?
    is_sure: bool

    def __call__(self, batch: _core.Batch) -> np.ndarray: ...


@dataclass(frozen=True)
class BlackBox:
    """A callable that is asked about batches of graphs, with what it wants and what it gives.

    ``wants`` is what it is called with:

    - ``"arrays"``: arrays of NumPy, by the names of its parameters, of which there may be ``x``,
      ``edge_index``, ``edge_attr``, ``batch`` and ``num_graphs``;
    - ``"data"``: a list of ``torch_geometric.data.Data``;
    - ``"smiles"``: a list of SMILES;
    - ``"graphs"``: a list of :class:`Graph`.

    It gives an array with a row for each graph. ``output`` says what is in it: ``"logits"``,
    ``"log-probabilities"``, ``"probabilities"``, or of two classes one number for the second,
    ``"logit"`` or ``"probability"``; None: found out on a sample of graphs, and told.
    """

    call: Callable[..., Any]
    wants: str = "arrays"
    output: str | None = None
    name: str = ""

    def __post_init__(self) -> None:
        if self.wants not in ("arrays", "data", "smiles", "graphs"):
            raise error(f"wants is {self.wants!r}", "it is arrays, data, smiles or graphs")
        _check_output(self.output)


@dataclass(frozen=True)
class Model:
    """A model that was opened for a dataset."""

    #: As the engine asks it.
    core: _core.Classifier
    #: The dataset as the model sees it: with the desired class, and its outputs for classes.
    data: _core.Dataset
    #: "file", "native" (a module that the engine computes by itself), "torch" or "callable".
    kind: str
    #: What the model is, in words.
    about: str
    #: The file, if it is one.
    path: str = ""
    notes: tuple[str, ...] = ()
    #: How often it was asked; None: the engine asks itself.
    counts: _core.CallCounts | None = None
    #: Does it look at labels of edges?
    reads_edges: bool = False
    #: What its answers are.
    output: str = ""

    #: What the engine computes, if it was converted.
    native: NativeModel | None = field(default=None, repr=False)
    #: The same model for other graphs.
    reopen: Callable[[Dataset], Model] | None = field(default=None, repr=False)

    def on(self, dataset: Dataset) -> Model:
        """The same model for other graphs with the same labels."""
        if self.reopen is None:
            raise error("the model cannot be asked about other graphs")
        return self.reopen(dataset)

    @property
    def is_black_box(self) -> bool:
        """Is it asked in Python, so that only who has it can check its answers?"""
        return self.kind in ("torch", "callable")

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes a module that is computed natively as a model file (``.json``) with its weights beside
        it (``.safetensors``), which the command line and ``fewedits-verify`` read."""
        path = Path(file)
        if self.native is None:
            raise error(
                f"{self.about} is no model that the engine computes by itself, and cannot be written"
                if self.is_black_box
                else f"the model is in a file already: {self.path}",
            )
        if path.suffix != ".json":
            raise error(f"{str(path)!r} is no name of a model file", "a model file ends in .json")
        root = json.loads(self.native.model_json)
        weights = path.with_suffix(".safetensors")
        root["weights"] = weights.name
        root |= self._names()
        root["training"] = {"made_from": self.about}
        _core.write_weights(weights, self.native.tensors)
        _core.write_file(path, json.dumps(root, indent=1) + "\n")

    def _names(self) -> dict[str, list[str]]:
        """Of labels and outputs, where they tell them apart."""
        labels = [name for _, name in self.data.node_labels]
        out = {"node_labels": labels} if len(set(labels)) == len(labels) else {}
        classes = [f"output {column}" for column in range(self.core.num_classes)]
        if not self.core.knows_classes:
            return out
        for place, (_, name) in enumerate(self.data.class_labels):
            classes[self.core.column_of(place)] = name
        return out | {"classes": classes} if len(set(classes)) == len(classes) else out


def _check_output(output: str | None) -> None:
    if output is not None and output not in OUTPUTS:
        raise error(f"output is {output!r}", f"it is one of: {', '.join(OUTPUTS)}")


# ---- What a model gives


def guess_output(raw: np.ndarray) -> tuple[str, str]:
    """What the numbers are, and why."""
    if raw.ndim == 1 or raw.shape[1] == 1:
        if bool(((raw >= 0) & (raw <= 1)).all()):
            return "probability", "one number for each graph, and all are from 0 to 1"
        return "logit", "one number for each graph, not all from 0 to 1"
    sums = np.exp(raw.astype(np.float64)).sum(axis=1)
    if bool((raw <= 1e-6).all()) and bool((np.abs(sums - 1) <= 1e-3).all()):
        return "log-probabilities", "their exponentials sum to 1"
    sums = raw.astype(np.float64).sum(axis=1)
    if bool((raw >= 0).all()) and bool((np.abs(sums - 1) <= 1e-3).all()):
        return "probabilities", "they sum to 1"
    return "logits", "they are neither probabilities nor their logarithms"


def log_probabilities(raw: np.ndarray, output: str) -> np.ndarray:
    """Of two or more classes, a row for each graph, in single precision."""
    values = raw.astype(np.float64).reshape(len(raw), -1)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if output == "logit":
            logit = values[:, :1]
            out = -np.logaddexp(0, np.concatenate([logit, -logit], axis=1))
        elif output == "probability":
            if bool(((values < 0) | (values > 1)).any()):
                raise error(
                    "the model gave a number beyond 0 and 1 where it gave probabilities before",
                    'say what its answers are: output="logit"',
                )
            out = np.log(np.concatenate([1 - values, values], axis=1))
        elif output == "probabilities":
            out = np.log(values)
        elif output == "log-probabilities":
            out = values
        else:
            top = values.max(axis=1, keepdims=True)
            shifted = values - np.where(np.isfinite(top), top, 0)
            out = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return np.ascontiguousarray(out, dtype=np.float32)


# ---- Asking


def _rows(raw: Any, graphs: int, who: str) -> np.ndarray:
    """The answer as an array with a row for each graph."""
    if isinstance(raw, (tuple, list)) and len(raw) == 1:
        raw = raw[0]
    if hasattr(raw, "detach"):
        raw = raw.detach().float().cpu().numpy()
    out = np.asarray(raw)
    if out.dtype == object or out.ndim == 0 or not np.issubdtype(out.dtype, np.number):
        raise error(f"{who} gave a {type(raw).__name__}, and an array with a row for each graph was expected")
    if out.shape[0] != graphs and out.ndim == 1 and graphs == 1:
        out = out[None, :]  # a model that drops the one dimension of a batch of one
    if out.shape[0] != graphs:
        raise error(
            f"{who} gave {out.shape[0]} rows for {graphs} graphs",
            "a model of graphs gives one row for each: it may lack a pooling layer",
        )
    return out.reshape(graphs, -1) if out.ndim > 1 else out


class _Arrays:
    """Asks a callable that takes arrays, by the names of its parameters."""

    def __init__(self, box: BlackBox, names: Sequence[str], dataset: Dataset, core: _core.Dataset) -> None:
        self._box, self._names, self._dataset, self._core = box, names, dataset, core
        self.reads_edges = "edge_attr" in names
        self.is_sure = True

    def __call__(self, batch: _core.Batch) -> np.ndarray:
        x, edge_attr = self._dataset.features_of(batch, self._core, self.reads_edges)
        given = {"x": x, "edge_index": batch.edge_index, "batch": batch.batch,
                 "edge_attr": edge_attr, "num_graphs": batch.num_graphs}  # fmt: skip
        if "edge_attr" in self._names and edge_attr is None:
            raise no_edge_features()
        return _rows(self._box.call(*(given[name] for name in self._names)), batch.num_graphs, "the model")


class _Lists:
    """Asks a callable that takes a list with an object for each graph."""

    def __init__(self, box: BlackBox, dataset: Dataset) -> None:
        self._box, self._dataset = box, dataset
        self.reads_edges = dataset.edges is not None
        self.is_sure = dataset.edges is None

    def __call__(self, batch: _core.Batch) -> np.ndarray:
        graphs = batch.graphs
        items: list[Any] = graphs
        if self._box.wants == "smiles":
            items = [self._dataset.to_smiles(graph) for graph in graphs]
        elif self._box.wants == "data":
            items = [self._dataset.to_pyg(graph) for graph in graphs]
        return _rows(self._box.call(items), len(graphs), "the model")


class _Torch:
    """Asks a module of PyTorch on the device that it is on."""

    def __init__(self, module: Any, inputs: tuple[str, ...], dataset: Dataset, core: _core.Dataset) -> None:
        import torch

        self._torch = torch
        self._module, self._inputs, self._dataset, self._core = module, inputs, dataset, core
        self._device = device_of(module)
        self._nodes = self._on_device(None if dataset.features else dataset.rows_of_nodes(core))
        self._edges = self._on_device(dataset.rows_of_edges(core))
        if self._nodes is None and dataset.features is None:
            from .data import no_features

            raise no_features(dataset)
        self._staging: Any = None
        is_data = inputs == ("data",)
        self.reads_edges = "edge_attr" in inputs or (is_data and dataset.edges is not None)
        self.is_sure = not is_data or dataset.edges is None

    def _on_device(self, rows: np.ndarray | None) -> Any:
        return None if rows is None else self._torch.from_numpy(rows).to(self._device)

    def tensors(self, batch: _core.Batch) -> dict[str, Any]:
        """x, edge_index, edge_attr and batch."""
        if self._dataset.features is not None:
            return self._from_function(batch)
        wants_edges = self._wants_edges()
        if wants_edges and self._edges is None:
            raise no_edge_features()
        with_labels = self.reads_edges and self._edges is not None and batch.has_edge_labels
        if wants_edges and not with_labels:
            raise no_edge_labels()
        if self._device.type == "cpu":
            torch = self._torch
            assert self._nodes is not None
            out = {
                "x": torch.from_numpy(batch.node_rows(self._nodes.numpy())),
                "edge_index": torch.from_numpy(batch.edge_index),
                "batch": torch.from_numpy(batch.batch),
                "edge_attr": None,
            }
            if with_labels and self._edges is not None:
                out["edge_attr"] = torch.from_numpy(batch.edge_rows(self._edges.numpy()))
            return out
        return self._in_one_copy(batch, with_labels)

    def _in_one_copy(self, batch: _core.Batch, with_labels: bool) -> dict[str, Any]:
        """Labels go to the device in one piece, and become features there."""
        torch = self._torch
        size = batch.block_size(with_labels)
        if self._staging is None or self._staging.numel() < size:
            pinned = self._device.type == "cuda"
            self._staging = torch.empty(size * 5 // 4 + 1, dtype=torch.int32, pin_memory=pinned)
        batch.write_block(self._staging.numpy(), with_labels)
        block = self._staging[:size].to(self._device, non_blocking=True).long()
        nodes, lines = batch.num_nodes, batch.num_lines
        labels, graphs = block[:nodes], block[nodes : 2 * nodes]
        ends = block[2 * nodes : 2 * nodes + 2 * lines].view(2, lines)
        out = {"x": self._nodes[labels], "edge_index": ends, "batch": graphs, "edge_attr": None}
        if with_labels:
            out["edge_attr"] = self._edges[block[2 * nodes + 2 * lines :]]
        return out

    def _from_function(self, batch: _core.Batch) -> dict[str, Any]:
        x, edge_attr = self._dataset.features_of(batch, self._core)
        if self._wants_edges() and edge_attr is None:
            raise no_edge_features()
        return {
            "x": self._on_device(x),
            "edge_index": self._on_device(batch.edge_index),
            "batch": self._on_device(batch.batch),
            "edge_attr": self._on_device(edge_attr),
        }

    def _wants_edges(self) -> bool:
        return "edge_attr" in self._inputs

    def raw(self, batch: _core.Batch) -> Any:
        tensors = self.tensors(batch)
        with self._torch.no_grad():
            if self._inputs == ("data",):
                return self._module(self._as_data(tensors, batch))
            return self._module(*(tensors[name] for name in self._inputs))

    def of_data(self, batch: Any) -> np.ndarray:
        """What it gives for a batch of PyTorch Geometric as it is."""
        batch = batch.to(self._device)
        with self._torch.no_grad():
            if self._inputs == ("data",):
                raw = self._module(batch)
            else:
                raw = self._module(*(getattr(batch, name) for name in self._inputs))
        return _rows(raw, batch.num_graphs, "the model")

    def _as_data(self, tensors: dict[str, Any], batch: _core.Batch) -> Any:
        from torch_geometric.data import Batch

        count = self._torch.bincount(tensors["batch"], minlength=batch.num_graphs)
        ptr = self._torch.cat([count.new_zeros(1), count.cumsum(0)])
        given = {name: value for name, value in tensors.items() if value is not None}
        return Batch(ptr=ptr, **given)

    def __call__(self, batch: _core.Batch) -> np.ndarray:
        return _rows(self.raw(batch), batch.num_graphs, "the model")


def no_edge_features() -> Exception:
    return error(
        "the model reads edge_attr, and the dataset does not say what an edge of each label looks like",
        "give data whose edge_attr is one-hot or a column of whole numbers, edge_label=, or a features= "
        "function that gives those of the edges, too",
    )


def no_edge_labels() -> Exception:
    return error(
        "the model reads labels of edges, and these graphs have none",
        'let labels of edges count: bonds="use"',
    )


def device_of(module: Any) -> Any:
    """The one device that all parameters and buffers are on."""
    import torch

    devices = {tensor.device for tensor in [*module.parameters(), *module.buffers()]}
    if len(devices) > 1:
        names = ", ".join(sorted(str(device) for device in devices))
        raise error(f"the model is spread over several devices ({names})", "put all of it on one")
    device = devices.pop() if devices else torch.device("cpu")
    if device.type == "meta":
        raise error("the model has no weights: it is on the device meta", "load them, and move it to a real device")
    return device


# ---- Finding out how a model is asked

_TORCH_INPUTS = ("x", "edge_index", "edge_attr", "batch")


def _parameters(call: Callable[..., Any]) -> list[tuple[str, bool]]:
    """Names, and whether each has to be given."""
    schema = getattr(getattr(call, "forward", None), "schema", None) or getattr(call, "schema", None)
    if schema is not None and hasattr(schema, "arguments"):  # TorchScript
        return [(a.name, not a.has_default_value()) for a in schema.arguments if a.name != "self"]
    try:
        signature = inspect.signature(getattr(call, "forward", call))
    except (TypeError, ValueError):
        return []
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [
        (p.name, p.default is inspect.Parameter.empty)
        for p in signature.parameters.values()
        if p.kind in positional
    ]


def torch_inputs(module: Any) -> tuple[str, ...]:
    """What forward takes: ("x", "edge_index", "batch"), with "edge_attr" between, or ("data",)."""
    found = _parameters(module)
    required = [name for name, needed in found if needed]
    names = [name for name, _ in found]
    known = [name for name in names if name in _TORCH_INPUTS]
    if len(required) == 1 and not {"x", "edge_index"} <= set(names):
        return ("data",)
    unknown = [name for name in required if name not in _TORCH_INPUTS]
    if unknown or "edge_index" not in known or "batch" not in known:
        if not unknown and len(required) == 3 and not known:
            return ("x", "edge_index", "batch")
        raise error(
            f"forward takes ({', '.join(names)}), and it is not clear what is what",
            'say it: inputs=("x", "edge_index", "batch"), in the order of forward',
        )
    # Up to the last one that is known: what comes later has a default.
    last = max(names.index(name) for name in known)
    between = [name for name in names[:last] if name not in _TORCH_INPUTS]
    if between:
        raise error(
            f"forward takes ({', '.join(names)}), and {', '.join(between)} is not known",
            "give a module of (x, edge_index, batch) or (x, edge_index, edge_attr, batch) around it",
        )
    return tuple(names[: last + 1])


def is_torch_module(model: Any) -> bool:
    return hasattr(model, "parameters") and hasattr(model, "buffers") and hasattr(model, "forward")


def _asked(
    model: Any, dataset: Dataset, core: _core.Dataset, inputs: tuple[str, ...] | None
) -> tuple[Asked, str, str, str | None]:
    """Who is asked, of what kind it is, what it is called, and what it is said to give."""
    if is_torch_module(model):
        if getattr(model, "training", False):
            raise error(
                "the model is in training mode, in which an answer depends on chance and on other graphs",
                "call model.eval() first",
            )
        name = getattr(model, "original_name", None) or type(model).__name__
        return _Torch(model, inputs or torch_inputs(model), dataset, core), "torch", f"PyTorch {name}", None
    box = model if isinstance(model, BlackBox) else BlackBox(model)
    own = box.name or getattr(box.call, "__name__", "") or type(box.call).__name__
    if box.wants != "arrays":
        return _Lists(box, dataset), "callable", f"callable {own}", box.output
    names = list(inputs) if inputs else [name for name, needed in _parameters(box.call) if needed]
    known = ("x", "edge_index", "edge_attr", "batch", "num_graphs")
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise error(
            f"the callable takes ({', '.join(names)}), and it is not clear what is what",
            f"name its parameters among {', '.join(known)}; for a list of graphs wrap it: "
            'fewedits.BlackBox(call, wants="data") or "smiles"',
        )
    return _Arrays(box, names, dataset, core), "callable", f"callable {own}", box.output


# ---- Opening

_SAMPLE = 64


def _sample(core: _core.Dataset) -> list[_core.Graph]:
    """Some graphs, spread over the dataset."""
    step = max(1, len(core) // _SAMPLE)
    return [core[i] for i in range(0, len(core), step)][:_SAMPLE]


def _check_answers(asked: Asked, graphs: Sequence[_core.Graph], output: str) -> None:
    """Raises Error if answers depend on chance, or on the other graphs of a batch."""

    def probabilities(of: Sequence[_core.Graph]) -> np.ndarray:
        return np.exp(log_probabilities(asked(_core.Batch(list(of))), output).astype(np.float64))

    together = probabilities(graphs)
    again = probabilities(graphs)
    if _differ(together, again):
        raise error(
            f"the model gives a graph another probability when it is asked again "
            f"(by {np.abs(together - again).max():.2g})",
            "its answers must not depend on chance: look for dropout that is always on",
        )
    alone = np.concatenate([probabilities([graph]) for graph in graphs])
    backwards = probabilities(graphs[::-1])[::-1]
    for other, how in ((alone, "alone"), (backwards, "in another order")):
        if _differ(together, other):
            raise error(
                f"the model gives a graph another probability when it is asked {how} "
                f"(by {np.nanmax(np.abs(together - other)):.2g}, and {BATCH_TOLERANCE:g} is allowed)",
                "its answer for a graph must not depend on the other graphs of the batch: look for "
                "normalisation over the batch, and for layers that do not get `batch`",
            )


def _reads_edges(asked: Asked, graphs: Sequence[_core.Graph], answers: np.ndarray) -> bool:
    """Does it say otherwise without labels of edges, or cannot do without?"""
    try:
        without = asked(_core.Batch([graph.without_edge_labels() for graph in graphs]))
    except Exception:  # noqa: BLE001  # whatever a model raises
        return True
    return without.shape != answers.shape or not np.allclose(without, answers, rtol=0, atol=1e-7)


def _differ(a: np.ndarray, b: np.ndarray) -> bool:
    return bool((np.abs(a - b) > BATCH_TOLERANCE).any())


def open_model(
    model: Any,
    dataset: Dataset,
    desired: object = None,
    *,
    inputs: Sequence[str] | None = None,
    output: str | None = None,
    native: bool | None = None,
    batch_size: int = GRAPHS_AT_ONCE,
    required: bool = True,
    threads: int = 0,
) -> Model:
    """A model as the engine asks it, with what was found out about it.

    ``model`` is a file that the engine reads, a module of PyTorch, a :class:`BlackBox` or any other
    callable. ``native``: True insists on the engine's own computation, False forbids it.
    """
    if isinstance(model, Model):
        return model
    found = _open_model(
        model, dataset, desired, inputs, output, native, batch_size, required, threads, True
    )

    def again(other: Dataset) -> Model:
        # What was found out on the first dataset holds for others, too, and is not asked again.
        said = found.output or output
        kind = found.kind == "native" if native is None else native
        return _open_model(
            model, other, desired, inputs, said, kind, batch_size, required, threads, False
        )

    return replace(found, reopen=again)


def _open_model(
    model: Any,
    dataset: Dataset,
    desired: object,
    inputs: Sequence[str] | None,
    output: str | None,
    native: bool | None,
    batch_size: int,
    required: bool,
    threads: int,
    is_first: bool,
) -> Model:
    _check_output(output)
    if isinstance(model, (str, os.PathLike)):
        core_data = dataset.prepared(_desired_text(dataset, desired, None))
        core = _core.open_classifier(Path(model), core_data, required)
        return Model(core, core_data, "file", str(model), str(model), tuple(core.notes))
    if not callable(model) and not isinstance(model, BlackBox):
        raise error(
            f"a {type(model).__name__} is no model",
            "give a module of PyTorch, a callable, or the path of a model's file",
        )
    plain = dataset.core
    asked, kind, about, said = _asked(model, dataset, plain, tuple(inputs) if inputs else None)
    sample = _sample(plain)
    raw = asked(_core.Batch(sample))
    if bool(np.isnan(raw).any()):
        bad = int(np.isnan(raw.reshape(len(sample), -1)).any(axis=1).argmax())
        raise error(
            f"the model gives NaN for a graph of the dataset ({sample[bad].num_nodes} nodes)",
            "its answers must be numbers: look for weights so large that sums overflow, or for a "
            "training run that diverged",
        )
    notes: list[str] = []
    own = output or said
    if own is None:
        own, why = guess_output(raw)
        notes.append(f"the model's answers are taken as {own}: {why} (output= says otherwise)")
    if is_first:
        _check_answers(asked, sample, own)
    if not asked.is_sure:
        asked.reads_edges = _reads_edges(asked, sample, raw)
    classes = log_probabilities(raw, own).shape[1]
    core_data = dataset.prepared(_desired_text(dataset, desired, classes), classes)
    if is_first:
        notes += _agreement(asked, dataset, plain, own)
    if kind == "torch" and native is not False:
        converted = _converted(model, asked, dataset, core_data, sample, own, about, required, threads, notes)
        if converted is not None:
            return converted
    if native:
        raise error(f"the engine does not know what {about} computes", "leave native= out")
    kept = own

    def ask(batch: _core.Batch) -> np.ndarray:
        return log_probabilities(asked(batch), kept)

    core, counts = _core.callable_classifier(
        ask, classes, about, core_data, batch_size, NODES_AT_ONCE, required
    )
    notes.append(f"{about} is asked as it is, as a black box")
    return Model(core, core_data, kind, about, "", tuple(notes), counts, asked.reads_edges, own)


def _agreement(asked: Asked, dataset: Dataset, core: _core.Dataset, output: str) -> list[str]:
    """Whether the model says the same of the data's own features and of those that labels tell."""
    if not isinstance(asked, _Torch) or dataset.original(0) is None:
        return []
    if not hasattr(dataset.original(0), "edge_index"):
        return []
    from torch_geometric.data import Batch

    step = max(1, len(core) // _SAMPLE)
    places = list(range(0, len(core), step))[:_SAMPLE]
    graphs = [core[i] for i in places]
    originals = Batch.from_data_list([dataset.original(i) for i in places])
    ours = np.exp(log_probabilities(asked(_core.Batch(graphs)), output))
    try:
        given = asked.of_data(originals)
    except Exception as trouble:  # noqa: BLE001  # whatever a model raises
        return [f"the model cannot be asked about the data as it is: {trouble}"]
    theirs = np.exp(log_probabilities(given, output))
    other = int((np.abs(ours - theirs).max(axis=1) > 10 * BATCH_TOLERANCE).sum())
    if other == 0:
        return []
    if dataset.features is None:
        raise error(
            f"the model gives {other} of {len(places)} graphs another probability than the data itself "
            f"(by up to {np.abs(ours - theirs).max():.2g}): it sees more than labels and edges",
            "give features=, a function that says what an edited graph's features are",
        )
    same = int((ours.argmax(axis=1) == theirs.argmax(axis=1)).sum())
    return [
        f"on features from the function, the model predicts {same} of {len(places)} graphs as on the "
        "data's own"
    ]


def _converted(
    model: Any,
    asked: Asked,
    dataset: Dataset,
    core_data: _core.Dataset,
    sample: Sequence[_core.Graph],
    output: str,
    about: str,
    required: bool,
    threads: int,
    notes: list[str],
) -> Model | None:
    """The module as the engine computes it, if that agrees on every graph of the dataset."""
    assert isinstance(asked, _Torch)
    rows = dataset.rows_of_nodes(core_data)
    if rows is None or dataset.features is not None:
        return None
    batch = _core.Batch(list(sample))
    tensors = asked.tensors(batch)
    found = to_native(
        model,
        Sample(asked._inputs, tensors["x"], tensors["edge_index"], tensors["edge_attr"], tensors["batch"],
               batch.num_graphs, rows, dataset.rows_of_edges(core_data)),
    )  # fmt: skip
    if isinstance(found, NotNative):
        notes.append(f"{about} is asked as it is: {found.reason}")
        return None
    try:
        core = _core.native_classifier(
            found.model_json, found.tensors, about, core_data, required
        )
    except ValueError as trouble:
        notes.append(f"{about} was converted, but the engine refuses it: {trouble}")
        return None
    graphs = [core_data[i] for i in range(len(core_data))]
    worst = 0.0
    for begin in range(0, len(graphs), GRAPHS_AT_ONCE):
        part = graphs[begin : begin + GRAPHS_AT_ONCE]
        ours = np.exp(core.log_probabilities(part, threads).astype(np.float64))
        theirs = np.exp(log_probabilities(asked(_core.Batch(part)), output).astype(np.float64))
        columns = [core.column_of(c) for c in range(ours.shape[1])]
        difference = np.abs(ours - theirs[:, columns]).max()
        worst = max(worst, float(difference) if np.isfinite(difference) else np.inf)
    if worst > NATIVE_TOLERANCE:
        notes.append(
            f"{about} was converted, but differs from the module by up to {worst:.2g}: it is asked as it is"
        )
        return None
    notes.append(f"{about} is computed natively: it agrees with the module within {worst:.1g} on every graph")
    return Model(core, core_data, "native", f"{about}, computed natively", "", tuple(notes), output=output,
                 native=found)


def _desired_text(dataset: Dataset, desired: object, outputs: int | None) -> str | None:
    """As the engine takes it: a class of the data, or an output of the model where the data has no
    classes."""
    if desired is None:
        return None
    if isinstance(desired, (bool, np.bool_)):
        desired = int(desired)
    if isinstance(desired, (int, np.integer)) and not dataset.core.class_labels:
        if outputs is not None and not 0 <= int(desired) < outputs:
            raise error(f"there is no class {desired}", f"the model has {outputs} outputs, counted from 0")
        return f"model:{int(desired)}"
    return str(desired)
