# SPDX-License-Identifier: MIT
"""The README's pictures of pages: each page from its beginning to the end of the first rule.

    .venv/bin/python bench/page_pictures.py PAGE.html PICTURE.png [PAGE PICTURE …]

`make pictures` makes the pages, too. Needs Chromium (tools/setup --tests).
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

WIDTH = 1200
MARGIN = 16
COLOURS = 128  # a third of the bytes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="pages, each followed by its picture")
    files = parser.parse_args().files
    if len(files) % 2:
        parser.error("each page needs a picture")
    program = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, chromium_sandbox=False)
        for page_file, picture in zip(files[::2], files[1::2]):
            context = browser.new_context(offline=True, viewport={"width": WIDTH, "height": 900})
            page = context.new_page()
            page.goto(Path(page_file).resolve().as_uri())
            page.wait_for_selector("html[data-ready]", timeout=60_000)
            end = page.evaluate("document.querySelector('.rule').getBoundingClientRect().bottom")
            page.set_viewport_size({"width": WIDTH, "height": int(end) + MARGIN})
            page.wait_for_timeout(300)  # fonts and charts settle
            page.screenshot(path=picture)
            Image.open(picture).quantize(COLOURS, dither=Image.Dither.NONE).save(picture, optimize=True)
            context.close()


if __name__ == "__main__":
    main()
