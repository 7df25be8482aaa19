"""The history of many runs: pass rate, time, flakiness and coverage from run to run, for each
subject on each system and release. One static page that a build server can publish, without Spark.

It begins with a table of the newest run of each; what has several runs has a section with all.

Every figure comes from the summary of a run (`results.export`), which the run left beside its log;
of a run that was cut off it is made from the log.
"""

import base64
import hashlib
import os
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from urllib.parse import quote

import msgspec

from results.clauses import catalogue
from results.export import FORMAT, SummaryFile, summary_file
from results.files import MADE_AGAIN, ReportError, write_whole
from results.html import TEMPLATES
from results.log import LOG_NAME, LogError, scan
from results.summary import summarise
from results.text import count_of, plain
from spec.frozen import frozen

HISTORY_NAME = "history.html"
SUMMARY_NAME = "summary.json"
REPORT_NAME = "report.html"
FIGURES = (
    ("pass_rate", "clauses that hold", "%"),
    ("coverage", "clauses exercised", "%"),
    ("flaky", "flaky breaks of 1,000 scenarios", ""),
    ("seconds", "seconds", ""),
)
"""The figures of a run: name, words, unit."""
_WIDTH, _HEIGHT = 240, 44
_STATES = {
    "VIOLATES": "violates",
    "LACKS": "violates",
    "DEVIATES": "deviates",
    "CONFORMS": "conforms",
}
"""The classes of the report's style by verdicts; any other one is `inconclusive`."""
_CSS = f"""{(TEMPLATES / "report.css").read_text(encoding="utf-8")}
.trends {{ display: grid; gap: 1rem 2rem; margin: 1rem 0;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); }}
figure {{ margin: 0; }} figcaption {{ font-size: .85rem; color: var(--soft); }}
svg {{ display: block; max-width: 100%; }} circle {{ fill: currentColor; }}
polyline {{ fill: none; stroke: currentColor; stroke-width: 1.5; }}
.badge.conforms {{ background: var(--good-wash); }} thead th {{ white-space: normal; }}
.id {{ white-space: nowrap; }} .new {{ color: var(--bad); font-weight: 650; }}
"""


@frozen
class RunFigures:
    """The figures of one run.

    Attributes:
        folder: the run folder.
        run, started, subject, system, release, kafka: of its header.
        verdict: its verdict in a word.
        scenarios: how many were judged.
        pass_rate: percent of the exercised clauses that no unlisted break was seen of; None where
            nothing was exercised.
        coverage: percent of the clauses that count which were exercised; None where the log does
            not say what counts.
        flaky: breaks that were not reproduced, for 1,000 scenarios; None without a scenario.
        seconds: how long it took; None where it was cut off.
        broke: ids of the clauses of which an unlisted break was seen.
    """

    folder: Path
    run: str
    started: str
    subject: str
    system: str
    release: str
    kafka: str
    verdict: str
    scenarios: int
    pass_rate: float | None
    coverage: float | None
    flaky: float | None
    seconds: float | None
    broke: tuple[str, ...]


def history(place: Path, out: Path | None = None) -> tuple[Path, int]:
    """Write the page of all runs in a folder; the page, and how many runs it shows.

    Args:
        place: a folder of run folders.
        out: the folder of the page; `place` if None.

    Raises:
        ReportError: there is no run, or the page can't be written.
    """
    folders = sorted(log.parent for log in place.glob(f"*/{LOG_NAME}"))
    found, unread = [], []
    for folder in folders:
        try:
            figures = figures_of(folder)
        except LogError as error:
            unread.append(f"{folder.name}: {error}")
        else:
            found.append(figures)
    if not found:
        raise ReportError(
            f"expected run folders in {place}, found none that can be read"
            f"{': ' + unread[0] if unread else ''}; name the folder that --out of `fencepost run` "
            "named"
        )
    target = out or place
    text = page(found, target, unread)
    return write_whole(target / HISTORY_NAME, text, MADE_AGAIN), len(found)


def figures_of(folder: Path) -> RunFigures:
    """The figures of a run folder.

    Raises:
        LogError: it has no summary and no log that can be read.
    """
    summary = _summary_of(folder)
    run, system = summary.run, summary.system
    if run is None or system is None:
        raise LogError(f"expected a run with a header in {folder}, found none; do it again")
    exercised = [one for one in summary.clauses if one.exercised]
    broke = [one.id for one in exercised if one.violates or one.deviates]
    required = summary.requirements
    return RunFigures(
        folder=folder,
        run=run.id,
        started=run.started,
        subject=run.subject,
        system=system.name,
        release=system.release,
        kafka=system.facts.get("kafka.version", system.facts.get("kafka", system.release)),
        verdict=summary.verdict,
        scenarios=summary.scenarios,
        pass_rate=_percent(len(exercised) - len(broke), len(exercised)),
        coverage=_percent(required.exercised, required.clauses) if required else None,
        flaky=_part(1000 * sum(one.count for one in summary.flaky), summary.scenarios),
        seconds=run.seconds,
        broke=tuple(sorted(broke)),
    )


def _summary_of(folder: Path) -> SummaryFile:
    try:
        found = msgspec.json.decode((folder / SUMMARY_NAME).read_bytes(), type=SummaryFile)
    except (OSError, msgspec.MsgspecError):
        found = None
    if found is not None and found.fencepost_summary <= FORMAT and not found.truncated:
        return found
    clauses = catalogue()
    return summary_file(summarise(scan(folder / LOG_NAME), clauses), clauses)


def _percent(part: int, whole: int) -> float | None:
    return _part(100 * part, whole)


def _part(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def page(runs: Iterable[RunFigures], place: Path, unread: Sequence[str] = ()) -> str:
    """The page: the newest run of each subject on each system and release, then all runs of those
    that have several, newest first.

    Args:
        runs: in any order.
        place: the folder of the page, for its links to reports.
        unread: messages on run folders that can't be read.
    """
    groups: dict[tuple[str, str, str], list[RunFigures]] = {}
    for run in sorted(runs, key=lambda one: (one.started, one.run)):
        groups.setdefault((run.subject, run.system, run.kafka), []).append(run)
    series = [_Series(f"runs-{at}", tuple(groups[key])) for at, key in enumerate(sorted(groups))]
    digest = base64.b64encode(hashlib.sha256(_CSS.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    count = sum(len(some) for some in groups.values())
    notices = "".join(f'<p class="notice">Not read: {_text(one)}</p>' for one in unread)
    sections = "".join(_section(one, place) for one in series if len(one.runs) > 1)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Fencepost: history</title>\n<style>{_CSS}</style></head><body><main>\n"
        f"<h1>History of {count_of(count, 'run')}</h1>\n{notices}{_newest(series, place)}{sections}"
        "</main></body></html>\n"
    )


@frozen
class _Series:
    """The runs of one subject on one system and release, oldest first."""

    anchor: str
    runs: tuple[RunFigures, ...]

    @property
    def newest(self) -> RunFigures:
        """The run that was started last."""
        return self.runs[-1]

    @property
    def system(self) -> str:
        """The system and its release."""
        return f"{self.newest.system} {self.newest.kafka}"

    def pairs(self) -> list[tuple[RunFigures, RunFigures | None]]:
        """Each run with the one before it, newest first."""
        return list(zip(self.runs, [None, *self.runs[:-1]], strict=True))[::-1]


def _newest(series: Sequence[_Series], place: Path) -> str:
    """The newest run of each series, in a table."""
    rows = []
    for one in series:
        name = _text(one.system)
        if len(one.runs) > 1:
            name = f'<a href="#{one.anchor}">{name}</a>'
        rows.append(
            f'<tr><th class="text">{_text(one.newest.subject)}</th>'
            f'<td class="text seen">{name}</td>'
            f"{_cells(*one.pairs()[0], place)}<td>{len(one.runs):,}</td></tr>\n"
        )
    conform = sum(one.newest.verdict == "CONFORMS" for one in series)
    return (
        f"<p>{conform:,} of {len(series):,} conform: each subject on each system and release, by "
        "its newest run.</p>\n"
        '<section><h2>Newest runs</h2>\n<div class="wide"><table><thead><tr>'
        f'<th class="text">subject</th><th class="text">system</th>{_HEAD}<th>runs</th></tr>'
        f"</thead><tbody>\n{''.join(rows)}</tbody></table></div></section>\n"
    )


def _section(series: _Series, place: Path) -> str:
    title = f"{series.newest.subject} on {series.system}"
    trends = "".join(_trend(name, words, unit, series.runs) for name, words, unit in FIGURES)
    rows = "".join(f"<tr>{_cells(*pair, place)}</tr>\n" for pair in series.pairs())
    return (
        f'<section id="{series.anchor}"><h2>{_text(title)}</h2>\n'
        f'<div class="trends">{trends}</div>\n<div class="wide"><table><thead><tr>{_HEAD}</tr>'
        f"</thead><tbody>\n{rows}</tbody></table></div></section>\n"
    )


_HEAD = (
    '<th class="text">verdict</th><th class="text">broke, not before</th>'
    '<th class="text">broke before, not now</th>'
    + "".join(f"<th>{words}</th>" for _, words, _ in FIGURES)
    + '<th>scenarios</th><th class="text">started (UTC)</th><th class="text">run</th>'
)


def _cells(run: RunFigures, before: RunFigures | None, place: Path) -> str:
    """The cells under `_HEAD`."""
    report = run.folder / REPORT_NAME
    shown = _text(run.run)
    if report.exists():
        shown = f'<a href="{quote(os.path.relpath(report, place))}">{shown}</a>'
    was = set(before.broke) if before else set()
    new, gone = sorted(set(run.broke) - was), sorted(was - set(run.broke))
    started = _text(run.started[:16].replace("T", " "))
    state = _STATES.get(run.verdict, "inconclusive")
    figures = "".join(
        [f'<td class="seen">{_figure(getattr(run, name), unit)}</td>' for name, _, unit in FIGURES]
    )
    return (
        f'<td class="text"><span class="badge {state}">{_text(run.verdict)}</span></td>'
        f'<td class="text new">{_ids(new)}</td><td class="text">{_ids(gone)}</td>'
        f"{figures}<td>{run.scenarios:,}</td>"
        f'<td class="text seen">{started}</td>'
        f'<td class="text seen">{shown}</td>'
    )


def _ids(ids: Sequence[str]) -> str:
    return ", ".join([f'<span class="id">{_text(one)}</span>' for one in ids])


def _figure(value: float | None, unit: str) -> str:
    return "not known" if value is None else f"{value:,.1f}{' ' * bool(unit)}{unit}"


def _trend(name: str, words: str, unit: str, runs: Sequence[RunFigures]) -> str:
    """One figure over the runs, oldest on the left; a run without it leaves a gap in no line."""
    values = [(at, getattr(run, name)) for at, run in enumerate(runs)]
    shown = [(at, float(value)) for at, value in values if value is not None]
    if not shown:
        return ""
    low = min(value for _, value in shown)
    high = max(value for _, value in shown)
    top = 100.0 if unit == "%" else high
    span = (top - min(low, top)) or 1.0
    apart = (_WIDTH - 8) / max(len(runs) - 1, 1)
    points = [(4 + at * apart, 4 + (_HEIGHT - 8) * (top - value) / span) for at, value in shown]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    x, y = points[-1]
    label = (
        f"{words}: {_figure(shown[-1][1], unit)} now, {_figure(low, unit)} to {_figure(high, unit)}"
    )
    return (
        f'<figure><svg role="img" aria-label="{_text(label)}" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}"><polyline points="{line}"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"/></svg>'
        f"<figcaption>{_text(label)}</figcaption></figure>"
    )


def _text(text: str) -> str:
    return escape(plain(text))
