# SPDX-License-Identifier: MIT
"""Writes what follows from the table of options and from the docstrings; a test compares.

    python -m fewedits._generate OPTIONS.py
"""

from __future__ import annotations

import sys
from pathlib import Path

from .options import keyword_type, option_rows


def options_source() -> str:
    """fewedits/_options.py: the keywords of explain(), for type checkers."""
    lines = [
        "# SPDX-License-Identifier: MIT",
        '"""The keywords that explain() takes from the table of options. Written by fewedits._generate."""',
        "",
        "from __future__ import annotations",
        "",
        "from collections.abc import Iterable, Sequence",
        "from typing import Literal, TypedDict",
        "",
        "",
        "class ExplainOptions(TypedDict, total=False):",
    ]
    lines += [f"    {name}: {keyword_type(row)} | None" for name, row in option_rows().items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(options_source(), encoding="utf-8")
