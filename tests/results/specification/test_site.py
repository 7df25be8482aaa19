"""The catalogue's pages, opened in a browser from their files: they ask for nothing outside, fit a
phone, are searched and linked to.
"""

from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

from conformance.cli.known import known_of_clauses
from results.files import ReportError
from results.specification.form import Catalogue, Clause, Finding, State
from results.specification.gather import Known, catalogue_form
from results.specification.page_list import NAME
from results.specification.site import write_site
from spec.catalogue import catalogue
from tests.browser import Page

HOSTILE = '<script>document.title="taken"</script>&\u202e'
SLUG = catalogue()["FET-004"].slug
PHONE = (375, 720)
DESK = (1280, 900)


@cache
def real() -> Catalogue:
    return catalogue_form(known_of_clauses(), "0.1.0")


def with_clause(catalogue: Catalogue, name: str, **changes: object) -> Catalogue:
    clauses = [
        msgspec.structs.replace(one, **changes) if one.id == name else one
        for one in catalogue.clauses
    ]
    return msgspec.structs.replace(catalogue, clauses=clauses)


def clause(name: str) -> Clause:
    return next(one for one in real().clauses if one.id == name)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real catalogue, with a hostile finding and a hostile state put into one clause."""
    folder = tmp_path_factory.mktemp("site")
    finding = Finding("FET-004", HOSTILE, "x", ["4.3"], HOSTILE, HOSTILE, "", rare=False)
    state = State(HOSTILE, "4.3", "run", "2026-01-01T00:00:00Z", "conforms", 7)
    changed = with_clause(
        real(),
        "FET-004",
        findings=[*clause("FET-004").findings, finding],
        states=[state],
    )
    assert write_site(changed, folder) == len(list(folder.rglob("*.html")))
    return folder


@pytest.fixture
def page(browser: Page) -> Iterator[Page]:
    browser.complaints.clear()
    browser.resize(*DESK)
    yield browser
    assert browser.complaints == []


def address(site: Path, name: str) -> str:
    return f"{site.as_uri()}/{name}"


def shown(page: Page) -> list[str]:
    found: list[str] = page.evaluate(
        "[...document.querySelectorAll('#list li:not([hidden]) a.id')].map(one => one.innerText)"
    )
    return found


def together(site: Path, names: list[str], path: Path) -> Path:
    """The pages one under the other, in one document with the head that they share."""
    parts = [(site / name).read_text(encoding="utf-8").partition("<body>") for name in names]
    bodies = [body.partition("</body>")[0] for _, _, body in parts]
    path.write_text(f"{parts[0][0]}<body>{''.join(bodies)}</body></html>", encoding="utf-8")
    return path


@pytest.mark.system
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_no_page_is_wider_than_the_window(
    site: Path, page: Page, size: tuple[int, int], tmp_path: Path
) -> None:
    """Those of clauses in one document, which is as wide as the widest of them."""
    clauses = sorted([f"clauses/{path.name}" for path in site.glob("clauses/*.html")])
    assert len(clauses) == len(real().clauses)
    opened = [site / name for name in [*[path.name for path in site.glob("*.html")], clauses[0]]]
    opened.append(together(site, clauses, tmp_path / "together.html"))
    page.resize(*size, mobile=size == PHONE)
    for path in opened:
        page.open(path.as_uri())
        wide, window = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert wide <= window, path
    assert page.evaluate("document.querySelectorAll('h1').length") == len(clauses)
    page.screenshot(tmp_path / "last.png")
    assert (tmp_path / "last.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.system
def test_a_search_shows_what_has_all_its_words(site: Path, page: Page) -> None:
    page.open(address(site, "index.html"))
    assert set(shown(page)) == {one.id for one in real().clauses}
    page.evaluate("q.value = 'KIP-74 progress'; q.dispatchEvent(new Event('input'))")
    found = shown(page)
    assert 0 < len(found) < 20
    assert "FET-004" in found
    assert page.evaluate("count.innerText") == f"{len(found)} clauses"
    page.evaluate("q.value = 'no such words'; q.dispatchEvent(new Event('input'))")
    assert shown(page) == []
    assert page.evaluate("count.innerText") == "0 clauses"


@pytest.mark.system
def test_filters_count_together_and_can_stand_in_the_address(site: Path, page: Page) -> None:
    page.open(address(site, "index.html?subject=share&strength=must&release=4.1"))
    assert set(shown(page)) == {
        one.id
        for one in real().clauses
        if (one.subject, one.strength, one.excluded) == ("share", "must", None)
        and "4.1" in one.releases
    }
    assert shown(page)


@pytest.mark.system
@pytest.mark.parametrize("name", ["FET-004", "fet-004", SLUG])
def test_a_link_by_id_or_slug_leads_to_the_clause(site: Path, page: Page, name: str) -> None:
    page.open(address(site, f"index.html#{name}"))
    page.wait_until("location.pathname.endsWith('/clauses/FET-004.html')")
    page.wait_until("document.querySelector('h1').innerText.startsWith('FET-004')")


@pytest.mark.system
def test_a_slug_is_an_address_of_its_own(site: Path, page: Page) -> None:
    page.open(address(site, f"{SLUG}.html"))
    page.wait_until("location.pathname.endsWith('/clauses/FET-004.html')")


class Found(HTMLParser):
    """The links of a page, and what they can lead to in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links, self.anchors = list[str](), list[str]()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.links += [named["href"] or ""] if "href" in named else []
        self.anchors += [named["id"] or ""] if "id" in named else []


def test_every_link_leads_to_a_page_and_an_anchor_that_exist(site: Path) -> None:
    pages = {path: Found(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    links = [(path, link) for path, found in pages.items() for link in found.links]
    assert len(links) > 1000
    for path, found in pages.items():
        assert len(set(found.anchors)) == len(found.anchors), path
    for path, link in links:
        if link.startswith("https://"):
            continue
        name, _, anchor = link.partition("#")
        target = (path.parent / name.partition("?")[0]).resolve() if name else path
        assert target in pages, (path, link)
        assert not anchor or anchor in pages[target].anchors, (path, link)


@pytest.mark.system
def test_a_clause_shows_all_that_is_known_of_it(site: Path, page: Page) -> None:
    page.open(address(site, "clauses/FET-102.html"))
    text = page.evaluate("document.body.innerText")
    of = clause("FET-102")
    for words in (
        of.statement,
        of.explanation,
        of.strength,
        of.limit_class,
        *[source.text for source in of.sources],
        *[one.statement for one in of.readings],
        *[one.title for one in of.examples],
        *[one.summary for one in of.faults],
        *of.releases,
        "answered 180 bytes, 1 whole batch, 60 bytes of the next, offsets 0 to 0",
    ):
        assert words.replace("`", "") in text  # what stands between them is set as code
    steps = page.evaluate("document.querySelectorAll('ol.steps > li').length")
    pictures = page.evaluate(
        "[...document.querySelectorAll('.drawing svg')]"
        ".filter(x => x.getClientRects().length).length"
    )
    assert steps == pictures == 3


@pytest.mark.system
@pytest.mark.parametrize("name", ["FET-102", "GRP-001"])
def test_a_picture_fits_its_column_on_a_phone(site: Path, page: Page, name: str) -> None:
    page.resize(*PHONE, mobile=True)
    page.open(address(site, f"clauses/{name}.html"))
    assert page.evaluate(
        "[...document.querySelectorAll('.drawing')].every(x => x.scrollWidth <= x.clientWidth)"
    )


@pytest.mark.system
def test_readings_that_the_model_does_not_follow_have_an_answer_that_distinguishes_them(
    site: Path, page: Page
) -> None:
    page.open(address(site, "clauses/SHR-144.html"))
    text = page.evaluate("document.body.innerText")
    assert "at_max_wait permits these answers, woken forbids them." in text
    assert "changed as at_max_wait has it" in text
    assert "after 3000 ms" in text


@pytest.mark.system
def test_each_example_of_a_group_has_a_timeline_with_its_limit(site: Path, page: Page) -> None:
    page.open(address(site, "clauses/GRP-001.html"))
    drawn = page.evaluate(
        "[...document.querySelectorAll('.drawing svg')].filter(x => x.getClientRects().length)"
        ".map(x => x.textContent)"
    )
    assert len(drawn) == len(clause("GRP-001").examples)
    for text, limit in zip(drawn, ("2", "3"), strict=True):
        assert f"group.max.size: {limit}" in text
        assert "GROUP_MAX_SIZE_REACHED" in text


@pytest.mark.system
def test_ids_in_a_text_are_links_and_names_are_code(site: Path, page: Page) -> None:
    page.open(address(site, "errata.html"))
    links = page.evaluate(
        "[...document.querySelectorAll('main a')].map(x => x.getAttribute('href'))"
    )
    assert {"clauses/FET-004.html", "readings.html#MXR-A2"} <= set(links)
    names = page.evaluate("[...document.querySelectorAll('main code')].map(x => x.innerText)")
    assert "stop" in names
    assert "`" not in page.evaluate("document.body.innerText")


@pytest.mark.system
def test_text_from_outside_stays_text(site: Path, page: Page) -> None:
    for name in ("clauses/FET-004.html", "findings.html", "states.html", "index.html"):
        page.open(address(site, name))
        assert "taken" not in page.evaluate("document.title")
    page.open(address(site, "clauses/FET-004.html"))
    text = page.evaluate("document.body.innerText")
    assert '<script>document.title="taken"</script>&\\u202e' in text


def test_without_runs_nothing_is_said_of_implementations(tmp_path: Path) -> None:
    only = catalogue_form(Known(), "0.1.0", lambda name: name == "FET-004")
    write_site(only, tmp_path)
    assert not (tmp_path / "states.html").exists()
    assert "Last known state" not in (tmp_path / "clauses/FET-004.html").read_text()


def test_a_slug_that_is_no_path_is_refused(tmp_path: Path) -> None:
    bad = with_clause(real(), "FET-004", slug="../outside")
    with pytest.raises(ReportError, match="slug"):
        write_site(bad, tmp_path)
    assert list(tmp_path.iterdir()) == []


def only_of(*names: str) -> Catalogue:
    return catalogue_form(Known(), "0.1.0", lambda name: name in names)


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_pages_of_a_clause_that_was_withdrawn_are_removed_and_nothing_else(tmp_path: Path) -> None:
    write_site(only_of("FET-004", "SHR-123"), tmp_path / "both")
    write_site(only_of("FET-004"), tmp_path / "one")
    assert files_in(tmp_path / "one") < files_in(tmp_path / "both")
    kept = {"notes.html", "clauses/SHR-999.html", "share/notes.txt"}
    for name in kept:
        (tmp_path / "both" / name).write_text("mine")
    write_site(only_of("FET-004"), tmp_path / "both")
    assert files_in(tmp_path / "both") == files_in(tmp_path / "one") | kept


def test_a_list_of_pages_never_leads_out_of_its_folder(tmp_path: Path) -> None:
    site, outside = tmp_path / "site", tmp_path / "outside"
    for folder in (site, outside):
        folder.mkdir()
        (folder / "kept.html").write_text("mine")
    (site / "linked").symlink_to(outside)
    (site / NAME).write_text(
        f"../outside/kept.html\n{outside}/kept.html\nlinked/kept.html\n\nkept.html/..\n.html\n"
    )
    write_site(only_of("FET-004"), site)
    assert (outside / "kept.html").exists()
    assert (site / "kept.html").exists()
