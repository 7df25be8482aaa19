"""What Apache Kafka itself breaks or decides, found again by plain drawing: without worked
examples, corpus and findings file.

For each of them: in how many runs it was found, and after how many drawn histories (median, worst).
By default the model answers as the releases do that have it, in this very process, by many seeds;
run folders of real brokers are read instead where some are given. Run: python
benchmarks/found_again.py groups|share [SEEDS | RUN...]
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import Any

from conformance.engine.plan import Plan
from conformance.engine.runner import Runner
from conformance.subjects.groups.runner import RUNNER as GROUPS
from conformance.subjects.share.runner import RUNNER as SHARE
from results.log import LOG_NAME, read_log
from spec.events import Event, Judged, ReadingRuledOut
from spec.frozen import frozen
from spec.releases import semantics_for

SEEDS = 20


@frozen
class Known:
    """What is looked for.

    Attributes:
        name: what it is.
        clause: whose break, or whose reading.
        signature: the signature of the break, or the reading that is ruled out.
    """

    name: str
    clause: str
    signature: str


STATIC = Known("a static member restarts in a full classic group", "GRP-008", "instance refused")
N02 = Known("N02: a static consumer comes back to a full group", "GRP-034", "instance refused")
STREAMS = Known("a member of a full streams group sends epoch 0 again", "GRP-038", "member refused")
A06 = Known("DIV-03, A06: BatchSize below 1 gives an inverted range", "SHR-127", "inverted range")
DELETED = Known("DIV-04: deleted records are delivered", "SHR-128", "deleted offsets")
POISONED = Known("DIV-05: an unknown topic id fails the whole request", "SHR-013", "whole request")
CROSSING = Known(
    "DIV-07: acknowledging across the start fails the whole request", "SHR-322", "whole request"
)
ALIGNED = Known("DIV-10: the lock limit is rounded to a batch", "SHR-112", "strict")
UNLIMITED = Known(
    "DIV-10, S02: one fetch passes the lock limit freely", "SHR-112", "over the lock limit"
)
COUNTED = Known("DIV-12: a delivery that a close ends counts", "SHR-009", "taken_back")
TAKEN_BACK = Known("DIV-12: a delivery that a close ends does not count", "SHR-009", "kept")
HALVED = Known("S04: near its last delivery a batch comes in parts", "SHR-170", "whole")
WHOLE = Known("S04: a batch comes whole until it is dropped", "SHR-170", "halved")


@frozen
class Search:
    """What is looked for in one subject.

    Attributes:
        runner: the subject's.
        histories: drawn in each run.
        looked_for: by the release that the model answers as.
    """

    runner: Runner[Any]
    histories: int
    looked_for: Mapping[str, tuple[Known, ...]]


SEARCHES = (
    # Each kind of history comes once.
    Search(GROUPS, 480, {"4.3": (STATIC, N02, STREAMS)}),
    # As many as a run asks by default.
    Search(
        SHARE,
        1500,
        {
            "4.1": (A06, DELETED, POISONED, CROSSING, UNLIMITED, TAKEN_BACK, WHOLE),
            "4.3": (A06, DELETED, POISONED, CROSSING, ALIGNED, COUNTED, HALVED),
        },
    ),
)


def drawn(search: Search, release: str, seed: int) -> Iterable[Event]:
    """A run on the model that knows of nothing."""
    plan = Plan(seed, search.histories, examples=False, shrink=False)
    return search.runner.dry_run_loop(semantics_for(release), plan).events()


def found_after(events: Iterable[Event], looked_for: tuple[Known, ...]) -> dict[Known, int]:
    """How many drawn histories it took until one showed each; what none showed is left out. It
    ends when all are found.

    A run says only once that a reading is ruled out: one that a worked example ruled out is not
    found by drawing.
    """
    found: dict[Known, int] = {}
    histories, is_drawn = 0, False
    for event in events:
        reported: set[tuple[str, str]] = set()
        if isinstance(event, Judged):
            is_drawn = event.family == "history"
            histories += is_drawn
            reported = {verdict.kind for verdict in event.verdicts if is_drawn}
        elif isinstance(event, ReadingRuledOut) and is_drawn:
            reported = {(event.clause, event.reading)}
        for one in looked_for:
            if (one.clause, one.signature) in reported:
                found.setdefault(one, histories)
        if len(found) == len(looked_for):
            break
    return found


def runs(
    search: Search, words: list[str]
) -> Iterator[tuple[str, tuple[Known, ...], list[dict[Known, int]]]]:
    """A heading, what is looked for, and what each run found."""
    if words and not words[0].isdigit():
        every = tuple(dict.fromkeys(one for some in search.looked_for.values() for one in some))
        yield (
            "run folders",
            every,
            [found_after(read_log(Path(folder) / LOG_NAME).events, every) for folder in words],
        )
        return
    for release, looked_for in search.looked_for.items():
        seeds = range(int(words[0]) if words else SEEDS)
        yield (
            f"the model of {release}",
            looked_for,
            [found_after(drawn(search, release, seed), looked_for) for seed in seeds],
        )


def main() -> None:
    """Print a line for each known break or decision."""
    subject, *words = sys.argv[1:] or [""]
    searches = {search.runner.subject: search for search in SEARCHES}
    if subject not in searches:
        raise SystemExit(f"expected {' or '.join(searches)} first, found {subject!r}")
    for heading, looked_for, found in runs(searches[subject], words):
        print(f"{heading}, {len(found)} runs")
        for one in looked_for:
            after = [some[one] for some in found if one in some]
            how_late = (
                f", after {median(after):.0f} histories ({max(after)} at most)" if after else ""
            )
            print(
                f"  {one.clause}  {one.name}: found in {len(after)} of {len(found)}{how_late}",
                flush=True,
            )


if __name__ == "__main__":
    main()
