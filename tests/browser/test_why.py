# SPDX-License-Identifier: MIT
"""Pages with rules: every figure is the files', and what is drawn is what the rules do."""

import math
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page

import reports
from explanation import count, fixed
from reports import MakeReport, Open, Why, fewedits
from test_report import SCREENS, check_says_nothing_strange, layout_shift, text_of

Rule = dict[str, Any]
FIGURES = ("on_average", "somewhere", "everywhere")


@pytest.fixture(scope="session")
def why(output: Path) -> Why:
    return reports.page_with_rules(output)


@pytest.fixture
def page(why: Why, open_file: Open) -> Iterator[Page]:
    with open_file(why.file) as opened:
        yield opened.page


def percent(share: float) -> str:
    text = f"{100 * share:.1f}"
    if text == "100.0" and share < 1:
        return "> 99.9 %"
    return "< 0.1 %" if text == "0.0" and share > 0 else f"{text} %"


def wilson(share: float, n: int) -> str:
    """The 95 % interval, as it is written."""
    z = 1.959963984540054
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return f"({100 * max(0, middle - half):.1f}–{100 * min(1, middle + half):.1f})"


def show_set(page: Page, at: int) -> None:
    page.click(f'#rules-chips [data-set="{at}"]')
    more = page.locator("#rules-list > .more")
    if more.count():
        more.click()


def cards_of(page: Page, rules: list[Rule]) -> list[tuple[Locator, Rule]]:
    """In the order of the list."""
    return [(page.locator(f'.rule[data-rule="{i}"]'), rule) for i, rule in enumerate(rules)]


def content(part: Locator) -> str:
    return part.text_content() or ""


# The opening.


def test_begins_with_both_classes(page: Page, why: Why) -> None:
    classes = why.explanation["classes"]
    question = text_of(page, "h1")
    assert question.startswith(f"Why does the model say {classes['predicted'][0]}, ")
    assert question.endswith(f"what makes it say {classes['desired']}?")


def test_first_figures_are_held_out(page: Page, why: Why) -> None:
    for name, rules in zip(("rules", "plausible"), why.rules, strict=True):
        held_out = rules["held_out"]["figures"]["on_average"]
        assert text_of(page, f"#tile-{name}") == percent(held_out)
    rejected = why.fragility["rejected"]
    share = rejected["one_step"] / rejected["graphs"]
    assert text_of(page, "#tile-fragility") == percent(share)


def test_sections_are_in_order_and_what_made_it_is_last(page: Page) -> None:
    ids: list[str] = page.evaluate(
        """() => [...document.querySelectorAll("main > header, main > section:not([hidden])")]
          .map((part) => part.id)"""
    )
    wanted = ["summary", "rules", "glance", "counterfactuals", "recourse", "uncovered"]
    assert [name for name in ids if name in wanted] == [n for n in wanted if n in ids]
    assert ids[:2] == ["summary", "rules"]
    assert ids[-1] == "made"
    assert "glance" in ids
    links = page.locator("#nav a").evaluate_all("(all) => all.map((a) => a.hash.slice(1))")
    assert links == ids


# Rules.


@pytest.mark.parametrize("at", [0, 1])
def test_every_rule_is_a_card_with_its_figures(page: Page, why: Why, at: int) -> None:
    rules = why.rules[at]
    show_set(page, at)
    assert page.locator(".rule").count() == len(rules["rules"])
    inputs = len(rules["inputs"])
    used_before = 0.0
    for card, rule in cards_of(page, rules["rules"]):
        alone = rule["alone"]
        lines = card.locator(".figure-lines")
        for key in FIGURES:
            value = content(lines.locator(f'[data-figure="{key}"] .value'))
            assert value.startswith(percent(alone[key])), "all three are there"
        assert f"{alone['calls']:.1f} model calls" in content(lines)
        assert rule["text"] in content(card.locator("header"))
        notes = content(card.locator(".rule-notes"))
        applies = f"{count(len(rule['inputs']))} of {count(inputs)} inputs"
        assert f"{applies} ({percent(alone['support'])})" in notes
        used = rule["list"]["support"] - used_before
        used_before = rule["list"]["support"]
        assert f"the first that applies in {percent(used)}" in notes
        assert notes.startswith(f"{rule['edits']} edit")
        check_accepted(notes, rule)
        check_pairs(notes, rule)


def check_accepted(notes: str, rule: Rule) -> None:
    use, inverse = rule["on_accepted"], rule.get("inverse_on_accepted")
    if use["places"]:
        share = percent(use["accepted"] / use["places"])
        said = f"at {count(use['accepted'])} of {count(use['places'])} places ({share})"
        assert f"stay accepted {said}" in notes
    else:
        assert "has a place for it" in notes
    if inverse and inverse["places"]:
        lost = inverse["places"] - inverse["accepted"]
        assert f"rejected at {count(lost)} of {count(inverse['places'])} places" in notes


def check_pairs(notes: str, rule: Rule) -> None:
    if rule["pairs"]:
        assert re.search(rf"{count(rule['pairs'])} pairs? of", notes)
    else:
        assert "differ by just this" in notes


def test_frequencies_are_shares_of_rejected_and_accepted(page: Page, why: Why) -> None:
    rules = why.rules[0]
    show_set(page, 0)
    for card, rule in cards_of(page, rules["rules"]):
        piece = card.locator(".frequency", has_text="the piece it changes")
        rejected = rule["left"]["rejected"] / len(rules["inputs"])
        accepted = rule["left"]["accepted"] / why.accepted
        values = piece.locator(".value").all_text_contents()
        assert values == [percent(rejected), percent(accepted)]
        if "right" in rule:
            made = card.locator(".frequency", has_text="the piece it makes")
            shown = made.locator(".value").all_text_contents()[1]
            assert shown == percent(rule["right"]["accepted"] / why.accepted)


@pytest.mark.parametrize("at", [0, 1])
def test_list_is_told_held_out_and_beside_chance(page: Page, why: Why, at: int) -> None:
    rules = why.rules[at]
    show_set(page, at)
    columns = {
        "held-out": rules["held_out"]["figures"],
        "chosen": rules["rules"][-1]["list"],
        "random": rules["baselines"]["random_rules"],
    }
    for column, figures in columns.items():
        for key in FIGURES:
            cell = page.locator(f'.list-figures [data-row="{key}"] [data-column="{column}"]')
            assert content(cell.locator("b").first) == percent(figures[key])
            if column == "held-out":
                assert wilson(figures[key], len(rules["inputs"])) in content(cell)
            if key == "somewhere":
                assert f"{figures['calls']:.1f} model calls" in content(cell)
    assert percent(rules["baselines"]["random_edits"]) in text_of(page, ".list-figures")
    parts = len(rules["held_out"]["lists"])
    assert f"held out ({parts} parts)" in text_of(page, ".list-figures")


def test_most_used_rule_comes_first(page: Page, why: Why) -> None:
    rules = why.rules[0]["rules"]
    support = [0.0, *(rule["list"]["support"] for rule in rules)]
    used = [after - before for before, after in zip(support, support[1:], strict=False)]
    first = page.locator(".rule").first.get_attribute("data-rule")
    assert used[int(first or -1)] == max(used)


def test_switches_between_both_lists(page: Page, why: Why) -> None:
    for at in (1, 0, 1):
        show_set(page, at)
        texts = page.locator(".rule header code").all_text_contents()
        assert sorted(texts) == sorted(rule["text"] for rule in why.rules[at]["rules"])
        pressed = page.locator('#rules-chips [aria-pressed="true"]')
        assert pressed.count() == 1
        assert pressed.get_attribute("data-set") == str(at)


def test_switch_works_with_keys(page: Page) -> None:
    page.locator('#rules-chips [data-set="1"]').focus()
    page.keyboard.press("Enter")
    assert page.locator("#rules-list").get_attribute("data-set") == "1"


def marks_in(part: Locator) -> list[tuple[str, str]]:
    """What is marked in both pictures: how, and what."""
    return [
        (kind, what.split(" ")[0])
        for kind, what in part.locator(".mark[data-part]").evaluate_all(
            "(all) => all.map((mark) => [mark.classList[1], mark.dataset.part])"
        )
    ]


def marks_of_rule(rule: Rule) -> list[tuple[str, str]]:
    """What a rule's pictures have to mark: a label that changes on both sides, else one."""
    out = []
    for what, parts in (("node", rule["nodes"]), ("edge", [e[2:] for e in rule["edges"]])):
        for before, after in parts:
            if before is None:
                out.append(("added", what))
            elif after is None:
                out.append(("removed", what))
            elif before != after:
                out += [("relabelled", what)] * 2
    return sorted(out)


@pytest.mark.parametrize("at", [0, 1])
def test_drawn_rule_is_the_rule(page: Page, why: Why, at: int) -> None:
    show_set(page, at)
    for card, rule in cards_of(page, why.rules[at]["rules"]):
        pattern = card.locator(".pattern")
        assert sorted(marks_in(pattern)) == marks_of_rule(rule)
        for side, which in (("left", 0), ("right", 1)):
            there = sum(node[which] is not None for node in rule["nodes"])
            svg = pattern.locator(f'[data-side="{side}"] svg')
            assert svg.get_attribute("data-nodes") == str(there)
        for context in pattern.locator("g:not(.mark)[data-part]").all():
            assert float(context.evaluate("(g) => getComputedStyle(g).opacity")) < 0.6


@pytest.mark.parametrize("at", [0, 1])
def test_examples_are_real_inputs_with_that_change_marked(page: Page, why: Why, at: int) -> None:
    show_set(page, at)
    compared, told = 0, set()
    for card, rule in cards_of(page, why.rules[at]["rules"]):
        inputs = {row[0]: row for row in rule["inputs"]}
        following = card.get_by_label("Next example")
        while True:
            found = re.search(r"graph (\d+)", content(card.locator(".pager")))
            assert found
            _, places, works, before_first, image = inputs[int(found[1])]
            stage = card.locator(".example-stage")
            worked = stage.get_attribute("data-worked") == "true"
            told.add(worked)
            assert works > 0 if worked else works == 0 or before_first > 0
            assert sorted(marks_in(stage)) == marks_of_rule(rule)
            if worked:
                nodes = [n for n in rule["nodes"] if n[0] is not None]
                changed = {v for v, (b, a) in zip(image, nodes, strict=True) if a not in (None, b)}
                marked = stage.locator('[data-side="left"] .relabelled[data-part^="node"]')
                parts = marked.evaluate_all("(all) => all.map((m) => m.dataset.part)")
                assert {int(part.split(" ")[1]) for part in parts} == changed
            said = content(card.locator(".pager"))
            assert f"{places} place" in said or "only place" in said
            assert ("✓ now" if worked else "still not") in content(stage)
            compared += 1
            if following.is_disabled():
                break
            following.click()
    assert compared > 8
    assert told == {True, False}, "worked and failed ones"


def test_rules_and_graphs_are_told_apart(page: Page) -> None:
    assert "leaves the rest of the molecule alone" in text_of(page, "#rules-and-graphs")


# What tells rejected from accepted.


def test_glance_table_has_shares_and_intervals(page: Page, why: Why) -> None:
    told: dict[str, Any] = page.evaluate(
        """() => JSON.parse(document.getElementById("data").textContent).glance"""
    )
    assert told["graphs"]["rejected"] == len(why.explanation["inputs"])
    assert told["graphs"]["accepted"] == why.accepted
    rows = page.locator("#glance tbody tr")
    assert rows.count() == len(told["patterns"]) > 0
    for i, pattern in enumerate(told["patterns"][:5]):
        text = content(rows.nth(i))
        assert pattern["name"] in text
        for side in ("rejected", "accepted"):
            assert pattern["counts"][side] / told["graphs"][side] == pytest.approx(pattern[side])
            assert percent(pattern[side]) in text
        assert pattern["interval"][0] <= pattern["difference"] <= pattern["interval"][1]
    sentences = page.locator("#opening li")
    assert 1 <= sentences.count() <= 3
    for i, sentence in enumerate(told["opening"]):
        assert content(sentences.nth(i)).startswith(sentence["text"])


def test_glance_draws_a_place_of_each_pattern(page: Page) -> None:
    rows = page.locator("#glance tbody tr:visible")
    seen = 0
    for i in range(min(6, rows.count())):
        rows.nth(i).focus()
        assert rows.nth(i).get_attribute("aria-selected") == "true"
        seen += page.locator(".glance-stage .mark.found").count() > 0
    assert seen > 0


# Who is not covered, and fragility.


def test_uncovered_are_drawn_with_their_distances(page: Page, why: Why) -> None:
    far = {r["graph"]: r for r in why.explanation["recourse"] if not r["covered"]}
    assert far
    lead = text_of(page, "#uncovered-lead")
    assert lead.startswith(f"{count(len(far))} input")
    seen: list[int] = []
    last = 0.0
    while True:
        for card in page.locator("#uncovered-cards .card").all():
            graph = int(card.get_attribute("data-input") or -1)
            seen.append(graph)
            if far[graph]["distance"] is None:
                continue
            assert content(card.locator(".covers")).startswith(fixed(far[graph]["distance"], 4))
            assert far[graph]["distance"] >= last, "nearest first"
            last = far[graph]["distance"]
        following = page.get_by_label("Farther inputs")
        if following.count() == 0 or following.is_disabled():
            break
        following.click()
    assert sorted(seen) == sorted(far)
    page.locator("#uncovered-cards .card").first.click()
    assert page.locator('[data-view="uncovered"]').get_attribute("aria-pressed") == "true"


def test_fragility_is_the_files(page: Page, why: Why) -> None:
    for side in ("rejected", "accepted"):
        graphs = why.fragility[side]["each"]
        part = page.locator(f'#fragility [data-side="{side}"]')
        for name, fewest in (("one", 1), ("two", 2), ("unknown", None)):
            number = sum(graph["fewest_known"] == fewest for graph in graphs)
            shown = content(part.locator(f'[data-figure="{name}"]'))
            assert shown == percent(number / len(graphs))
        one = sum(graph["enough"] > 0 for graph in graphs)
        assert wilson(one / len(graphs), len(graphs)) in content(part)
        enough = sum(g["enough"] / g["steps"] for g in graphs if g["steps"]) / len(graphs)
        assert f"{percent(enough)} are enough" in content(part)


# How it was made.


def test_tells_how_it_was_made(page: Page, why: Why) -> None:
    made = text_of(page, "#made-body")
    for source in why.sources:
        assert source.name in made
    commands = page.locator("#made .command code").all_text_contents()
    assert [command.split(" ")[1] for command in commands] == ["explain", "rules", "rules"]
    assert "--plausible" in commands[2]
    for rules, command in zip(why.rules, commands[1:], strict=True):
        assert f"--seed {rules['seed']}" in command


def test_its_commands_make_the_same_rules(page: Page, why: Why, output: Path) -> None:
    commands = page.locator("#made .command code").all_text_contents()
    for source, command in zip(why.sources[1:3], commands[1:], strict=True):
        file = output / "again.json"
        fewedits(*command.split()[1:-1], file)
        assert file.read_bytes() == source.read_bytes()


# Other pages.


def test_page_of_rules_alone(why: Why, open_file: Open, output: Path) -> None:
    file = output / "rules-alone.html"
    fewedits("report", why.sources[1], "-o", file)
    with open_file(file) as opened:
        page = opened.page
        assert text_of(page, "h1").startswith("Why does the model say ")
        assert page.locator(".rule").count() == len(why.rules[0]["rules"])
        for section in ("counterfactuals", "recourse", "uncovered", "changes", "curves"):
            assert not page.locator(f"#{section}").is_visible()
        assert not page.locator("#rules-chips").is_visible()
        check_says_nothing_strange(page)


def test_without_the_model_says_so(why: Why, open_file: Open, output: Path) -> None:
    planted, model = output / "planted", output / "gone.json"
    for ending in ("json", "safetensors"):
        shutil.copy(planted / f"classifier.{ending}", output / f"gone.{ending}")
    model.write_text(model.read_text().replace("classifier.safetensors", "gone.safetensors"))
    rules, file = output / "gone.rules.json", output / "gone.html"
    few = "--bonds ignore -R 3 --two-steps 0 --expansions 5 --folds 0".split()
    fewedits("rules", "--dataset", planted / "PLANTED", "--model", model, *few, "-o", rules)
    model.unlink()
    fewedits("report", rules, "-o", file)
    with open_file(file) as opened:
        page = opened.page
        assert "it was not at hand" in text_of(page, "#no-model")
        assert page.locator(".reading").count() == 0
        assert not page.locator("#glance").is_visible()
        assert page.locator(".rule").count() > 0
        assert "held out" not in text_of(page, ".list-figures")
        check_says_nothing_strange(page)


def test_hostile_names_in_rules_are_text(
    make_report: MakeReport, open_file: Open, output: Path
) -> None:
    make_report("hostile")
    file = output / "hostile-rules.html"
    fewedits("report", output / "hostile.json", output / "hostile.rules.json", "-o", file)
    with open_file(file) as opened:
        page = opened.page
        assert page.evaluate("window.broken === undefined")
        assert page.locator("main script, main img, main b b").count() == 0
        assert "</script>" in text_of(page, "h1")
        assert "<script>window.broken = 1</script>" in content(page.locator(".rule h3"))


@pytest.mark.parametrize("screen", SCREENS)
def test_fits_the_screen(
    why: Why, screen: str, open_file: Open, output: Path, measured: list[str]
) -> None:
    with open_file(why.file, **SCREENS[screen]) as opened:
        page = opened.page
        assert layout_shift(page) < 0.05, "no layout jump"
        show_set(page, 1)
        width = page.viewport_size["width"] if page.viewport_size else 0
        assert page.evaluate("document.documentElement.scrollWidth") <= width, "nothing sticks out"
        wide = page.evaluate(
            """() => [...document.querySelectorAll(".card, .tile, .rule, .fragile, .opening")]
              .filter((box) => {
                const inside = box.getBoundingClientRect().right;
                return [...box.querySelectorAll("span, small, b, code, li, p")].some((part) =>
                  part.getBoundingClientRect().right > inside + 1.5);
              }).map((box) => box.textContent)"""
        )
        assert wide == [], "every text is inside its box"
        check_says_nothing_strange(page)
        page.screenshot(path=output / f"why-{screen}.png", full_page=True)
    if screen == "desktop":
        size = why.file.stat().st_size / 1e6
        measured.append(f"why: {size:.1f} MB, open in {opened.milliseconds:.0f} ms")


def test_prints_all_rules(why: Why, open_file: Open, output: Path) -> None:
    with open_file(why.file, color_scheme="dark") as opened:
        opened.page.emulate_media(media="print")
        cards = opened.page.locator(".rule")
        assert cards.count() == len(why.rules[0]["rules"])
        assert all(card.is_visible() for card in cards.all())
        opened.page.emulate_media(media="screen")
        printed = opened.page.pdf(path=output / "why.pdf", format="A4", print_background=True)
    assert printed.startswith(b"%PDF")
