# SPDX-License-Identifier: MIT
"""The notebooks of examples/ run from the first cell to the last."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = ["black_box", "molecules", "pyg_model"]


def test_all_are_here(root: Path) -> None:
    assert sorted(file.stem for file in (root / "examples").glob("*.ipynb")) == NOTEBOOKS


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs(name: str, root: Path, tmp_path: Path) -> None:
    notebook = nbformat.read(root / "examples" / f"{name}.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "notebooks are kept without outputs"
    client = NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    shown = [out for cell in notebook.cells for out in cell.get("outputs", []) if "text/html" in out.get("data", {})]
    assert any("<svg" in out["data"]["text/html"] for out in shown)
