# SPDX-License-Identifier: MIT
"""A dataset and its model, opened together: what is recorded of them, and found again in a file."""

from __future__ import annotations

from typing import Any

from . import _core
from ._errors import error
from .data import Dataset, dataset
from .models import Model, open_model


def needs_edges(model: Model, data: Dataset) -> bool:
    """Do its answers mean nothing without the labels of edges?"""
    return model.reads_edges and bool(data.core.edge_labels)


def record(request: _core.Request | _core.Question, data: Dataset, model: Model, desired: object) -> None:
    """What the figures rest on."""
    request.dataset_path = data.path
    recorded = list(data.flags)
    if desired is not None and data.is_from_files:
        recorded.append(("desired-class", str(desired)))
    request.recorded = recorded
    if model.kind == "file":
        request.model_path = model.path
    else:
        request.black_box = model.about


def class_called(data: Dataset, name: str | None) -> str | None:
    """As one would say it."""
    if name is None:
        return None
    for value, own in data.core.class_labels:
        if own == name:
            return str(value)
    return name


def behind(
    told: _core.Explanation | _core.RuleList,
    file: str,
    data: Any,
    model: Any,
    reading: dict[str, Any] | None,
    how: dict[str, Any],
) -> tuple[Dataset | None, Model | None]:
    """The dataset and the model that a file tells of, as far as they are given. Raises Error if the
    dataset is another one."""
    if data is None:
        if model is not None:
            raise error("a model is asked about graphs", "give its dataset, too: data=…")
        return None, None
    read = dataset(data, **(reading or {}))
    desired = class_called(read, None if told.classes is None else told.classes.desired)
    opened = None if model is None else open_model(model, read, desired, **how)
    prepared = opened.data if opened is not None else read.prepared(desired)
    if prepared.fingerprint(bool(told.edge_label_names)) != told.provenance.dataset_hash:
        raise error(f"{read.name} is not the dataset that {file!r} explains", "give that one, read in the same way")
    return read, opened
