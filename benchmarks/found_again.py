"""What Apache Kafka itself breaks on group sizes, found again by plain drawing: without worked examples, corpus and findings file.

For each known break: in how many runs it was found, and after how many drawn histories (median, worst). By default the model answers as
4.3 does, in this very process, by many seeds; run folders of real brokers are read instead where some are given.
Run: python benchmarks/found_again.py [SEEDS | RUN...]
"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median

from conformance.run.group_loop import GroupLoop
from conformance.run.group_rehearsal import GroupRehearsal
from conformance.run.plan import Plan
from results.log import LOG_NAME, read_log
from spec.events import Event, Judged
from spec.semantics import semantics_for

RELEASE = "4.3"
SEEDS = 20
HISTORIES = 480
"""Drawn in each run: each kind of history comes up once."""
KNOWN = {
    "a static member restarts in a full classic group": ("GRP-008", "instance refused"),
    "a static consumer comes back to a full group (N02)": ("GRP-034", "instance refused"),
    "a member of a full streams group sends epoch 0 again": ("GRP-038", "member refused"),
}


def drawn(seed: int) -> Iterable[Event]:
    """A run on the model that knows of nothing."""
    return GroupLoop(GroupRehearsal(semantics_for(RELEASE)), Plan(seed, HISTORIES, examples=False, shrink=False), frozenset()).events()


def histories_until(events: Iterable[Event], key: tuple[str, str]) -> int | None:
    """How many drawn histories it took until one broke a clause in this way; None where none did."""
    histories = [event for event in events if isinstance(event, Judged) and event.family == "history"]
    shows = (number for number, one in enumerate(histories, 1) if key in {(verdict.clause, verdict.signature) for verdict in one.verdicts})
    return next(shows, None)


def runs() -> Iterator[list[Event]]:
    """The runs that the command line names."""
    words = sys.argv[1:]
    if words and not words[0].isdigit():
        yield from [list(read_log(Path(folder) / LOG_NAME).events) for folder in words]
    else:
        yield from [list(drawn(seed)) for seed in range(int(words[0]) if words else SEEDS)]


def main() -> None:
    """Print a line for each known break."""
    every = list(runs())
    for name, key in KNOWN.items():
        found = [number for events in every if (number := histories_until(events, key)) is not None]
        after = f", after {median(found):.0f} histories ({max(found)} at most)" if found else ""
        print(f"{key[0]}  {name}: found in {len(found)} of {len(every)} runs{after}")


if __name__ == "__main__":
    main()
