"""The matrix of clauses by system for a person at a terminal."""

from collections import Counter
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from results.followed_readings import Followed
from results.matrix import Matrix, State
from results.text import count_of, plain

MARKS = {
    State.VIOLATES: ("VIOLATES", "bold red"),
    State.DEVIATES: ("DEVIATES", "bold yellow"),
    State.KNOWN: ("known", "cyan"),
    State.CONFORMS: ("conforms", "green"),
    State.UNDECIDED: ("undecided", "yellow"),
    State.NOT_EXERCISED: ("not met", "dim"),
    State.ABSENT: ("·", "dim"),
}
"""A word and a colour for each state, so that neither is needed alone."""


def show_matrix(matrix: Matrix, console: Console, *, verbose: bool = False) -> None:
    """Print the clauses that do not simply hold everywhere (with `verbose` all), then a count of
    states for each system.
    """
    rows = matrix.rows if verbose else matrix.telling_rows
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, header_style="bold")
    table.add_column("clause", no_wrap=True)
    for system in matrix.systems:
        table.add_column(plain(system, 40))
    for row in rows:
        table.add_row(row.clause, *[Text(*MARKS[state]) for state in row.states])
    if rows:
        console.print(table)
    if held := len(matrix.rows) - len(rows):
        others = "other " if rows else ""
        console.print(
            Text(f"{count_of(held, f'{others}clause')} held wherever the release has it", "dim")
        )
    for column, system in enumerate(matrix.systems):
        counts = Counter(row.states[column] for row in matrix.rows)
        found = ", ".join(
            f"{counts[state]} {state}"
            for state in State
            if counts[state] and state is not State.ABSENT
        )
        console.print(Text(f"{plain(system, 40)}: {found or 'nothing asked'}"))
    console.print(
        Text("known: a finding lists it; not met: never exercised; ·: not in the release", "dim")
    )


def show_followed(followed: Sequence[Followed], console: Console) -> None:
    """Print which reading of each clause each system follows, a line for each, with the scenario
    file of its run folder that ruled out each other one; nothing where no run ruled one out.
    """
    for one in followed:
        files = ", ".join([f"not {out.reading} by {out.file}" for out in one.ruled_out])
        line = f"{one.clause} {one.system}: {' or '.join(one.left) or 'none of them'} ({files})"
        console.print(Text(plain(line, 1000)), soft_wrap=True)
