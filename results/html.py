"""The report as one HTML page: no script, no outside address, everything from outside escaped."""

import base64
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from results.charts import cost_chart, exercised_chart, pairs_chart
from results.clauses import Clauses
from results.clusters import Order, order_of
from results.coverage import SIDES, Coverage
from results.figures import short_sides
from results.headline import State, headline_of
from results.picture import draw
from results.reproduce import reproduction
from results.text import counted, number, plain
from spec.canonical import FormatError, from_json, identity
from spec.events import RunStarted
from spec.flaky import is_too_flaky
from spec.judgement import EVERY_CLAUSE
from spec.known import plain_facts
from spec.observation import Observation
from spec.scenario import Scenario
from spec.verdict import Outcome

TEMPLATES = Path(__file__).parent / "templates"
MOST_CLUSTERS = 60
"""Kinds of difference drawn; the tables have them all."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Page:
    """The content of the page: the headers of the runs, what was covered, and the rows of the jobs
    and of the small tables.

    Attributes:
        scores, not_given: how much of its requirement set a run exercised, and why verdicts could
            not be given; of a single run only.
        causes: the break that explains another one, by clause and signature; of a single run only.
    """

    headers: tuple[RunStarted, ...]
    runs: tuple[Row, ...]
    matrix: tuple[Row, ...]
    clusters: tuple[Row, ...]
    coverage: Coverage
    readings: tuple[Row, ...]
    broken_lines: tuple[Row, ...]
    regressions: tuple[Row, ...] = ()
    costs: tuple[Row, ...] = ()
    flaky: tuple[Row, ...] = ()
    scores: tuple[Row, ...] = ()
    not_given: tuple[Row, ...] = ()
    causes: Mapping[tuple[str, str], str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Example:
    """A cluster's example: its id, its picture, and a note in place of it where it can't be
    drawn.
    """

    id: str = ""
    svg: str = ""
    note: str = ""


def page(found: Page, clauses: Clauses) -> str:
    """The page's text.

    Raises:
        ReportError: the charts need a package that is not installed.
    """
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters.update(plain=plain, number=number, counted=counted)
    style = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    word, sentence = headline_of(_state(found))
    clusters = sorted(found.clusters, key=_rank)
    template = environment.get_template("report.html")
    return template.render(
        page=found,
        word=word,
        sentence=sentence,
        style=Markup(style),  # noqa: S704  our own file
        style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        clusters=[(row, _example(row)) for row in clusters[:MOST_CLUSTERS]],
        more_clusters=max(0, len(clusters) - MOST_CLUSTERS),
        clauses=clauses,
        exercised_chart=_image(exercised_chart(found.matrix)) if found.matrix else "",
        pairs_chart=_image(pairs_chart(found.coverage)) if found.coverage.pairs else "",
        costs=(costs := sorted(found.costs, key=_today_first)),
        cost_chart=_image(cost_chart(costs)) if costs else "",
        holes=_holes(found, clauses),
        excluded=[(clause.id, clause.excluded) for clause in clauses.values() if clause.excluded],
        facts=[
            (header, plain_facts(header.facts), reproduction(header)) for header in found.headers
        ],
    )


def _state(found: Page) -> State:
    unlisted = [row for row in found.clusters if row["known"] is None]

    def clauses_that(outcome: str) -> tuple[str, ...]:
        return tuple(sorted({str(row["clause"]) for row in unlisted if row["outcome"] == outcome}))

    def total(name: str) -> int:
        return sum(row[name] for row in found.matrix)

    return State(
        violated=clauses_that("violates"),
        deviating=clauses_that("deviates"),
        violates=total("violates"),
        deviates=total("deviates"),
        known=total("known"),
        inconclusive=total("inconclusive"),
        exercised=total("exercised"),
        broken=any(run["reason"] == "broken" for run in found.runs),
        whole=not (found.broken_lines or any(run["truncated"] for run in found.runs)),
        interrupted=any(run["reason"] == "interrupted" for run in found.runs),
        too_undecided=is_too_flaky(
            sum(row["clause"] == EVERY_CLAUSE for row in found.flaky),
            sum(run["judged"] for run in found.runs),
        ),
    )


def _today_first(row: Row) -> tuple[str, int, bool, str]:
    return str(row["shape"]), row["records"], row["reading"] != "today", str(row["reading"])


def _rank(row: Row) -> Order:
    return order_of(
        row["known"], Outcome(row["outcome"]), row["count"], row["clause"], row["signature"]
    )


def _example(row: Row) -> _Example:
    if row["example_json"] is None:
        return _Example(note="the line of its layout was lost, so the example can't be drawn")
    try:
        scenario = from_json(Scenario, row["example_json"])
        observation = (
            from_json(Observation, row["observation_json"]) if row["observation_json"] else None
        )
    except FormatError as error:
        return _Example(note=f"the example can't be drawn: {error}")
    return _Example(identity(scenario), Markup(draw(scenario, observation)))  # noqa: S704  drawn by us, escaped there


def _image(svg: str) -> str:
    """A chart as the address of an image, so that nothing in it is part of the page."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def _holes(found: Page, clauses: Clauses) -> list[tuple[str, str]]:
    """Clauses that can be tested and were not, or hardly, on some side of their fence."""
    met: dict[str, dict[str, int]] = {}
    for row in found.matrix:
        sides = met.setdefault(row["clause"], dict.fromkeys((*SIDES, "exercised"), 0))
        for name in sides:
            sides[name] += row[name]
    reasons = {
        clause: str(one["reason"])
        for row in found.scores
        for one in row["not_exercised"]
        for clause in one["clauses"]
    }
    return list(_holes_of(met, clauses, reasons))


def _holes_of(
    met: Mapping[str, Mapping[str, int]], clauses: Clauses, reasons: Mapping[str, str]
) -> Iterable[tuple[str, str]]:
    for clause in clauses.values():
        if clause.excluded:
            continue
        sides = met.get(clause.id)
        if sides is None or not sides["exercised"]:
            yield clause.id, reasons.get(clause.id, "its condition never arose")
            continue
        thin = [f"{sides[side]} {side}" for side in short_sides(sides, clause.sides)]
        if thin:
            yield clause.id, f"met only {', '.join(thin)} its fence"
