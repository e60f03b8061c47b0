# SPDX-License-Identifier: MIT
"""The reports under test. CTest's browser.report says where the programs are."""

import json
import os
import subprocess
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page

from explanation import Explanation

REPOSITORY = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("FEWEDITS_SHARED", REPOSITORY.parent / "shared"))


def setting(name: str) -> str:
    if name not in os.environ:
        pytest.exit(f"{name} is not set; run: ctest --preset dev -R browser.report", returncode=1)
    return os.environ[name]


def run(program: str, *words: str | Path) -> None:
    subprocess.run([program, *words], stdin=subprocess.DEVNULL, check=True)


def fewedits(*words: str | Path) -> None:
    run(setting("FEWEDITS_CLI"), *words)


@dataclass(frozen=True)
class Report:
    """An HTML file and the explanation that it shows."""

    name: str
    file: Path
    explanation: Explanation
    label: str  # that some inputs have and others do not

    @property
    def megabytes(self) -> float:
        return self.file.stat().st_size / 1e6


@dataclass(frozen=True)
class Opened:
    """A report in the browser, and how long that took."""

    page: Page
    milliseconds: float


MakeReport = Callable[..., Report]
Open = Callable[..., AbstractContextManager[Opened]]


def make_report(output: Path, name: str, label: str = "N") -> Report:
    """Reports on the explanation of that name in the output folder."""
    source, file = output / f"{name}.json", output / f"{name}.html"
    fewedits("report", source, "-o", file)
    return Report(name, file, json.loads(source.read_text()), label)


def demo(output: Path) -> Report:
    if setting("FEWEDITS_WITH_TORCH") != "1":
        pytest.skip("the demo trains a model, and this build has no training")
    folder = output / "demo"
    fewedits("demo", "--dir", folder, "--graphs", "300", "--epochs", "60")
    explanation = json.loads((folder / "explanation.json").read_text())
    return Report("demo", folder / "report.html", explanation, "N")


@dataclass(frozen=True)
class Search:
    """A short search on published data; a label that some of its graphs have."""

    label: str
    options: str


PUBLISHED = {
    "Mutagenicity": Search("Cl", "--steps 30 --refine-work 5000000 --k 3"),
    "PROTEINS": Search("turn", "--steps 20 --refine-work 2000000 --k 4"),
    # Under the paper's distance, the others certified.
    "AIDS": Search("S", "--distance greed --greed-model GREED --no-refine --steps 1500"),
}


def published(output: Path, name: str) -> Report:
    data, models = SHARED / "datasets" / name, SHARED / "models" / name.lower()
    for needed in (data, models):
        if not needed.exists():
            pytest.skip(f"{needed} is not there")
    search = PUBLISHED[name]
    result, model, greed = output / f"{name}.json", models / "gcn.pth", models / "greed.pt"
    options = [str(greed) if word == "GREED" else word for word in search.options.split()]
    fewedits("explain", "--dataset", data, "--model", model, "-o", result, *options)
    return make_report(output, name, search.label)


@dataclass(frozen=True)
class Why:
    """A page with rules, and the files that it is made from."""

    file: Path
    explanation: Explanation
    rules: list[Explanation]  # any result, plausible ones
    fragility: Explanation
    sources: list[Path]

    @property
    def accepted(self) -> int:
        return len(self.fragility["accepted"]["each"])


def page_with_rules(output: Path) -> Why:
    """Of a planted dataset: a nitro group makes the model say no."""
    planted = output / "planted"
    why, plain, plausible, fragility = (
        planted / f"{name}.json" for name in ("why", "rules", "plausible", "fragility")
    )
    data, model = planted / "PLANTED", planted / "classifier.json"
    search = "--bonds ignore --steps 40 --refine-work 3000000 --k 4".split()
    fewedits("explain", "--dataset", data, "--model", model, *search, "-o", why)
    few = "-R 5 --two-steps 5 --expansions 30".split()
    fewedits("rules", why, *few, "-o", plain)
    fewedits("rules", why, *few, "--plausible", "-o", plausible)
    fewedits("fragility", why, "--json", "-o", fragility)
    sources, file = [why, plain, plausible, fragility], output / "why.html"
    fewedits("report", *sources, "-o", file)
    explanation, first, second, fragile = (json.loads(source.read_text()) for source in sources)
    return Why(file, explanation, [first, second], fragile, sources)
