"""The last known state of each implementation, from the summaries of runs."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from results.files import ReportError
from results.specification.form import State

SEVEREST_FIRST = ("violates", "deviates", "known", "conforms", "inconclusive", "unsupported")


class _System(Struct, frozen=True):
    name: str
    release: str
    facts: dict[str, str]


class _Run(Struct, frozen=True):
    id: str
    started: str


class _Counts(Struct, frozen=True):
    id: str
    exercised: int
    conforms: int
    deviates: int
    violates: int
    known: int
    inconclusive: int
    unsupported: int


class _Summary(Struct, frozen=True):
    """What is read of `summary.json`, so that one of an earlier version, with fewer fields, is read
    too.
    """

    run: _Run
    system: _System
    clauses: list[_Counts]


def read_states(runs: Iterable[Path]) -> Mapping[str, tuple[State, ...]]:
    """The state of each clause by the newest run of each implementation, by the clause's id.

    A run in which a clause was exercised counts before a newer one in which it was not; a run that
    says nothing of a clause does not count for it.

    Args:
        runs: run folders, each with its `summary.json`.

    Raises:
        ReportError: a summary is missing or is not of the form.
    """
    found: dict[str, dict[str, State]] = {}
    for summary in sorted([_read(run / "summary.json") for run in runs], key=_start_time):
        for clause in summary.clauses:
            state = _state(summary, clause)
            if state is None:
                continue
            of_clause = found.setdefault(clause.id, {})
            before = of_clause.get(state.system)
            if before is None or state.exercised or not before.exercised:
                of_clause[state.system] = state
    return {
        clause: tuple([states[system] for system in sorted(states)])
        for clause, states in found.items()
    }


def _read(path: Path) -> _Summary:
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Summary)
    except OSError as error:
        raise ReportError(
            f"expected the summary of a run at {path}, found: {error.strerror or error}; name a "
            "folder that a run has written to its end"
        ) from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ReportError(f"expected the summary of a run at {path}, found: {error}") from error


def _start_time(summary: _Summary) -> str:
    return summary.run.started


def _state(summary: _Summary, clause: _Counts) -> State | None:
    state = next((name for name in SEVEREST_FIRST if getattr(clause, name)), None)
    if state is None:
        return None
    facts = summary.system.facts
    named = [facts.get("implementation") or "not named", facts.get("kafka.version", "")]
    return State(
        system=f"{' '.join([word for word in named if word])} ({summary.system.name})",
        release=summary.system.release,
        run=summary.run.id,
        started=summary.run.started,
        state=state,
        exercised=clause.exercised,
    )
