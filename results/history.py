"""The history of many runs: pass rate, time, flakiness and coverage from run to run, for each
subject on each system and release. One static page that a build server can publish, without Spark.

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
from results.log import LOG_NAME, LogError, scan
from results.summary import summarise
from results.text import plain
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
_CSS = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 1.5rem auto; max-width: 70rem;
  padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .2rem .6rem .2rem 0; border-bottom: 1px solid #8884; }
.wide { overflow-x: auto; } .trends { display: flex; flex-wrap: wrap; gap: 1rem 2rem; }
figure { margin: 0; } figcaption { font-size: .85rem; } svg { display: block; max-width: 100%; }
polyline { fill: none; stroke: currentColor; stroke-width: 1.5; } circle { fill: currentColor; }
.bad { font-weight: 700; }
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
    """The page: newest runs first within each subject on each system and release.

    Args:
        runs: in any order.
        place: the folder of the page, for its links to reports.
        unread: messages on run folders that can't be read.
    """
    groups: dict[tuple[str, str, str], list[RunFigures]] = {}
    for run in sorted(runs, key=lambda one: (one.started, one.run)):
        groups.setdefault((run.subject, run.system, run.kafka), []).append(run)
    digest = base64.b64encode(hashlib.sha256(_CSS.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    count = sum(len(some) for some in groups.values())
    notices = "".join(f"<p>Not read: {_text(one)}</p>" for one in unread)
    sections = "".join(_section(key, some, place) for key, some in sorted(groups.items()))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Fencepost: history</title>\n<style>{_CSS}</style></head><body>\n"
        f"<h1>History of {count:,} run{'s' * (count != 1)}</h1>\n{notices}{sections}"
        "</body></html>\n"
    )


def _section(key: tuple[str, str, str], runs: Sequence[RunFigures], place: Path) -> str:
    title = " ".join(["{} on {} {}".format(*key)])
    trends = "".join(_trend(name, words, unit, runs) for name, words, unit in FIGURES)
    earlier = [None, *runs[:-1]]
    rows = "".join(
        _row(run, before, place) for run, before in reversed(list(zip(runs, earlier, strict=True)))
    )
    head = "".join(f"<th>{words}</th>" for _, words, _ in FIGURES)
    return (
        f'<section><h2>{_text(title)}</h2>\n<div class="trends">{trends}</div>\n'
        '<div class="wide"><table><thead><tr><th>run</th><th>started (UTC)</th><th>verdict</th>'
        f"<th>scenarios</th>{head}<th>broke, not before</th><th>broke before, not now</th></tr>"
        f"</thead><tbody>{rows}</tbody></table></div></section>\n"
    )


def _row(run: RunFigures, before: RunFigures | None, place: Path) -> str:
    report = run.folder / REPORT_NAME
    name = _text(run.run)
    if report.exists():
        name = f'<a href="{quote(os.path.relpath(report, place))}">{name}</a>'
    was = set(before.broke) if before else set()
    new, gone = sorted(set(run.broke) - was), sorted(was - set(run.broke))
    cells = [
        name,
        _text(run.started),
        _text(run.verdict),
        f"{run.scenarios:,}",
        *[_figure(getattr(run, figure), unit) for figure, _, unit in FIGURES],
        f'<span class="bad">{_text(", ".join(new))}</span>' if new else "",
        _text(", ".join(gone)),
    ]
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>\n"


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
