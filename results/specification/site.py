"""The catalogue as static pages: no outside address, nothing to serve, everything escaped."""

import base64
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from results.files import ReportError, write_whole
from results.geometry import WAITED_MS, panels
from results.group_timeline import Timeline, timelines
from results.picture import draw_rows
from results.shapes import Panel
from results.specification.form import Catalogue, Clause, Fault, Finding
from results.specification.page_list import remove_withdrawn
from results.text import count_of, number, plain
from results.timeline_picture import draw_timeline, legend
from spec.canonical import from_plain, read_scenario
from spec.frozen import frozen, replace
from spec.observation import Observation

_HERE = Path(__file__).parent
_WIDTHS = (320, 640)
"""Of a picture in a narrow and in a wide column, pixels."""
_KINDS = (
    ("kip", "KIPs"),
    ("documentation", "Kafka's documentation"),
    ("draft", "Drafts"),
    ("code", "Source code of Apache Kafka"),
    ("report", "Reports"),
)
_ID = re.compile(r"\b[A-Z]{3}-[A-Z]?\d+\b")
_CODE = re.compile(r"`([^`]+)`")
_SAFE_ID = re.compile(r"[A-Z]{2,8}-[A-Z]?\d{1,4}")
_SAFE_SLUG = re.compile(r"[a-z0-9_-]+(/[a-z0-9_-]+)*")


@frozen
class Drawn:
    """One step of a scenario.

    Attributes:
        title: what it asks, in words.
        small, large: its picture for a narrow and for a wide column; empty where there is nothing
            to draw.
        outcomes: what came back, in words.
    """

    title: str
    small: Markup
    large: Markup
    outcomes: tuple[str, ...]


@frozen
class DrawnTimeline:
    """The timeline of a group.

    Attributes:
        title: which group, where there are several; otherwise empty.
        small, large: its picture for a narrow and for a wide column.
        legend: what its marks mean.
    """

    title: str
    small: Markup
    large: Markup
    legend: str


@frozen
class Drawing:
    """A scenario with what the model answers: its groups, then its steps."""

    timelines: tuple[DrawnTimeline, ...]
    steps: tuple[Drawn, ...]


@frozen
class Planted:
    """A planted fault beside the clause that must catch it."""

    fault: Fault
    clause: Clause


def write_site(catalogue: Catalogue, folder: Path) -> int:
    """Write the pages; `index.html` is where to begin.

    Args:
        catalogue: what they are made from, and nothing besides.
        folder: made where it does not exist; files of the same names are replaced, and pages that
            were written here before and are none any more are removed.

    Returns:
        How many pages were written.

    Raises:
        ReportError: a page can't be written or removed, or a clause's id or slug can't name a file.
    """
    pages = dict(_Site(_by_id(catalogue)).pages())
    for name, text in pages.items():
        write_whole(folder / name, text)
    remove_withdrawn(folder, pages)
    return len(pages)


class _Site:
    """Renders the pages of one catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.by_id = {clause.id: clause for clause in catalogue.clauses}
        for clause in catalogue.clauses:
            if not _SAFE_ID.fullmatch(clause.id) or not _SAFE_SLUG.fullmatch(clause.slug):
                raise ReportError(
                    f"expected an id such as FET-004 and a slug such as share/acquire/limit, found "
                    f"{clause.id!r} and {clause.slug!r}; rename the clause"
                )

    def pages(self) -> Iterator[tuple[str, str]]:
        """Each page's name and text."""
        yield "index.html", self._render("index.html", names=_names, search_text=_search_text)
        yield from self._clause_pages()
        yield (
            "sources.html",
            self._render("sources.html", groups=self._groups(), kinds=_KINDS, gaps=self._gaps()),
        )
        yield "faults.html", self._render("faults.html", faults=list(self._planted_faults()))
        yield "findings.html", self._render("findings.html", findings=list(self._findings()))
        yield "readings.html", self._render("readings.html")
        yield "errata.html", self._render("errata.html", by_source=self._errata())
        if self.systems:
            yield "states.html", self._render("states.html", systems=self.systems)

    @cached_property
    def systems(self) -> list[str]:
        """The implementations of which a state is known."""
        return sorted({one.system for clause in self.by_id.values() for one in clause.states})

    @cached_property
    def _places(self) -> Mapping[str, str]:
        """Where each clause and each question of a draft stands, by its id."""
        questions = [one.id for draft in self.catalogue.drafts for one in draft.questions]
        return {
            **{name: f"readings.html#{name}" for name in questions},
            **{name: f"clauses/{name}.html" for name in self.by_id},
        }

    @cached_property
    def _menu(self) -> tuple[tuple[str, str], ...]:
        states = (("states.html", "Implementations"),) if self.systems else ()
        return (
            ("index.html", "Clauses"),
            ("sources.html", "Sources"),
            ("faults.html", "Planted faults"),
            ("findings.html", "Findings"),
            ("readings.html", "Readings"),
            ("errata.html", "Errata"),
            *states,
        )

    @cached_property
    def _environment(self) -> Environment:
        environment = Environment(
            loader=FileSystemLoader(_HERE / "templates"),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=StrictUndefined,
        )
        style, script = [
            (_HERE / name).read_text(encoding="utf-8") for name in ("site.css", "site.js")
        ]
        environment.filters.update(
            plain=plain, number=number, counted=count_of, linked=self._link_ids
        )
        environment.globals.update(
            catalogue=self.catalogue,
            menu=self._menu,
            has_states=bool(self.systems),
            style=Markup(style),  # noqa: S704  our own file
            script=Markup(script),  # noqa: S704  our own file
            style_hash=_digest(style),
            script_hash=_digest(script),
            anchor=_anchor,
            draw=_draw,
        )
        return environment

    def _render(self, template: str, root: str = "", here: str = "", **values: Any) -> str:
        return self._environment.get_template(template).render(
            root=root, here=here or template, **values
        )

    def _clause_pages(self) -> Iterator[tuple[str, str]]:
        ids = list(self.by_id)
        subjects = {one.name: one for one in self.catalogue.subjects}
        for number_, clause in enumerate(self.catalogue.clauses):
            subject = subjects[clause.subject]
            yield (
                f"clauses/{clause.id}.html",
                self._render(
                    "clause.html",
                    root="../",
                    here="clause",
                    clause=clause,
                    sets=subject.requirement_sets,
                    runnable=subject.draft is None,
                    before=ids[number_ - 1] if number_ else "",
                    after=ids[number_ + 1] if number_ + 1 < len(ids) else "",
                ),
            )
            if clause.slug:
                up = "../" * clause.slug.count("/")
                yield (
                    f"{clause.slug}.html",
                    self._render(
                        "moved.html", clause=clause, target=f"{up}clauses/{clause.id}.html"
                    ),
                )

    def _groups(self) -> Mapping[str, Mapping[str, list[tuple[Clause, list[str]]]]]:
        """By kind and document, the clauses that rest on it, with the places that each names."""
        found: dict[str, dict[str, dict[str, list[str]]]] = {kind: {} for kind, _ in _KINDS}
        for clause in self.catalogue.clauses:
            for source in clause.sources:
                places = found[source.kind].setdefault(source.group, {})
                places.setdefault(clause.id, []).append(source.text)
        return {
            kind: {
                group: [(self.by_id[name], texts) for name, texts in places.items()]
                for group, places in sorted(groups.items(), key=lambda one: _by_number(one[0]))
            }
            for kind, groups in found.items()
        }

    def _gaps(self) -> Mapping[str, list[str]]:
        testable = [one for one in self.catalogue.clauses if not one.excluded]
        return {
            "examples": [one.id for one in testable if not one.examples],
            "faults": [one.id for one in testable if not one.faults],
            "excluded": [one.id for one in self.catalogue.clauses if one.excluded],
        }

    def _planted_faults(self) -> Iterator[Planted]:
        for clause in self.catalogue.clauses:
            for fault in clause.faults:
                yield Planted(fault, clause)

    def _findings(self) -> Iterator[Finding]:
        for clause in self.catalogue.clauses:
            yield from clause.findings

    def _errata(self) -> Mapping[str, list[Any]]:
        found: dict[str, list[Any]] = {}
        for one in self.catalogue.errata:
            found.setdefault(one.source, []).append(one)
        return found

    def _link_ids(self, text: str, root: str) -> Markup:
        """The text, escaped, with each id of a clause or question as a link to its place, and what
        stands between back quotes as code.
        """

        def link(found: re.Match[str]) -> str:
            name = found[0]
            place = self._places.get(name)
            return name if place is None else f'<a href="{root}{place}">{name}</a>'

        linked = _ID.sub(link, str(escape(plain(text))))
        return Markup(_CODE.sub(r"<code>\1</code>", linked))  # noqa: S704  escaped before


def _by_id(catalogue: Catalogue) -> Catalogue:
    """The catalogue with the clauses of each subject in the order of their ids."""
    subjects = [one.name for one in catalogue.subjects]
    ordered = sorted(
        catalogue.clauses, key=lambda clause: (subjects.index(clause.subject), clause.id)
    )
    return msgspec.structs.replace(catalogue, clauses=ordered)


def _draw(scenario: Mapping[str, Any], observation: Mapping[str, Any]) -> Drawing:
    """A scenario in its published form, with what the model answers."""
    played, answered = (
        read_scenario(json.dumps(scenario)),
        from_plain(Observation, dict(observation)),
    )
    drawn = panels(played, answered)
    titles = [f"{panel.title}: {panel.outcome}" for panel in drawn]
    waited = {exchange.step: exchange.elapsed_ms for exchange in answered.exchanges}
    return Drawing(
        tuple([_timeline(one, titles) for one in timelines(played, answered)]),
        tuple([_draw_step(panel, waited.get(number, 0)) for number, panel in enumerate(drawn)]),
    )


def _timeline(timeline: Timeline, titles: Sequence[str]) -> DrawnTimeline:
    small, large = [
        Markup(draw_timeline(timeline, titles, width))  # noqa: S704  drawn by us, escaped there
        for width in _WIDTHS
    ]
    title = "" if timeline.group is None else f"group {timeline.group}"
    return DrawnTimeline(title, small, large, legend(timeline))


def _draw_step(panel: Panel, waited_ms: float) -> Drawn:
    """A step as its pictures, with all longer text outside them, where it can wrap."""
    rows = tuple([replace(row, answer="") for row in panel.rows])
    small, large = [
        Markup(draw_rows(replace(panel, rows=rows), width))  # noqa: S704  drawn by us, escaped there
        for width in _WIDTHS
    ]
    several = len(panel.rows) > 1
    answers = [
        f"{row.title.partition(',')[0]}: {row.answer}" if several else f"answered {row.answer}"
        for row in panel.rows
        if row.answer
    ]
    waited = [f"after {waited_ms:.0f} ms"] if waited_ms >= WAITED_MS else []
    outcomes = (*answers, *([panel.outcome] if panel.outcome else []), *waited)
    return Drawn(panel.title, small, large, outcomes)


def _names(clause: Clause) -> str:
    """The names of a clause in a link: id, slug and aliases without spaces, in lower case."""
    names = [clause.id, clause.slug, *clause.aliases]
    return " ".join([name.lower() for name in names if " " not in name])


def _search_text(clause: Clause) -> str:
    """All that a search looks through."""
    words = [
        _names(clause),
        *clause.aliases,
        clause.statement,
        clause.explanation,
        clause.excluded or "",
        f"{clause.fence.axis} {clause.fence.at} {clause.fence.unit}" if clause.fence else "",
        *[source.text for source in clause.sources],
        *[f"{one.name} {one.statement}" for one in clause.readings],
        *[one.title for one in clause.examples],
        *[one.name for one in clause.faults],
        *[f"{one.signature} {one.reason}" for one in clause.findings],
    ]
    return " ".join([word for word in words if word]).lower()


def _anchor(name: str) -> str:
    """A document's name as an anchor."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _by_number(name: str) -> list[tuple[int, str]]:
    """The order in which KIP-74 stands before KIP-227."""
    return [(int(word), "") if word.isdigit() else (-1, word) for word in re.split(r"(\d+)", name)]


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
