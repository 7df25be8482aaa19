"""Event logs made up of the vocabulary, for tests of what reads them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

from results.log import LOG_NAME, EventWriter
from spec.canonical import identity
from spec.events import (
    Event,
    Flaky,
    Judged,
    LayoutPlaced,
    ReadingCost,
    ReadingRuledOut,
    RunFinished,
    RunStarted,
    Shrunk,
)
from spec.fence import Fence, Unit
from spec.fetch.outcomes import FetchAnswer, PartitionAnswer
from spec.fetch.steps import Fetch, FetchPartition
from spec.layout import Batch, Codec, Entry, Layout, Marker, Partition
from spec.observation import Exchange, Observation
from spec.scenario import Scenario
from spec.seen_batch import SeenBatch
from spec.verdict import LimitClass, Outcome, Side, Strength, Verdict

HOSTILE = "\x1b[2J\x07<script>alert('x')</script> | `x` \u202e\r\n& \"q\" </svg> ]]> \udc80 \x00"
"""What a broker might send as a message."""


FENCE = Fence("the partition's limit", Unit.BYTES, "its first batch")


@dataclass(frozen=True)
class Info:
    """A clause of a small catalogue."""

    id: str
    statement: str
    strength: Strength
    limit_class: LimitClass = LimitClass.SOFT
    sources: tuple[str, ...] = ("KIP-74",)
    excluded: str = ""
    fence: Fence | None = FENCE

    @property
    def sides(self) -> Side:
        """The sides of its fence that can be met."""
        return Side.NONE if self.fence is None else self.fence.sides


CLAUSES: Mapping[str, Info] = {
    info.id: info
    for info in (
        Info(
            "FET-001",
            "A partition's bytes never exceed its limit or its first batch.",
            Strength.MUST,
        ),
        Info("FET-002", "A partition's bytes are exactly so many.", Strength.REFERENCE),
        Info(
            "FET-004", "The first partition with data answers with its first batch.", Strength.MUST
        ),
        Info(
            "FET-030",
            "A session slot is evicted by age.",
            Strength.REFERENCE,
            excluded="needs two minutes of waiting",
        ),
        Info("FET-040", "Never arises here.", Strength.BEST_EFFORT, LimitClass.EMERGENT),
    )
}


COSTS = (
    ReadingCost("batches of 500", "today", 100, 2000, 20, 2503050, 200244, 2000),
    ReadingCost("batches of 500", "stop=after", 100, 2000, 20, 1001220, 200244, 2000),
    ReadingCost("batches of 500", "stop=before,oversize=refused", 100, 2000, 0, 0, 200244, 0),
)


def header(run: str = "r1", **changes: object) -> RunStarted:
    values: dict[str, object] = {
        "run": run,
        "started": "2026-11-28T02:00:00Z",
        "fencepost": "0.1.0",
        "seed": 7,
        "subject": "fetch",
        "system": "embedded",
        "release": "4.3",
        "requirement_set": "4.3/1",
        "facts": {"kafka": "4.3.1", "java": "17.0.15"},
        "options": {"subject": "fetch", "scenarios": "5000", "strict": "true", "report": "false"},
    }
    return RunStarted(**{**values, **changes})  # type: ignore[arg-type]


def layout(*partitions: tuple[int, ...]) -> Layout:
    return Layout(
        tuple([Partition((tuple([Batch(size) for size in sizes]),)) for sizes in partitions])
    )


def fetch(*partitions: FetchPartition, max_bytes: int = 1000) -> Fetch:
    return Fetch(partitions or (FetchPartition(0, 0, 1000),), max_bytes=max_bytes)


def judged(
    place: Layout,
    *verdicts: Verdict,
    steps: tuple[Fetch, ...] = (),
    relations: tuple[str, ...] = (),
    seen: bool = False,
) -> Judged:
    steps = steps or (fetch(),)
    return Judged(
        scenario=identity(Scenario(place, steps)),
        layout=identity(place),
        family="question",
        steps=steps,
        verdicts=verdicts,
        relations=relations,
        observation=observation() if seen else None,
        elapsed_ms=1.5,
    )


def observation(size: int = 5070) -> Observation:
    seen = SeenBatch(0, 0, size, 1)
    return Observation(
        (
            Exchange(
                0, FetchAnswer(partitions=(PartitionAnswer(0, high_watermark=1, batches=(seen,)),))
            ),
        )
    )


def conforms(clause: str = "FET-001", sides: Side = Side.AT) -> Verdict:
    return Verdict(clause, Outcome.CONFORMS, sides)


def violates(
    clause: str = "FET-001",
    signature: str = "too-much",
    why: str = "expected 1000 bytes, found 5070",
) -> Verdict:
    return Verdict(clause, Outcome.VIOLATES, Side.ABOVE, why, signature, primary=True)


def deviates(
    clause: str = "FET-002", signature: str = "shorter", why: str = "expected 900 bytes, found 0"
) -> Verdict:
    return Verdict(clause, Outcome.DEVIATES, Side.BELOW, why, signature)


def footer(scenarios: int = 1, reason: str = "done", exit_code: int = 0) -> RunFinished:
    return RunFinished(reason, exit_code, 1, scenarios, 2.5)


def placed(place: Layout) -> LayoutPlaced:
    return LayoutPlaced(identity(place), place)


def shrunk(found: Judged, verdict: Verdict, scenario: Scenario) -> Shrunk:
    return Shrunk(
        verdict.clause, verdict.signature, found.scenario, scenario, verdict, observation(), 41
    )


def flaky(scenario: Scenario, verdict: Verdict, reproduced: int, replays: int) -> Flaky:
    """A break of a scenario that was not reproduced."""
    return Flaky(
        verdict.clause, verdict.signature, scenario, verdict, observation(), reproduced, replays
    )


def write(folder: Path, events: Iterable[Event]) -> Path:
    """A run folder with these events as its log."""
    folder.mkdir(parents=True, exist_ok=True)
    with EventWriter(folder / LOG_NAME) as writer:
        for event in events:
            writer.write(event)
    return folder


def small_run(run: str = "r1", system: str = "embedded", *, hostile: bool = False) -> list[Event]:
    """A run in which each outcome is met: two layouts, six scenarios."""
    one, two = layout((5070, 800)), layout((900, 900), (61,))
    message = HOSTILE if hostile else "expected 1000 bytes, found 5070"
    broken = judged(
        one,
        violates(why=message),
        deviates(),
        relations=("max_bytes=at:first", "partition_max_bytes=below:first"),
        seen=True,
    )
    smallest = Scenario(layout((5070,)), (fetch(),))
    return [
        header(run, system=system),
        placed(one),
        judged(
            one,
            conforms(),
            conforms("FET-004", Side.BELOW | Side.ABOVE),
            relations=("max_bytes=above:first",),
        ),
        broken,
        judged(
            one,
            conforms(),
            steps=(fetch(max_bytes=900),),
            relations=("max_bytes=below:first", "partition_max_bytes=at:last"),
        ),
        placed(two),
        judged(two, conforms(), Verdict("FET-002", Outcome.UNSUPPORTED, why="no version 17")),
        judged(
            two, Verdict("FET-004", Outcome.INCONCLUSIVE, why="silent"), steps=(fetch(max_bytes=1),)
        ),
        judged(two, deviates(signature="listed", why="as always"), steps=(fetch(max_bytes=2),)),
        shrunk(broken, violates(why=message), smallest),
        ReadingRuledOut("FET-001", "whole", smallest, "found a cut batch", observation()),
        *COSTS,
        footer(6, exit_code=1),
    ]


def big_run(scenarios: int, layouts: int, seed: int = 1, run: str = "big") -> Iterator[Event]:
    """A run of a realistic size: some 25 clauses, several verdicts for each scenario, one in 500
    diverging.
    """
    random = Random(seed)
    yield header(run, seed=seed)
    names = (
        "max_bytes",
        "partition_max_bytes",
        "min_bytes",
        "fetch.max.bytes",
        "offset",
        "isolation",
    )
    clauses = [f"FET-{number:03}" for number in range(1, 26)]
    for index in range(scenarios):
        if index % max(1, scenarios // layouts) == 0:
            place = Layout(tuple([_partition(random) for _ in range(random.randint(1, 8))]))
            yield placed(place)
        asked = tuple(
            [
                FetchPartition(p, random.randint(0, 3), random.randint(0, 9000))
                for p in range(random.randint(1, len(place.partitions)))
            ]
        )
        step = Fetch(asked, max_bytes=random.randint(0, 20000), version=random.randint(4, 18))
        verdicts = [
            Verdict(c, Outcome.CONFORMS, Side(random.randint(1, 7)))
            for c in random.sample(clauses, 12)
        ]
        if index % 500 == 499:
            verdicts[0] = deviates(verdicts[0].clause, random.choice(("shorter", "cut")))
        relations = tuple(
            [
                f"{name}={random.choice(('below', 'at', 'above'))}:"
                f"{random.choice(('first', 'middle', 'last'))}"
                for name in names[:4]
            ]
        )
        yield judged(place, *verdicts, steps=(step,), relations=relations, seen=index % 500 == 499)
    yield footer(scenarios)


def _partition(random: Random) -> Partition:
    entries: list[Entry] = [
        Batch(random.randint(61, 6000), random.randint(1, 9), random.choice(list(Codec)))
        for _ in range(5)
    ]
    entries += [Batch(200, txn=0), Marker(0, commit=False)]
    return Partition((tuple(entries), (Batch(100),)))
