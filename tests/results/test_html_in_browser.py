"""The report, opened in a browser from its file: at three widths, dark and light, by keyboard, with
hostile text in every place.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from results.history import history
from results.html import MOST_LISTED, MOST_OPEN
from results.html import page as page_text
from spec.canonical import to_json
from spec.catalogue import examples
from spec.limits.dry_run import answer_all as limit_answers
from spec.offsets.dry_run import answer_all as offset_answers
from spec.produce.dry_run import answer_all as produce_answers
from spec.worked import semantics_of
from tests.browser import Page
from tests.results.synthetic import CLAUSES, HOSTILE, header, small_run, write
from tests.results.test_html import cluster, row, run, whole

pytestmark = pytest.mark.system
WIDTHS = (320, 390, 1280)
CONTRASTS = """
(() => {
  const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const over = ([r, g, b, a = 1], base) => [r, g, b].map((one, at) => one * a + base[at] * (1 - a));
  const light = (rgb) => {
    const [r, g, b] = rgb.map((one) => one / 255).map(
      (one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => element === null ? [255, 255, 255]
    : over(parse(getComputedStyle(element).backgroundColor), behind(element.parentElement));
  document.querySelectorAll("details").forEach((one) => { one.open = true; });
  const poor = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const hidden = element.closest("script, style, option, .unseen, .skip, [hidden], g");
    if (!walker.currentNode.data.trim() || hidden || !element.getClientRects().length) continue;
    const style = getComputedStyle(element);
    const inside = element.closest("svg");
    if (inside && element.classList.contains("on")) continue;
    const ground = behind(inside ? inside.parentElement : element);
    const ink = over(parse(inside ? style.fill : style.color), ground);
    const [one, other] = [light(ink), light(ground)].sort((a, b) => b - a);
    const contrast = (one + 0.05) / (other + 0.05);
    if (contrast < 4.5) poor.push(
      `${contrast.toFixed(2)} ${element.outerHTML.slice(0, 80)}`);
  }
  return poor;
})()
"""

CUT_TEXT = """
[...document.querySelectorAll(".drawing svg")].filter((one) => one.getClientRects().length)
  .flatMap((one) => {
    const { left, right } = one.getBoundingClientRect();
    return [...one.querySelectorAll("text")].filter((text) => {
      const around = text.getBoundingClientRect();
      return around.left < left - 1 || around.right > right + 1;
    }).map((text) => text.textContent);
  })
"""
"""The texts of pictures that do not fit into them."""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Breaks of each state, a known one, doubts, and hostile text where a broker can put it."""
    found = whole(
        matrix=(
            row(exercised=50, below=30, at=30, above=30, conforms=47, violates=3),
            row("FET-002", exercised=9, conforms=8, deviates=1),
            row("FET-004", exercised=30, conforms=30, inconclusive=1),
        ),
        runs=(run(system="embedded", notes=[HOSTILE]),),
        clusters=(
            cluster(signature="cut", outcome="deviates", clause="FET-002", example_why=HOSTILE),
            cluster(signature=HOSTILE, implementations=[HOSTILE]),
            cluster(outcome="inconclusive", clause="FET-004", signature=""),
            cluster(known=HOSTILE, signature="listed"),
        ),
    )
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(page_text(found, CLAUSES), encoding="utf-8", errors="backslashreplace")
    return path


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pictures of produce, limits and offsets, as known differences that are folded."""
    clauses: dict[Callable[..., Any], tuple[str, ...]] = {
        produce_answers: ("PRO-001", "PRO-020", "PRO-030"),
        limit_answers: ("LIM-010", "LIM-020", "LIM-061", "LIM-070", "LIM-080"),
        offset_answers: ("OFF-004",),
    }
    drawn = [
        cluster(
            clause=clause,
            signature=f"of example {number}",
            known="KAFKA-1",
            example_json=to_json(example.scenario),
            observation_json=to_json(
                answers(example.scenario, semantics_of(example.scenario, "4.3"))
            ),
        )
        for answers, names in clauses.items()
        for clause in names
        for number, example in enumerate(examples()[clause])
    ]
    assert len(drawn) > MOST_LISTED
    path = tmp_path_factory.mktemp("pictures") / "report.html"
    path.write_text(page_text(whole(clusters=tuple(drawn)), CLAUSES), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fifteen implementations."""
    systems = [(name, f"4.{one}.1") for name in ("embedded", "kfake", "tansu") for one in range(5)]
    found = whole(
        matrix=tuple(
            [
                row(clause, exercised=30, conforms=30 - broke, violates=broke)
                | {"system": name, "kafka": kafka}
                for name, kafka in systems
                for clause in ("FET-001", "FET-002", "FET-004")
                for broke in [3 * (clause == "FET-002" and name == "tansu")]
            ]
        ),
        runs=tuple(
            [
                run(run=f"{name}-{kafka}", system=name, kafka=kafka, truncated=False)
                for name, kafka in systems
            ]
        ),
    )
    path = tmp_path_factory.mktemp("many") / "report.html"
    path.write_text(page_text(found, CLAUSES), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def trends(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The history of six runs of three systems, some with a clause of which a break was seen."""
    place = tmp_path_factory.mktemp("trends")
    for number, system in enumerate(("embedded", "kfake", "tansu") * 2):
        started = header(str(number), started=f"2026-11-0{number + 1}T02:00:00Z", system=system)
        write(place / str(number), [started, *small_run(str(number))[1:]])
    return history(place)[0]


@pytest.fixture
def page(browser: Page) -> Iterator[Page]:
    browser.complaints.clear()
    browser.resize(1280, 900)
    browser.prefer()
    yield browser
    browser.prefer()
    assert browser.complaints == []


@pytest.mark.parametrize("width", WIDTHS)
def test_no_report_is_wider_than_the_window(
    page: Page,
    report: Path,
    many: Path,
    trends: Path,
    pictures: Path,
    width: int,
    tmp_path: Path,
) -> None:
    page.resize(width, 800, mobile=width < 500)
    for path in (report, many, trends, pictures):
        page.open(path.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
        wide, window = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert wide <= window
        assert page.evaluate(
            "[...document.querySelectorAll('.drawing svg')].filter((x) => "
            "x.getClientRects().length).every((x) => x.getBoundingClientRect().right <= innerWidth)"
        )
        assert page.evaluate(CUT_TEXT) == []
        page.screenshot(tmp_path / "last.png", whole=True)
        assert (tmp_path / "last.png").read_bytes().startswith(b"\x89PNG")


def test_a_phone_shows_how_many_clauses_break_without_scrolling(page: Page, many: Path) -> None:
    page.resize(360, 800, mobile=True)
    page.open(many.as_uri())
    right = "document.querySelector('.tallies td.violates').getBoundingClientRect().right"
    assert 0 < page.evaluate(right) <= 360


def test_the_worst_differences_stand_open_and_all_are_named(page: Page, tmp_path: Path) -> None:
    kinds = tuple([cluster(signature=f"kind-{number}") for number in range(9)])
    notes = [f"note {number}" for number in range(40)]
    path = tmp_path / "report.html"
    found = whole(clusters=kinds, runs=(run(notes=notes),))
    path.write_text(page_text(found, CLAUSES), encoding="utf-8")
    page.open(path.as_uri())
    assert page.evaluate("document.querySelectorAll('details.kind[open]').length") == MOST_OPEN
    assert page.evaluate("document.querySelectorAll('ol.index a').length") == len(kinds)
    notes_seen = (
        "[...document.querySelectorAll('li')].filter((one) => "
        "one.textContent.startsWith('note ') && one.checkVisibility()).length"
    )
    assert page.evaluate(notes_seen) == 0
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    assert page.evaluate(notes_seen) == len(notes)


def test_no_word_of_a_command_is_broken_on_a_phone(page: Page, tmp_path: Path) -> None:
    options = {f"{'a' * length}-{'long-' * 3}name": "x" for length in range(1, 12)}
    report = tmp_path / "report.html"
    report.write_text(page_text(whole(headers=(header(options=options),)), CLAUSES), "utf-8")
    page.resize(390, 800, mobile=True)
    page.open(report.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    lines = page.evaluate(
        "[...document.querySelectorAll('.again .word')].filter((one) => "
        "one.textContent.startsWith('--')).map((one) => { const range = new Range(); "
        "range.selectNodeContents(one); return range.getClientRects().length; })"
    )
    assert lines == [1] * (len(options) + 1)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_all_text_stands_out(
    page: Page, report: Path, many: Path, trends: Path, pictures: Path, dark: bool
) -> None:
    page.prefer(dark=dark)
    for path in (report, many, trends, pictures):
        page.open(path.as_uri())
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (ground == "rgb(255, 255, 255)") is not dark
        assert page.evaluate(CONTRASTS) == []


def test_the_clauses_are_filtered_ordered_and_linked_to(page: Page, many: Path) -> None:
    shown = "[...document.querySelectorAll('.item:not([hidden])')].map((x) => x.dataset.clause)"
    page.open(many.as_uri() + "?state=violates")
    assert page.evaluate(shown) == ["FET-002"]
    assert page.evaluate("count.textContent") == "1 of 4 clauses"
    page.open(many.as_uri())
    page.evaluate("order.value = 'worst'; order.dispatchEvent(new Event('input'))")
    assert page.evaluate(shown)[0] == "FET-002"
    page.evaluate("q.value = 'first batch progress'; q.dispatchEvent(new Event('input'))")
    assert page.evaluate(shown) == []
    page.evaluate("q.value = 'first DATA'; q.dispatchEvent(new Event('input'))")
    assert page.evaluate(shown) == ["FET-004"]
    assert "q=first+DATA" in page.evaluate("location.search")


def test_a_link_opens_what_it_leads_to(page: Page, report: Path) -> None:
    known = "document.querySelector('details.known')"
    page.open(report.as_uri())
    assert not page.evaluate(f"{known}.open")
    anchor = page.evaluate(f"{known}.id")
    page.open(f"{report.as_uri()}#{anchor}")
    page.wait_until(f"{known}.open")
    page.evaluate("location.hash = 'clause-FET-002'")
    page.wait_until("document.getElementById('figures').open")


def test_the_figures_are_sorted_by_a_key_press(page: Page, report: Path) -> None:
    page.open(report.as_uri())
    page.evaluate("document.getElementById('figures').open = true")
    page.evaluate("document.querySelectorAll('.sortable button')[2].focus()")
    page.press("Enter")
    first = "document.querySelector('.sortable tbody tr').dataset.clause"
    page.wait_until(f"{first} === 'FET-001'")
    assert page.evaluate("document.querySelector('[aria-sort]').getAttribute('aria-sort')") == (
        "descending"
    )
    page.press("Enter")
    page.wait_until(f"{first} === 'FET-040'")


def test_the_page_is_walked_by_keyboard_and_has_its_landmarks(page: Page, report: Path) -> None:
    page.open(report.as_uri())
    page.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.evaluate(
        "['header', 'nav[aria-label]', 'main', 'main section[aria-labelledby] h2']"
        ".every((one) => document.querySelector(one))"
    )
    assert page.evaluate(
        "[...document.querySelectorAll('svg:not([aria-hidden])')]"
        ".every((x) => x.getAttribute('role') === 'img' && x.getAttribute('aria-label'))"
    )
    assert page.evaluate(
        "[...document.querySelectorAll('input, select')].every((x) => x.closest('label'))"
    )
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((x) => x.id)")
    assert len(ids) == len(set(ids))


def test_hostile_text_does_nothing_and_is_shown(page: Page, report: Path) -> None:
    page.open(report.as_uri())
    assert page.evaluate("document.querySelectorAll('script').length") == 1
    assert page.evaluate("document.title") == "Fencepost: VIOLATES"
    assert "<script>alert('x')</script>" in page.evaluate("document.body.textContent")


def test_in_print_every_difference_is_open_and_nothing_is_to_be_pressed(
    page: Page, report: Path
) -> None:
    page.open(report.as_uri())
    page.prefer(media="print", dark=True)
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("document.querySelectorAll('details.kind:not([open])').length") == 0
    hidden = "['nav', '.filters'].every((x) => !document.querySelector(x).getClientRects().length)"
    assert page.evaluate(hidden)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.evaluate("document.querySelectorAll('details.kind:not([open])').length") == 2


def test_known_differences_that_are_folded_are_printed_and_linked_to(
    page: Page, pictures: Path
) -> None:
    known = "document.querySelector('#known').open"
    page.open(pictures.as_uri())
    assert not page.evaluate(known)
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(known)
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert not page.evaluate(known)
    page.evaluate("location.hash = document.querySelector('#known details.kind').id")
    page.wait_until(known)
    page.wait_until("document.querySelector('#known details.kind').open")
