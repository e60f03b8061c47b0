# SPDX-License-Identifier: MIT
"""Writes what follows from the table of options and from the docstrings; a test compares.

    python -m fewedits._generate python/src/fewedits/_options.py docs/python.md
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any

import fewedits

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


#: The page, in the order in which one meets things.
_SECTIONS: list[tuple[str, str, list[str]]] = [
    ("Explain", "", ["explain", "Explanation", "Counterfactual", "load"]),
    ("Rules", "", ["rules", "RuleList", "Rule", "load_rules"]),
    ("Your graphs", "", ["dataset", "Dataset", "GraphBatch", "Graph", "open_dataset", "generate"]),
    ("Your model", "", ["BlackBox", "Model", "predict", "Predictions", "train", "train_distance"]),
    ("Recourse and checks", "", ["Recourse", "evaluate", "Evaluation", "Verification", "fragility", "Fragility"]),
    ("The edit distance", "See also [the edit distance, by itself](ged.md).",
     ["ged", "Distance", "ged_matrix", "DistanceMatrix", "distances", "EditScript"]),
    ("Errors", "", ["Error"]),
]  # fmt: skip

_HEAD = """# Python

<!-- Written by python -m fewedits._generate from the docstrings. -->

`pip install .` in a clone, after `tools/setup`; `[pyg]` adds PyTorch Geometric, `[chem]` RDKit. `make python` builds
a wheel that needs nothing of the machine it was built on. The notebooks in [examples](../examples) show it at work: a
[model of PyTorch Geometric](../examples/pyg_model.ipynb), [molecules](../examples/molecules.ipynb),
[somebody else's black box](../examples/black_box.ipynb). A counterfactual for one graph by `torch_geometric.explain`:
`fewedits.pyg.CounterfactualExplainer`. Why it is as it is: [decision 0019](adr/0019-python.md).

"""


def _signature(name: str, thing: Any) -> str:
    if name == "explain":
        # The options are listed below it.
        own = [
            p
            for p in inspect.signature(thing).parameters.values()
            if p.name not in option_rows()
        ]
        return f"{name}({', '.join(_parameter(p) for p in own)}, **options)"
    return f"{name}({', '.join(_parameter(p) for p in inspect.signature(thing).parameters.values())})"


def _parameter(p: inspect.Parameter) -> str:
    stars: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    text = stars.get(p.kind, "") + p.name
    return text if p.default is inspect.Parameter.empty else f"{text}={p.default!r}"


def _doc(thing: Any) -> str:
    """In the words of the docstring, as Markdown."""
    text = inspect.getdoc(thing) or ""
    for role in (":func:", ":class:", ":mod:", ":attr:"):
        text = text.replace(role, "")
    return text.replace("``", "`").replace("`fewedits.", "`").strip()


def _members(thing: type) -> list[str]:
    out = []
    for name, member in vars(thing).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            text, shown = _doc(member.fget) if member.fget else _doc(member), name
        elif inspect.isfunction(member):
            parameters = list(inspect.signature(member).parameters.values())[1:]
            text, shown = _doc(member), f"{name}({', '.join(_parameter(p) for p in parameters)})"
        else:
            continue
        if text:
            out.append(f"- `{shown}`: {' '.join(text.split())}")
    return out


def page() -> str:
    """docs/python.md"""
    out = [_HEAD]
    for title, about, names in _SECTIONS:
        out.append(f"## {title}\n\n" + (about + "\n\n" if about else ""))
        for name in names:
            thing = getattr(fewedits, name)
            if inspect.isclass(thing):
                out.append(f"### `{name}`\n\n{_doc(thing)}\n\n")
                members = _members(thing)
                if members:
                    out.append("\n".join(members) + "\n\n")
            else:
                out.append(f"### `{_signature(name, thing)}`\n\n{_doc(thing)}\n\n")
    return "".join(out).rstrip("\n") + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(options_source(), encoding="utf-8")
    Path(sys.argv[2]).write_text(page(), encoding="utf-8")
