"""The report as one HTML page: no script, no outside address, everything from outside escaped."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, select_autoescape
from markupsafe import Markup

from results.clauses import Clauses
from results.picture_text import sketch
from results.reproduce import reproduction
from spec.canonical import from_json
from spec.events import RunStarted
from spec.observation import Observation
from spec.scenario import Scenario

TEMPLATES = Path(__file__).parent / "templates"
MOST_PAIRS = 60
"""Rarest pairs of limits shown."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Page:
    """What the page shows: the headers of the runs, and the rows of the jobs."""

    headers: tuple[RunStarted, ...]
    matrix: tuple[Row, ...]
    clusters: tuple[Row, ...]
    relations: tuple[Row, ...]
    pairs: tuple[Row, ...]
    readings: tuple[Row, ...]
    broken_lines: tuple[Row, ...]
    runs: tuple[Row, ...]


def page(found: Page, clauses: Clauses) -> str:
    """The page's text."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=select_autoescape(default=True, default_for_string=True), trim_blocks=True
    )
    unlisted = [row for row in found.clusters if not row["known"]]
    exercised = {row["clause"] for row in found.matrix}
    return environment.get_template("report.html").render(
        page=found,
        unlisted=unlisted,
        headline=_headline(found, unlisted),
        pictures=[_picture(row) for row in found.clusters],
        chart=_chart(found.matrix),
        rare=sorted(found.pairs, key=lambda row: row["count"])[:MOST_PAIRS],
        holes=[(c.id, c.excluded) for c in clauses.values() if c.id not in exercised],
        statements={c.id: c.statement for c in clauses.values()},
        again=[reproduction(header) for header in found.headers],
    )


def _headline(found: Page, unlisted: list[Row]) -> str:
    broken = sorted({str(row["clause"]) for row in unlisted if row["outcome"] == "violates"})
    if broken:
        return f"Violates {', '.join(broken)}"
    if unlisted:
        return f"Conforms, with {len(unlisted)} kinds of deviation that no finding lists"
    return "Every exercised clause held" if found.matrix else "Nothing was exercised"


def _picture(row: Row) -> str:
    """The smallest example drawn; a note where its JSON can't be read any more."""
    try:
        scenario = from_json(Scenario, str(row["example_json"]))
        observation = from_json(Observation, row["observation_json"]) if row["observation_json"] else None
    except ValueError as error:
        return f"(the example can't be drawn: {error})"
    return sketch(scenario, observation, 100)


def _chart(matrix: tuple[Row, ...]) -> Markup:
    """How often each clause was met below, at and above its fence, as a static SVG."""
    import altair as alt  # noqa: PLC0415 - part of the extra
    import vl_convert  # noqa: PLC0415

    values = [{"clause": row["clause"], "side": side, "scenarios": row[side]} for row in matrix for side in ("below", "at", "above")]
    data = alt.Data(values=values)  # type: ignore[no-untyped-call]
    chart = (
        alt.Chart(data)
        .mark_rect()
        .encode(
            x=alt.X("clause:N", title=None),
            y=alt.Y("side:N", sort=["below", "at", "above"], title=None),
            color=alt.Color("scenarios:Q", scale=alt.Scale(type="symlog", scheme="blues")),
        )
        .properties(width=900, height=90)
    )
    return Markup(vl_convert.vegalite_to_svg(chart.to_json()))  # noqa: S704 - made here from clause ids and counts
