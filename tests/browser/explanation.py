# SPDX-License-Identifier: MIT
"""What a report must show, from the explanation's file alone and written as the page writes it."""

from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from typing import Any

# Parsed JSON, described in docs/formats.md.
Explanation = dict[str, Any]
Recourse = dict[str, Any]
Edit = dict[str, Any]


def fixed(value: float, digits: int) -> str:
    """As JavaScript's toFixed, which rounds ties up: 0.03125 is 0.0313."""
    return str(Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


def probability(value: float) -> str:
    """Three places, never more than it is."""
    return str(Decimal(value + 1e-10).quantize(Decimal("0.001"), ROUND_DOWN))


def count(number: int) -> str:
    return f"{number:,}"


def share_at_least(part: int, whole: int) -> str:
    """So many of so many, never more than it is."""
    return f"{part * 10_000 // whole / 100:.2f} %"


def share_at_most(part: int, whole: int) -> str:
    """So many of so many, never less than it is."""
    return f"{-(-part * 10_000 // whole) / 100:.2f} %"


def covered(explanation: Explanation) -> int:
    return sum(recourse["covered"] for recourse in explanation["recourse"])


def coverage(explanation: Explanation) -> str:
    return share_at_least(covered(explanation), len(explanation["inputs"]))


def coverage_upper(explanation: Explanation) -> str:
    inputs = len(explanation["inputs"])
    return share_at_most(round(explanation["metrics"]["coverage_upper"] * inputs), inputs)


def recourse_of(explanation: Explanation, graph: int) -> Recourse:
    return next(recourse for recourse in explanation["recourse"] if recourse["graph"] == graph)


def has_script(recourse: Recourse) -> bool:
    """Whether there are edits that prove it; the paper's distance gives none."""
    return recourse.get("script") is not None


def marks_of_edit(recourse: Recourse, edit: Edit) -> list[str]:
    """What one edit of the script marks on either side, as "left removed node 3"."""
    image = recourse["map"]

    def edge(u: int, v: int) -> str:
        return f"edge {min(u, v)}-{max(u, v)}"

    match edit["op"]:
        case "relabel_node":
            node = edit["node"]
            return [f"left relabelled node {node}", f"right relabelled node {image[node]}"]
        case "delete_node":
            return [f"left removed node {edit['node']}"]
        case "insert_node":
            return [f"right added node {image[edit['node']]}"]
        case "relabel_edge":
            u, v = edit["u"], edit["v"]
            return [f"left relabelled {edge(u, v)}", f"right relabelled {edge(image[u], image[v])}"]
        case "delete_edge":
            return [f"left removed {edge(edit['u'], edit['v'])}"]
        case "insert_edge":
            return [f"right added {edge(image[edit['u']], image[edit['v']])}"]
        case other:
            raise ValueError(f"an edit that is not known: {other}")


def marks_of_script(recourse: Recourse) -> list[str]:
    return sorted(mark for edit in recourse["script"] for mark in marks_of_edit(recourse, edit))
