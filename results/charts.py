"""The report's charts, as static SVG by Altair and vl-convert."""

from collections.abc import Mapping, Sequence
from typing import Any

from results.coverage import Coverage
from results.files import ReportError
from results.text import plain

_COLOURS = {
    "conforms": "#5d9c6c",
    "known": "#7fa7c9",
    "deviates": "#d9a441",
    "violates": "#b3261e",
    "inconclusive": "#9a9a9a",
}
_USES = {"needed once": "#5d9c6c", "thrown away": "#d9a441"}
_BAR_HEIGHT = 15
_CELL = 34


def prepare() -> None:
    """Load what draws charts, which takes some seconds the first time; may be done during
    another wait.

    Raises:
        ReportError: a package is not installed.
    """
    alt = _altair()
    _svg(alt.Chart(alt.Data(values=[])).mark_bar())


def exercised_chart(matrix: Sequence[Mapping[str, Any]]) -> str:
    """A bar for each clause: in how many scenarios each outcome came, on a scale of square roots so
    that few are seen.
    """
    alt = _altair()
    totals: dict[tuple[str, str], int] = {}
    for row in matrix:
        for outcome in _COLOURS:
            totals[row["clause"], outcome] = totals.get((row["clause"], outcome), 0) + row[outcome]
    values = [
        {
            "clause": plain(clause, 40),
            "outcome": outcome,
            "scenarios": count,
            "order": list(_COLOURS).index(outcome),
        }
        for (clause, outcome), count in totals.items()
        if count
    ]
    chart = alt.Chart(alt.Data(values=values)).mark_bar()
    return _svg(
        chart.encode(
            x=alt.X(
                "scenarios:Q", title="scenarios (square-root scale)", scale=alt.Scale(type="sqrt")
            ),
            y=alt.Y("clause:N", title=None),
            color=alt.Color(
                "outcome:N",
                title=None,
                scale=alt.Scale(domain=list(_COLOURS), range=list(_COLOURS.values())),
            ),
            order=alt.Order("order:Q"),
        ).properties(width=560, height=alt.Step(_BAR_HEIGHT))
    )


def pairs_chart(found: Coverage) -> str:
    """A heat map of limits by limits: how many of the nine pairs of sides were tried."""
    alt = _altair()
    values = [
        {"one": plain(pair.one, 40), "other": plain(pair.other, 40), "hit": pair.hit}
        for pair in found.pairs
    ]
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("other:N", title=None), y=alt.Y("one:N", title=None)
    )
    cells = base.mark_rect().encode(
        color=alt.Color(
            "hit:Q", title="of 9 pairs", scale=alt.Scale(domain=[0, 9], scheme="blues")
        ),
    )
    numbers = base.mark_text(fontSize=11).encode(
        text="hit:Q", color=alt.condition("datum.hit > 5", alt.value("white"), alt.value("#16202c"))
    )
    return _svg((cells + numbers).properties(width=alt.Step(_CELL + 10), height=alt.Step(_CELL)))


def cost_chart(costs: Sequence[Mapping[str, Any]]) -> str:
    """A bar for each log and reading of the draft: the bytes that are fetched, those needed once
    apart from those thrown away.
    """
    alt = _altair()
    values = []
    for place, row in enumerate(costs):
        where = {
            "log": plain(row["shape"], 40),
            "reading": plain(row["reading"], 40),
            "place": place,
        }
        needed = min(row["fetched"], row["stored"])
        values += [
            {**where, "bytes": needed, "use": "needed once"},
            {**where, "bytes": row["fetched"] - needed, "use": "thrown away"},
        ]
    bars = alt.Chart(alt.Data(values=values)).mark_bar()
    shown = bars.encode(
        x=alt.X("bytes:Q", title="bytes fetched"),
        y=alt.Y("reading:N", title=None, sort=alt.SortField("place")),
        color=alt.Color(
            "use:N", title=None, scale=alt.Scale(domain=list(_USES), range=list(_USES.values()))
        ),
        order=alt.Order("use:N"),
    ).properties(width=420, height=alt.Step(_BAR_HEIGHT))
    return _svg(
        shown.facet(
            row=alt.Row("log:N", title=None, header=alt.Header(labelAngle=0, labelAlign="left"))
        ).resolve_scale(x="independent")
    )


def _altair() -> Any:
    try:
        import altair as alt  # noqa: PLC0415  an extra
    except ImportError as error:
        raise _missing(error) from error
    return alt


def _svg(chart: Any) -> str:
    try:
        import vl_convert  # noqa: PLC0415  an extra
    except ImportError as error:
        raise _missing(error) from error
    svg: str = vl_convert.vegalite_to_svg(chart.configure_view(stroke=None).to_dict())
    return svg


def _missing(error: ImportError) -> ReportError:
    return ReportError(
        f"expected the package {error.name}, found it not installed; pip install "
        "'fencepost[report]'"
    )
