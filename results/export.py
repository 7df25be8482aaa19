"""The summary as JSON for other programs, with a schema that comes from the same types."""

import json
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from results.clauses import Clauses
from results.clusters import Cluster
from results.files import write_whole
from results.flaky import FlakyKind, flaky_kinds
from results.headline import headline
from results.reproduce import reproduction
from results.schema_files import schema_of
from results.score import Score
from results.summary import ClauseCount, Summary
from results.text import without_surrogates
from spec.canonical import identity, to_plain
from spec.known import plain_facts

PUBLISHED_SCHEMA = Path(__file__).parent / "summary.schema.json"
"""The schema as it ships; a test holds it to the types."""
FORMAT = 1
"""Version of the file's format: fields are added without a new number, never renamed or taken away.
"""

Count = Annotated[int, Meta(ge=0)]


class System(Struct, frozen=True):
    """The system under test."""

    name: str
    release: Annotated[str, Meta(description="the Kafka release it is judged as")]
    requirement_set: str
    facts: dict[str, str]


class Run(Struct, frozen=True):
    """The run itself."""

    id: str
    started: Annotated[str, Meta(description="UTC, ISO 8601")]
    fencepost: Annotated[str, Meta(description="version of the suite")]
    subject: str
    seed: int
    options: dict[str, str]
    reproduce: Annotated[str, Meta(description="the line that does the run again")]
    reason: Annotated[
        str | None,
        Meta(
            description="why it ended: done, interrupted, time, broken; null where it was cut short"
        ),
    ]
    exit_code: int | None
    seconds: float | None


class Pace(Struct, frozen=True):
    """How a run whose scenarios wait spent its time."""

    per_second: Annotated[float, Meta(description="scenarios judged in each second of the run")]
    each_ms: Annotated[float, Meta(description="how long the play of one took, on average")]
    waiting: Annotated[float, Meta(ge=0, le=1, description="the share of that in which it waited")]
    side_by_side: Annotated[float, Meta(description="how many were played at a time, on average")]


class Clause(Struct, frozen=True):
    """One clause's counts of scenarios."""

    id: str
    strength: Annotated[
        str | None, Meta(description="must, reference, best_effort; null for an unknown clause")
    ]
    statement: str
    exercised: Annotated[Count, Meta(description="conforms + deviates + violates + known")]
    below: Count
    at: Count
    above: Count
    conforms: Count
    deviates: Annotated[Count, Meta(description="unlisted ones")]
    violates: Annotated[Count, Meta(description="unlisted ones")]
    known: Annotated[Count, Meta(description="violations and deviations that a finding lists")]
    inconclusive: Count
    unsupported: Count


class Difference(Struct, frozen=True):
    """All scenarios that break one clause in one way."""

    clause: str
    signature: str
    outcome: Annotated[str, Meta(description="violates or deviates")]
    count: Count
    primary: Annotated[Count, Meta(description="scenarios in which it explains the other breaks")]
    known: Annotated[str | None, Meta(description="the reason of the finding that lists it")]
    explained_by: Annotated[
        str | None,
        Meta(description="the clause whose break explains it in all of these scenarios"),
    ]
    why: Annotated[str, Meta(description="expected against found, of the example")]
    shrunk: Annotated[bool, Meta(description="the example is as small as it goes")]
    example_id: str
    example: Annotated[
        dict[str, Any] | None, Meta(description="the scenario in its canonical form")
    ]


class Requirements(Struct, frozen=True):
    """How much of its requirement set a run exercised."""

    requirement_set: str
    clauses: Annotated[Count, Meta(description="those that count in this run")]
    exercised: Annotated[Count, Meta(description="those that could be judged at least once")]
    not_exercised: Annotated[
        dict[str, str], Meta(description="why each of the others was not exercised, by its id")
    ]


class NotGiven(Struct, frozen=True):
    """Why verdicts could not be given."""

    outcome: Annotated[str, Meta(description="inconclusive or unsupported")]
    why: str
    scenarios: Count
    clauses: Annotated[
        list[str], Meta(description="the clauses that could not be judged; * stands for all")
    ]


class Unlaid(Struct, frozen=True):
    """Scenarios whose layouts could not be laid, for one step of laying."""

    step: Annotated[str, Meta(description="what the broker did not do for the layout")]
    why: Annotated[str, Meta(description="expected against found, of the first")]
    scenarios: Count
    clauses: Annotated[
        dict[str, Count], Meta(description="scenarios that would have exercised each clause")
    ]


class FlakyBreak(Struct, frozen=True):
    """Breaks of one clause in one way that were not reproduced."""

    clause: str
    signature: str
    outcome: str
    count: Annotated[Count, Meta(description="plays that showed it once")]
    reproduced: Annotated[Count, Meta(description="how many of the replays showed it again")]
    replays: Count
    known: Annotated[bool, Meta(description="a finding lists it")]
    why: Annotated[str, Meta(description="expected against found, of the example")]
    example_id: str
    example: Annotated[dict[str, Any], Meta(description="the scenario in its canonical form")]


class RuledOut(Struct, frozen=True):
    """A reading of a clause that an observation does not fit."""

    clause: str
    reading: str
    why: str


class MissingApi(Struct, frozen=True):
    """Something that a features file claims and that was not there."""

    api: str
    why: str
    clauses: Annotated[list[str], Meta(description="those that were not tried without it")]


class Broken(Struct, frozen=True):
    """A line of the event log that can't be read."""

    line: int
    reason: str


class SummaryFile(Struct, frozen=True):
    """The file `summary.json` of a run."""

    fencepost_summary: Annotated[int, Meta(description="version of this format")]
    verdict: Annotated[
        str,
        Meta(
            description=(
                "VIOLATES, LACKS, INCONCLUSIVE, NOTHING EXERCISED, CUT SHORT, DEVIATES or "
                "CONFORMS: the most severe that holds"
            )
        ),
    ]
    sentence: str
    system: System | None
    run: Run | None
    layouts: Count
    scenarios: Count
    clauses: list[Clause]
    differences: list[Difference]
    readings_ruled_out: list[RuledOut]
    excluded: Annotated[
        dict[str, str], Meta(description="clauses that can't be tested, with the reason")
    ]
    notes: list[str]
    truncated: bool
    broken_lines: list[Broken]
    pace: Annotated[
        Pace | None,
        Meta(description="null where the run was cut short, or its scenarios do not wait"),
    ] = None
    requirements: Annotated[
        Requirements | None, Meta(description="null where the log does not say what counts")
    ] = None
    not_given: Annotated[
        list[NotGiven], Meta(description="why verdicts could not be given, the commonest first")
    ] = []
    flaky: list[FlakyBreak] = []
    not_laid: Annotated[
        list[Unlaid], Meta(description="scenarios left out since their layouts could not be laid")
    ] = []
    lacking: Annotated[
        list[MissingApi], Meta(description="what a features file claims and was not there")
    ] = []


def summary_file(summary: Summary, clauses: Clauses) -> SummaryFile:
    """The summary in the form of the file."""
    verdict, sentence = headline(summary)
    return SummaryFile(
        fencepost_summary=FORMAT,
        verdict=verdict,
        sentence=sentence,
        system=_system(summary),
        run=_run(summary),
        layouts=summary.layouts,
        scenarios=summary.scenarios,
        clauses=[_clause(count, clauses) for count in summary.clauses],
        differences=[_difference(cluster) for cluster in summary.clusters],
        readings_ruled_out=[
            RuledOut(ruled.clause, ruled.reading, ruled.why) for ruled in summary.readings
        ],
        excluded=dict(summary.excluded),
        notes=list(summary.notes),
        truncated=summary.truncated,
        broken_lines=[Broken(line.number, line.reason) for line in summary.broken_lines],
        pace=_pace(summary),
        requirements=_requirements(summary.score),
        not_given=[
            NotGiven(one.outcome.value, one.why, one.scenarios, list(one.clauses))
            for one in summary.reasons
        ],
        flaky=[_flaky(kind, summary.known_kinds) for kind in flaky_kinds(summary.flaky)],
        not_laid=[
            Unlaid(one.step, one.why, one.scenarios, dict(one.clauses)) for one in summary.not_laid
        ],
        lacking=[
            MissingApi(one.claimed, one.reason, list(one.clauses)) for one in summary.missing_apis
        ],
    )


def write_summary(summary: Summary, clauses: Clauses, path: Path) -> Path:
    """Write `summary.json`.

    Raises:
        ReportError: it can't be written.
    """
    data = _encode(summary, clauses)
    return write_whole(path, msgspec.json.format(data, indent=2) + b"\n")


def summary_line(summary: Summary, clauses: Clauses) -> str:
    """What `summary.json` holds, on one line without control characters."""
    return json.dumps(json.loads(_encode(summary, clauses)), separators=(",", ":"))


def _encode(summary: Summary, clauses: Clauses) -> bytes:
    return msgspec.json.encode(
        without_surrogates(msgspec.to_builtins(summary_file(summary, clauses)))
    )


def summary_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of `summary.json`."""
    return schema_of(SummaryFile, "Fencepost summary of a run")


def _requirements(score: Score | None) -> Requirements | None:
    if score is None:
        return None
    return Requirements(score.requirement_set, score.total, score.exercised, dict(score.reasons))


def _flaky(kind: FlakyKind, known: Collection[tuple[str, str]]) -> FlakyBreak:
    first = kind.first
    return FlakyBreak(
        clause=first.clause,
        signature=first.signature,
        outcome=first.verdict.outcome.value,
        count=kind.count,
        reproduced=kind.reproduced,
        replays=kind.replays,
        known=first.kind in known,
        why=first.verdict.why,
        example_id=identity(first.scenario),
        example=to_plain(first.scenario),
    )


def _pace(summary: Summary) -> Pace | None:
    found = summary.pace
    return (
        Pace(found.per_second, found.each_ms, found.waiting, found.side_by_side) if found else None
    )


def _system(summary: Summary) -> System | None:
    header = summary.header
    return (
        System(header.system, header.release, header.requirement_set, plain_facts(header.facts))
        if header
        else None
    )


def _run(summary: Summary) -> Run | None:
    header, footer = summary.header, summary.footer
    if header is None:
        return None
    return Run(
        id=header.run,
        started=header.started,
        fencepost=header.fencepost,
        subject=header.subject,
        seed=header.seed,
        options=header.options,
        reproduce=reproduction(header),
        reason=footer.reason if footer else None,
        exit_code=footer.exit_code if footer else None,
        seconds=footer.seconds if footer else None,
    )


def _clause(count: ClauseCount, clauses: Clauses) -> Clause:
    info = clauses.get(count.clause)
    return Clause(
        id=count.clause,
        strength=count.strength.value if count.strength else None,
        statement=info.statement if info else "",
        exercised=count.exercised,
        below=count.below,
        at=count.at,
        above=count.above,
        conforms=count.conforms,
        deviates=count.deviates,
        violates=count.violates,
        known=count.known,
        inconclusive=count.inconclusive,
        unsupported=count.unsupported,
    )


def _difference(cluster: Cluster) -> Difference:
    return Difference(
        clause=cluster.clause,
        signature=cluster.signature,
        outcome=cluster.outcome.value,
        count=cluster.count,
        primary=cluster.primary,
        known=cluster.known,
        explained_by=cluster.cause[0] if cluster.cause is not None else None,
        why=cluster.why,
        shrunk=cluster.shrunk,
        example_id=cluster.example_id,
        example=to_plain(cluster.example) if cluster.example else None,
    )
