"""The summary of a run for a person at a terminal."""

from collections.abc import Mapping
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from results.clusters import Cluster, by_cause
from results.figures import ENOUGH
from results.flaky import FlakyKind, flaky_kinds
from results.headline import headline
from results.picture_text import sketch
from results.reproduce import reproduction
from results.score import Score
from results.summary import ClauseCount, Summary
from results.text import count_of, number, plain
from spec.judgement import EVERY_CLAUSE
from spec.verdict import Outcome

_COLOURS = {
    "VIOLATES": "bold red",
    "LACKS": "bold red",
    "INCONCLUSIVE": "bold yellow",
    "DEVIATES": "bold yellow",
    "NOTHING EXERCISED": "bold yellow",
    "CUT SHORT": "bold yellow",
    "CONFORMS": "bold green",
}
_STRENGTHS = {"must": "must", "reference": "reference", "best_effort": "best eff."}
_MOST_CLUSTERS = 5
_MOST_NOTES = 10
_MOST_REASONS = 5
_AIRY = 96
_LONG_RUN = 5000
"""Scenarios from which on each side should have come up so often."""


def show(
    summary: Summary,
    console: Console,
    *,
    paths: Mapping[str, Path] | None = None,
    reproduce: str | None = None,
    verbose: bool = False,
) -> None:
    """Print the clause table, what differs, and a closing block that ends with the verdict's own
    line.

    Colours are left out where the console is no terminal. Text from outside can't move the cursor
    or set colours.

    Args:
        summary: what to show.
        console: where to; 80 columns are enough.
        paths: what was written and where, by name (`report`, `junit`), in the order to show.
        reproduce: the line that does the run again; None makes it from the header.
        verbose: also list clauses that were not exercised, and all clusters.
    """
    console.print(clause_table(summary, verbose=verbose, width=console.width))
    if summary.scenarios >= _LONG_RUN and (short := _short_of_sides(summary)):
        console.print(
            Text(
                f"fewer than {ENOUGH} scenarios on a side of its fence: {_some(short)}", style="dim"
            )
        )
    _show_clusters(summary, console, verbose=verbose)
    flaky = flaky_kinds(summary.flaky)
    for kind in flaky if verbose else flaky[:_MOST_CLUSTERS]:
        _show_flaky(kind, console)
    if len(flaky) > _MOST_CLUSTERS and not verbose:
        console.print(Text(f"… and {len(flaky) - _MOST_CLUSTERS} more kinds of flaky break"))
    for ruled_out in summary.readings:
        line = f"reading {ruled_out.reading!r} of {ruled_out.clause} is ruled out: {ruled_out.why}"
        console.print(Text(plain(line, 400)))
    for note in summary.notes if verbose else summary.notes[:_MOST_NOTES]:
        console.print(Text(f"note: {plain(note, 400)}"))
    if len(summary.notes) > _MOST_NOTES and not verbose:
        console.print(
            Text(
                f"… and {count_of(len(summary.notes) - _MOST_NOTES, 'more note')} in the event log"
            )
        )
    for lack in summary.missing_apis:
        console.print(Text.assemble(("lacks ", "bold red"), plain(lack.reason, 400)))
    for unlaid in summary.not_laid:
        console.print(Text(plain(unlaid.sentence, 600)))
    _show_reasons(summary, console, verbose=verbose)
    if summary.score is not None:
        _show_score(summary.score, console, verbose=verbose)
    _show_closing(summary, console, paths or {}, reproduce)


def clause_table(summary: Summary, *, verbose: bool = False, width: int = 80) -> Table:
    """One line for each clause that applied; with `verbose` for each that could have applied.
    Airier from 96 columns on.
    """
    space = 1 if width >= _AIRY else 0
    table = Table(
        box=box.SIMPLE_HEAD,
        padding=(0, space),
        pad_edge=False,
        collapse_padding=True,
        header_style="bold",
    )
    table.add_column("clause", no_wrap=True)
    table.add_column("strength", no_wrap=True)
    for name in (
        "exer-\ncised",
        "below",
        "at",
        "above",
        "con-\nforms",
        "devi-\nates",
        "vio-\nlates",
        "known",
        "incon-\nclus",
    ):
        table.add_column(name, justify="right", no_wrap=True)
    for count in summary.clauses:
        if count.inconclusive if count.clause == EVERY_CLAUSE else verbose or _spoke(count):
            table.add_row(*_cells(count))
    return table


def _cells(count: ClauseCount) -> list[Text]:
    colour = "red" if count.violates else "yellow" if count.deviates or count.inconclusive else ""
    numbers = [
        (count.exercised, ""),
        (count.below, "dim"),
        (count.at, "dim"),
        (count.above, "dim"),
        (count.conforms, "green"),
        (count.deviates, "yellow"),
        (count.violates, "bold red"),
        (count.known, "cyan"),
        (count.inconclusive, "yellow"),
    ]
    strength = _STRENGTHS[count.strength] if count.strength else "?"
    cells = [
        Text(number(value) if value else "·", style=style if value else "dim")
        for value, style in numbers
    ]
    if not count.sides:
        cells[1:4] = [Text("")] * 3
    if count.clause == EVERY_CLAUSE:
        return [Text("all", style=colour), Text(""), *cells]
    return [Text(plain(count.clause, 12), style=colour), Text(strength), *cells]


def _show_clusters(summary: Summary, console: Console, *, verbose: bool) -> None:
    """Print the kinds of difference, the heaviest first, each with those that it explains."""
    groups = by_cause(summary.clusters)
    shown = groups if verbose else groups[:_MOST_CLUSTERS]
    for cluster, explained in shown:
        _show_cluster(cluster, console)
        _show_explained(explained, console, verbose=verbose)
    left = sum(1 + len(explained) for _, explained in groups[len(shown) :])
    if left:
        console.print(Text(f"… and {left} more kinds of difference; --verbose lists them all"))


def _show_explained(explained: list[Cluster], console: Console, *, verbose: bool) -> None:
    """Print the kinds that another one explains, by their names alone but with `verbose`."""
    if verbose:
        for one in explained:
            console.print(
                Text(
                    f"  explains {one.outcome.value} {plain(one.clause, 40)}  "
                    f"{plain(one.signature, 60)}  in {count_of(one.count, 'scenario')}"
                    f"{_alone(one)}: {plain(one.why, 400)}"
                )
            )
    elif explained:
        names = _some([f"{one.clause} ({one.signature}{_alone(one)})" for one in explained], 4)
        console.print(Text(f"  in the same scenarios, explained by it: {names}"))


def _alone(one: Cluster) -> str:
    """In how many scenarios nothing explains a kind; empty where something always does."""
    return f", {one.alone} of {one.count} alone" if one.alone else ""


def _show_cluster(cluster: Cluster, console: Console) -> None:
    style = (
        "cyan"
        if cluster.known is not None
        else "bold red"
        if cluster.outcome is Outcome.VIOLATES
        else "bold yellow"
    )
    word = "known" if cluster.known is not None else cluster.outcome.value
    heading = Text.assemble(
        (f"{word} ", style),
        (plain(cluster.clause, 40), "bold"),
        f"  {plain(cluster.signature, 60)}  in {count_of(cluster.count, 'scenario')}",
    )
    console.print(heading)
    if cluster.known is not None:
        console.print(Text(f"  {plain(cluster.known, 400)}"))
        return
    console.print(Text(f"  {plain(cluster.why, 400)}"))
    if cluster.example:
        size = "smallest example" if cluster.shrunk else "an example, not shrunk"
        console.print(Text(f"  {size}, scenario {cluster.example_id}:", style="dim"))
        drawing = sketch(cluster.example, cluster.observation, width=min(console.width, 100) - 4)
        for line in drawing.split("\n"):
            console.print(Text(f"    {line}", no_wrap=True, overflow="crop"))


def _show_flaky(kind: FlakyKind, console: Console) -> None:
    heading = Text.assemble(
        ("flaky ", "bold yellow"),
        (plain(kind.first.clause, 40), "bold"),
        f"  {plain(kind.first.signature, 60)}",
    )
    console.print(heading)
    console.print(Text(f"  {kind.rate}"))
    console.print(Text(f"  {plain(kind.first.verdict.why, 400)}"))


def _show_reasons(summary: Summary, console: Console, *, verbose: bool) -> None:
    """Print why verdicts could not be given, each reason once; all of them with `verbose`."""
    reasons = summary.reasons
    shown = reasons if verbose else reasons[:_MOST_REASONS]
    for reason in shown:
        clauses = "" if reason.clauses == (EVERY_CLAUSE,) else f" ({_some(list(reason.clauses))})"
        heading = f"{reason.outcome.value} in {count_of(reason.scenarios, 'scenario')}{clauses}: "
        console.print(Text.assemble((heading, "yellow"), plain(reason.why, 400)))
    if len(reasons) > len(shown):
        more = count_of(len(reasons) - len(shown), "more reason")
        console.print(Text(f"… and {more} in the event log"))


def _show_score(score: Score, console: Console, *, verbose: bool) -> None:
    """Print how much of its requirement set the run exercised, and why not the rest; all of it with
    `verbose`.
    """
    console.print(Text(score.sentence + ("; not exercised:" if score.not_exercised else "")))
    shown = score.not_exercised if verbose else score.not_exercised[:_MOST_REASONS]
    for one in shown:
        names = ", ".join(one.clauses) if verbose else _some(list(one.clauses))
        console.print(Text(f"  {plain(names)}, because: {plain(one.reason, 400)}", style="dim"))
    if len(score.not_exercised) > len(shown):
        left = sum(len(one.clauses) for one in score.not_exercised[len(shown) :])
        console.print(Text(f"  … and {count_of(left, 'more clause')}; --verbose lists them all"))


def _show_closing(
    summary: Summary, console: Console, paths: Mapping[str, Path], reproduce: str | None
) -> None:
    header, footer = summary.header, summary.footer
    lines: list[tuple[str, str]] = []
    if header:
        lines.append(
            (
                "system",
                (
                    f"{header.system}, judged as Kafka {header.release}, requirement set "
                    f"{header.requirement_set}"
                ),
            )
        )
    since = (
        f", {summary.part.scenarios} of them since it was resumed"
        if summary.part.scenarios < summary.scenarios
        else ""
    )
    pace = f"{since} in {footer.seconds:.1f} s" if footer else ""
    lines.append(
        (
            "asked",
            (
                f"{count_of(summary.scenarios, 'scenario')} over "
                f"{count_of(summary.layouts, 'layout')}{pace}"
            ),
        )
    )
    if spent := summary.pace:
        waited = (
            f"each took {spent.each_ms / 1000:.1f} s, {spent.waiting:.0%} of it waiting, "
            f"{spent.side_by_side:.1f} side by side"
        )
        lines.append(("pace", f"{spent.per_second:.1f} histories a second; {waited}"))
    if footer and footer.reason != "done":
        lines.append(("ended", plain(footer.reason, 60)))
    if summary.truncated:
        lines.append(("log", "cut short: the footer is missing; continue the run by --resume"))
    if summary.broken_lines:
        numbers = _some([str(line.number) for line in summary.broken_lines])
        lines.append(
            ("log", f"{count_of(len(summary.broken_lines), 'broken line')} not counted: {numbers}")
        )
    if header:
        lines.append(("seed", str(header.seed)))
    lines.extend((name, str(path)) for name, path in paths.items())
    if reproduce or header:
        lines.append(("again", reproduce or reproduction(header) if header else reproduce or ""))
    if summary.flaky:
        rate = " (more than a strict run accepts)" if summary.too_flaky else ""
        lines.append(
            ("flaky", f"{count_of(len(summary.flaky), 'break')} not reproduced, in the log{rate}")
        )
    width = max(len(name) for name, _ in lines) + 2
    console.print()
    for name, value in lines:
        console.print(Text.assemble((name.ljust(width), "dim"), plain(value)), soft_wrap=True)
    console.print()
    console.print(verdict_line(summary))


def verdict_line(summary: Summary) -> Text:
    """The verdict in a word and a sentence."""
    word, sentence = headline(summary)
    return Text.assemble((word, _COLOURS[word]), f"  {plain(sentence)}")


def _spoke(count: ClauseCount) -> bool:
    return bool(count.exercised or count.inconclusive or count.unsupported)


def _short_of_sides(summary: Summary) -> list[str]:
    exercised = [count for count in summary.clauses if count.exercised]
    return [f"{count.clause} ({', '.join(sides)})" for count in exercised if (sides := count.short)]


def _some(names: list[str], most: int = 8) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return plain(", ".join(names[:most]) + more)
