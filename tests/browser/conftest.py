# SPDX-License-Identifier: MIT
"""A browser without a network, and the reports it opens."""

import os
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, Request, sync_playwright

import reports
from reports import MakeReport, Open, Opened, Report, setting

# Sizes and times, told at the end: docs/evidence.md cites some.
MEASURED = pytest.StashKey[list[str]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[MEASURED] = []


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    terminalreporter.section("reports")
    for line in config.stash[MEASURED]:
        terminalreporter.line(line)
    reasons = Counter(skipped.longrepr[2] for skipped in terminalreporter.getreports("skipped"))
    for reason, tests in reasons.items():
        terminalreporter.line(f"{reason} ({tests} tests)")
    terminalreporter.line(f"files and screenshots: {os.environ.get('FEWEDITS_BROWSER_OUTPUT')}")


@pytest.fixture(scope="session")
def measured(pytestconfig: pytest.Config) -> list[str]:
    return pytestconfig.stash[MEASURED]


@pytest.fixture(scope="session")
def output() -> Path:
    """A new folder for reports and screenshots, with the explanations of report_material."""
    folder = Path(setting("FEWEDITS_BROWSER_OUTPUT"))
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    reports.run(setting("FEWEDITS_REPORT_MATERIAL"), folder)
    return folder


@pytest.fixture(scope="session")
def make_report(output: Path) -> MakeReport:
    return partial(reports.make_report, output)


@pytest.fixture(scope="module", params=["made", "demo", *reports.PUBLISHED])
def report(request: pytest.FixtureRequest, output: Path) -> Report:
    """Every kind of report: made up, the demo's, certified, and under the paper's distance."""
    name: str = request.param
    if name == "made":
        return reports.make_report(output, name)
    return reports.demo(output) if name == "demo" else reports.published(output, name)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    programs = [os.environ.get("FEWEDITS_CHROMIUM"), "chromium-headless-shell", "chromium"]
    program = next((found for name in programs if name and (found := shutil.which(name))), None)
    if program is None:
        pytest.exit("no Chromium here; run: tools/setup --tests", returncode=1)
    with sync_playwright() as playwright:
        # Root cannot have the sandbox, and the pages are our own.
        started = playwright.chromium.launch(executable_path=program, chromium_sandbox=False)
        yield started
        started.close()


@pytest.fixture(scope="session")
def open_file(browser: Browser) -> Open:
    """Opens a file without a network. Whatever goes wrong in the page is an error at the end."""

    @contextmanager
    def opened(file: Path, **options: Any) -> Iterator[Opened]:
        settings: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}, "offline": True}
        context = browser.new_context(**{**settings, **options})
        try:
            page = context.new_page()
            trouble = note_trouble(page)
            start = time.perf_counter()
            page.goto(file.resolve().as_uri())
            page.wait_for_selector("html[data-ready]")
            yield Opened(page, 1000 * (time.perf_counter() - start))
            page.evaluate("0")  # by its answer, whatever was reported before has arrived
            assert trouble == []
        finally:
            context.close()

    return opened


def note_trouble(page: Page) -> list[str]:
    """A list that grows with errors, warnings, dialogs and requests beyond the file."""
    trouble: list[str] = []

    def on_console(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            trouble.append(message.text)

    def on_request(request: Request) -> None:
        if not request.url.startswith(("file:", "blob:", "data:")):
            trouble.append(f"asked for {request.url}")

    def on_dialog(dialog: Dialog) -> None:
        trouble.append("a dialog")
        dialog.dismiss()

    page.on("console", on_console)
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("request", on_request)
    page.on("dialog", on_dialog)
    return trouble


@pytest.fixture
def page(report: Report, open_file: Open) -> Iterator[Page]:
    """The report, newly opened."""
    with open_file(report.file) as opened:
        yield opened.page
