"""Two runs compared, as JSON for other programs."""

from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from results.diff import Break, Change, Diff, Kind, RunView
from results.files import write_whole
from results.text import without_surrogates

FORMAT = 1
"""Version of the file's format: fields are added without a new number, never renamed or taken away.
"""


class ComparedRun(Struct, frozen=True):
    """One of the two runs."""

    folder: str
    run: str
    system: str
    release: str
    requirement_set: str
    fencepost: str
    seed: int | None
    scenarios: int
    truncated: bool
    broken_lines: int


class Broke(Struct, frozen=True):
    """A break in one of the runs."""

    outcome: Annotated[str, Meta(description="violates or deviates")]
    signature: str
    why: str
    known: Annotated[str | None, Meta(description="the reason of the finding that lists it")]


class Changed(Struct, frozen=True):
    """One clause on one scenario."""

    clause: str
    scenario: str
    kind: Annotated[
        str,
        Meta(description="new, changed, undecided, fixed, unchanged, only_after or only_before"),
    ]
    worse: Annotated[bool, Meta(description="it counts against the later run")]
    before: Broke | None
    after: Broke | None


class DiffFile(Struct, frozen=True):
    """The file that `fencepost diff --json` writes."""

    fencepost_diff: Annotated[int, Meta(description="version of this format")]
    before: ComparedRun
    after: ComparedRun
    differing: Annotated[
        dict[str, list[str]],
        Meta(description="what is not the same of the runs themselves: before, after"),
    ]
    scenarios_in_both: int
    scenarios_only_before: int
    scenarios_only_after: int
    counts: Annotated[dict[str, int], Meta(description="changes of each kind")]
    clauses: Annotated[dict[str, dict[str, int]], Meta(description="the same by clause")]
    changes: list[Changed]


def write_diff(diff: Diff, path: Path, *, paths: tuple[Path, Path]) -> Path:
    """Write the file; `paths` are the run folders, the earlier one first.

    Raises:
        ReportError: it can't be written.
    """
    found = DiffFile(
        fencepost_diff=FORMAT,
        before=_run(diff.before, paths[0]),
        after=_run(diff.after, paths[1]),
        differing={name: [was, now] for name, was, now in diff.differences},
        scenarios_in_both=diff.both,
        scenarios_only_before=diff.only_before,
        scenarios_only_after=diff.only_after,
        counts={kind.value: diff.count(kind) for kind in Kind},
        clauses={
            clause: {kind.value: counts[kind] for kind in Kind}
            for clause, counts in diff.by_clause.items()
        },
        changes=[_change(change) for change in diff.changes],
    )
    data = msgspec.json.encode(without_surrogates(msgspec.to_builtins(found)))
    return write_whole(path, msgspec.json.format(data, indent=2) + b"\n")


def _run(run: RunView, path: Path) -> ComparedRun:
    header = run.header
    return ComparedRun(
        folder=str(path),
        run=header.run if header else "",
        system=header.system if header else "",
        release=header.release if header else "",
        requirement_set=header.requirement_set if header else "",
        fencepost=header.fencepost if header else "",
        seed=header.seed if header else None,
        scenarios=len(run.scenarios),
        truncated=run.truncated,
        broken_lines=run.broken_lines,
    )


def _change(change: Change) -> Changed:
    return Changed(
        change.clause,
        change.scenario,
        change.kind.value,
        change.worse,
        _broke(change.before),
        _broke(change.after),
    )


def _broke(found: Break | None) -> Broke | None:
    return (
        None
        if found is None
        else Broke(found.outcome.value, found.signature, found.why, found.known)
    )
