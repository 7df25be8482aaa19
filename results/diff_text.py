"""Two runs compared, for a person at a terminal."""

from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from results.diff import Break, Change, Diff, Kind, RunView
from results.text import count_of, number, plain

_COLUMNS = {
    Kind.NEW: ("new", "bold red"),
    Kind.CHANGED: ("chan-\nged", "yellow"),
    Kind.UNDECIDED: ("unde-\ncided", "yellow"),
    Kind.FIXED: ("fixed", "green"),
    Kind.UNCHANGED: ("un-\nchanged", "dim"),
    Kind.ONLY_AFTER: ("only\nafter", "cyan"),
    Kind.ONLY_BEFORE: ("only\nbefore", "cyan"),
}
_MOST_SHOWN = 20
_SHOWN = (Kind.NEW, Kind.CHANGED, Kind.UNDECIDED, Kind.FIXED)


def show_diff(
    diff: Diff, console: Console, *, paths: tuple[Path, Path], verbose: bool = False
) -> None:
    """Print what the runs are, a table by clause, what changed, and a line that says it all.

    Args:
        diff: what to show.
        console: where to; 80 columns are enough.
        paths: the run folders, the earlier one first.
        verbose: list all changes, unchanged ones and those of one run alone included.
    """
    for name, run, path in (("before", diff.before, paths[0]), ("after", diff.after, paths[1])):
        console.print(Text.assemble((name.ljust(8), "dim"), plain(str(path))), soft_wrap=True)
        console.print(Text(f"        {_describe_run(run)}"), soft_wrap=True)
    for what, was, now in diff.differences:
        console.print(
            Text.assemble(
                (f"not the same {what}: ", "yellow"),
                f"{plain(was, 200) or 'none'} → {plain(now, 200) or 'none'}",
            )
        )
    alone = f"{number(diff.only_before)} only before, {number(diff.only_after)} only after"
    console.print(Text(f"{count_of(diff.both, 'scenario')} played in both runs, {alone}"))
    if diff.changes:
        console.print(_table(diff))
    shown = [change for change in diff.changes if verbose or change.kind in _SHOWN or change.worse]
    for change in shown if verbose else shown[:_MOST_SHOWN]:
        _show_change(change, console)
    if not verbose and len(shown) > _MOST_SHOWN:
        console.print(
            Text(
                f"… and {count_of(len(shown) - _MOST_SHOWN, 'more change')}; --verbose lists them "
                "all, --json writes them to a file"
            )
        )
    console.print()
    console.print(Text.assemble(_word(diff), f"  {_sentence(diff)}"))


def _describe_run(run: RunView) -> str:
    header = run.header
    if header is None:
        return "no event at all"
    text = (
        f"{header.system}, judged as Kafka {header.release} by {header.requirement_set}, seed "
        f"{header.seed}"
    )
    text += f", {count_of(len(run.scenarios), 'scenario')}"
    if run.truncated:
        text += (
            "; the log is cut short: the footer is missing, so what it would have shown is not "
            "compared"
        )
    elif run.footer and run.footer.reason != "done":
        text += f"; ended early: {run.footer.reason}"
    if run.broken_lines:
        text += f"; {count_of(run.broken_lines, 'broken line')} left out"
    return plain(text)


def _table(diff: Diff) -> Table:
    table = Table(
        box=box.SIMPLE_HEAD,
        padding=(0, 1),
        pad_edge=False,
        collapse_padding=True,
        header_style="bold",
    )
    table.add_column("clause", no_wrap=True)
    for heading, _ in _COLUMNS.values():
        table.add_column(heading, justify="right", no_wrap=True)
    for clause, counts in diff.by_clause.items():
        cells = [
            Text(
                number(counts[kind]) if counts[kind] else "·",
                style=style if counts[kind] else "dim",
            )
            for kind, (_, style) in _COLUMNS.items()
        ]
        table.add_row(Text(plain(clause, 12)), *cells)
    return table


def _show_change(change: Change, console: Console) -> None:
    style = "bold red" if change.worse else _COLUMNS[change.kind][1]
    word = change.kind.value.replace("_", " ")
    console.print(
        Text.assemble(
            (f"{word} ", style),
            (plain(change.clause, 40), "bold"),
            f"  scenario {plain(change.scenario, 20)}",
        )
    )
    if change.before is not None:
        console.print(Text(f"  before: {_break_text(change.before)}"))
    if change.after is not None:
        console.print(Text(f"  after:  {_break_text(change.after)}"))


def _break_text(found: Break) -> str:
    listed = ", listed by a finding" if found.known is not None else ""
    return f"{found.outcome.value} '{plain(found.signature, 60)}'{listed}: {plain(found.why, 200)}"


def _word(diff: Diff) -> tuple[str, str]:
    if diff.worse:
        return "WORSE", "bold red"
    if not diff.both:
        return "NOTHING TO COMPARE", "bold yellow"
    if diff.count(Kind.UNDECIDED):
        return "UNDECIDED", "bold yellow"
    return ("BETTER", "bold green") if diff.count(Kind.FIXED) else ("NOTHING NEW", "bold green")


def _sentence(diff: Diff) -> str:
    parts = [
        f"{number(diff.count(kind))} {kind.value.replace('_', ' ')}"
        for kind in Kind
        if diff.count(kind)
    ]
    text = ", ".join(parts) if parts else "no break in either run"
    if not diff.both:
        text += (
            "; the runs have no scenario in common: use the same --seed and --scenarios to compare "
            "more than kinds of break"
        )
    if diff.before.truncated or diff.after.truncated:
        text += "; a log is cut short"
    return text
