# SPDX-License-Identifier: MIT
"""`pip install .` into a fresh virtual environment, and a short explanation there."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM = """
import sys
import numpy as np
import fewedits as fe

data = fe.generate(60, seed=1)


def ask(x, batch, num_graphs):
    oxygen = np.bincount(batch, x[:, 1], num_graphs)
    return np.stack([oxygen - 2.5, 2.5 - oxygen], 1)


why = fe.explain(data, ask, desired=1, k=3, steps=20, refine_work=500_000, progress=False)
assert why.coverage > 0 and why.verify(), why
assert "torch" not in sys.modules and "rdkit" not in sys.modules
print(fe.__file__, why)
"""


def main() -> None:
    root = Path(__file__).resolve().parents[2]
    with tempfile.TemporaryDirectory() as folder:
        venv = Path(folder) / "venv"
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        python = str(venv / "bin" / "python")
        start = time.monotonic()
        subprocess.run([python, "-m", "pip", "install", "--disable-pip-version-check", str(root)], check=True)
        print(f"pip install took {time.monotonic() - start:.0f} s")
        told = subprocess.run([python, "-c", PROGRAM], check=True, capture_output=True, text=True, cwd=folder).stdout
        assert str(venv) in told, told
        print(told)


if __name__ == "__main__":
    main()
