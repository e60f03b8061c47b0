# SPDX-License-Identifier: MIT
"""Training, by a program of its own: the package links no libtorch."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ._errors import error
from .data import Dataset, dataset

__all__ = ["train", "train_distance"]

_PROGRAM = "fewedits-train"
#: Ended by Ctrl-C, with the best so far.
_INTERRUPTED = 130


def _program(said: str | os.PathLike[str]) -> str:
    if said:
        return os.fspath(said)
    beside = Path(sys.executable).with_name(_PROGRAM)
    found = shutil.which(_PROGRAM) or (str(beside) if os.access(beside, os.X_OK) else None)
    if found is None:
        raise error(
            f"training is a program of its own, {_PROGRAM}, which is nowhere on the PATH",
            "build it in a clone (make build) and say where it is (program=), or train with PyTorch and give "
            "explain() the module",
        )
    return found


def _arguments(options: dict[str, Any]) -> list[str]:
    """As the command line has them."""
    out: list[str] = []
    for keyword, value in options.items():
        flag = "--" + keyword.replace("_", "-")
        if value is None or value is False:
            continue
        values = value if isinstance(value, (list, tuple)) else [] if value is True else [value]
        out += [flag, *(os.fspath(v) if isinstance(v, os.PathLike) else str(v) for v in values)]
    return out


def _echo(lines: Iterable[str], last: deque[str]) -> None:
    """What it says, where we would say it: in a notebook, too."""
    for line in lines:
        last.append(line.rstrip())
        print(line, end="", file=sys.stderr)


def _run(command: list[str]) -> dict[str, Any]:
    try:
        running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    except OSError as trouble:
        raise error(f"{command[0]} cannot be started: {trouble.strerror}") from None
    assert running.stdout is not None and running.stderr is not None
    last: deque[str] = deque(maxlen=5)
    echo = threading.Thread(target=_echo, args=(running.stderr, last))
    with running:
        echo.start()
        try:
            told = running.stdout.read()
        except KeyboardInterrupt:
            # It saves its best first. A terminal has told it already, and a second SIGINT would end it.
            running.send_signal(signal.SIGTERM)
            told = running.stdout.read()
        echo.join()
    if running.returncode == _INTERRUPTED and not told.strip():
        raise KeyboardInterrupt
    if running.returncode not in (0, _INTERRUPTED):
        raise error("\n".join(last) or f"{command[0]} failed (exit code {running.returncode})")
    out: dict[str, Any] = json.loads(told)
    out["complete"] = running.returncode == 0
    return out


def _train(
    command: str,
    data: Any,
    output: str | os.PathLike[str],
    program: str | os.PathLike[str],
    reading: dict[str, Any] | None,
    options: dict[str, Any],
) -> dict[str, Any]:
    how = _arguments(options)
    started = [_program(program), command, "--json", "--output", os.fspath(output), *how]
    if isinstance(data, (str, os.PathLike)) and not reading:
        return _run([*started, "--dataset", os.fspath(data)])
    read = data if isinstance(data, Dataset) else dataset(data, **(reading or {}))
    with tempfile.TemporaryDirectory(prefix="fewedits-") as folder:
        read.save(Path(folder) / "graphs")
        return _run([*started, "--dataset", str(Path(folder) / "graphs")])


def train(
    data: Any,
    output: str | os.PathLike[str],
    *,
    program: str | os.PathLike[str] = "",
    reading: dict[str, Any] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Trains a graph classifier, as ``fewedits train`` does, by the program ``fewedits-train``, which is
    looked for on the PATH unless ``program`` says where it is.

    ``data`` is the path of a dataset, or what :func:`fewedits.dataset` takes. ``output`` is the checkpoint
    to write (``.safetensors``, ``.pt``); the model file goes beside it, and :func:`fewedits.explain` takes
    either. Options are those of the command (``fewedits train --help``), with underscores:
    ``conv="gin"``, ``epochs=100``, ``head=[64, 32]``, ``no_batch_norm=True``. Gives what the command prints
    as JSON, and ``complete``: False after Ctrl-C, which keeps the best epoch so far.
    """
    return _train("train", data, output, program, reading, options)


def train_distance(
    data: Any,
    output: str | os.PathLike[str],
    *,
    program: str | os.PathLike[str] = "",
    reading: dict[str, Any] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Trains the neural distance (GREED), as ``fewedits train-distance`` does; the rest is as in
    :func:`fewedits.train`. ``explain(…, distance="greed", greed_model=output)`` takes it."""
    return _train("train-distance", data, output, program, reading, options)
