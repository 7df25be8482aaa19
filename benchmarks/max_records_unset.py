"""What the draft MaxRecords costs where it is not set: the model and the served broker with the
draft, beside the same without, in one run.

Each round asks both sides the same fetches, one after the other, and gives one ratio of their
times; the median of the rounds counts. The times are those of the processor, of the broker's own
process where it is served, so that other work on the machine counts for little; the served broker
is asked by a bare socket loop. Request sizes are given to the byte. Needs Linux. Run: python
benchmarks/max_records_unset.py [FETCHES]
"""

import os
import secrets
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

from fetch_rate import Bare

from conformance.cli.common import make_codec
from conformance.cluster import Cluster, reach
from conformance.placement.deployment import Deployment
from conformance.subjects.fetch.requests import fetch_request
from conformance.systems.model import Model
from drafts.max_records.axes import parse
from drafts.max_records.change import DRAFT_VERSION, draft_change, limit_in, limited_to
from drafts.max_records.draft import DRAFT
from drafts.max_records.profile import Profile
from spec.draft import Drafted
from spec.fetch.model.answer import answer_fetch
from spec.fetch.steps import Fetch, FetchPartition
from spec.frozen import replace
from spec.layout import Batch, Layout, Partition
from spec.log import log_of
from spec.releases import semantics_for
from spec.semantics import Semantics

NEWEST = 18
FETCHES = 500
"""In each round."""
ROUNDS = 40
LAYOUT = Layout(tuple([Partition((tuple([Batch(1000, 10)] * 20),))] * 3))
TODAY = Fetch(tuple([FetchPartition(number, 0) for number in range(3)]), version=NEWEST)
UNSET = replace(TODAY, version=DRAFT_VERSION)
SET = replace(UNSET, extra=limited_to(100))

Side = tuple[Callable[[], None], Callable[[], float]]
"""What is done, and the clock that it is measured by."""


def processor_time_of(pid: int) -> Callable[[], float]:
    """A clock that shows how long a process has run on a processor, ns."""
    return lambda: float(Path(f"/proc/{pid}/schedstat").read_text().split()[0])


def child() -> int:
    """The process that was started last."""
    return int(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()[-1])


def ratio(one: Side, other: Side) -> str:
    """How many times as long `other` takes as `one`: the median of the rounds, and what the middle
    half of them lies between.
    """
    found = []
    for number in range(ROUNDS + 1):
        times = {}
        for side in (one, other) if number % 2 else (other, one):
            work, clock = side
            began = clock()
            work()
            times[side] = clock() - began
        found.append(times[other] / times[one])
    found = sorted(found[1:])  # the first round warms both
    return f"{median(found):.2f} ({found[ROUNDS // 4]:.2f} to {found[-ROUNDS // 4]:.2f})"


def in_model(fetches: int) -> None:
    """The model in this process."""
    logs = {number: log_of(partition) for number, partition in enumerate(LAYOUT.partitions)}
    released = semantics_for("4.3")

    def answer(fetch: Fetch, semantics: Semantics) -> Side:
        def work() -> None:
            for _ in range(fetches):
                answer_fetch(fetch, logs, None, semantics)

        return work, time.process_time

    today, with_draft = answer(TODAY, released), draft_change(Profile())(released)
    print(
        f"the model, not set: {ratio(today, answer(UNSET, with_draft))} times as long as without "
        "the draft"
    )
    print(f"the model, set to {limit_in(SET)}: {ratio(today, answer(SET, with_draft))} times")


def frames(cluster: Cluster, deployment: Deployment, fetch: Fetch, count: int) -> list[bytes]:
    """The same request many times, as the cluster's codec writes it."""
    (placed,) = deployment.place([LAYOUT])
    request = cluster.codec.request("Fetch", fetch.version)
    found = [
        request.encode(fetch_request(fetch, placed, 0), number, "fencepost")
        for number in range(count)
    ]
    return [len(frame).to_bytes(4, "big") + frame for frame in found]


def served(fetches: int) -> None:
    """Two served brokers, asked over sockets."""
    with Model("4.3.1") as released:
        first = processor_time_of(child())
        with Model("4.3.1", draft="max-records") as draft:
            _compared(released, first, draft, processor_time_of(child()), fetches)


def _compared(
    released: Model,
    first: Callable[[], float],
    draft: Model,
    second: Callable[[], float],
    fetches: int,
) -> None:
    """Ask both, and print the ratios."""
    sides: list[Side] = []
    for model, clock, fetch in (
        (released, first, TODAY),
        (draft, second, UNSET),
        (draft, second, SET),
    ):
        cluster = reach(
            *model.address, make_codec(Drafted(DRAFT, Profile()) if model is draft else None)
        )
        deployment = Deployment(cluster, f"benchmark-{secrets.token_hex(4)}")
        asked = frames(cluster, deployment, fetch, fetches)
        sides.append((partial(Bare(cluster, 1, 8).ask, asked), clock))
    print(
        f"the served broker, not set: {ratio(sides[0], sides[1])} times as long as without the "
        "draft"
    )
    print(f"the served broker, set to {limit_in(SET)}: {ratio(sides[0], sides[2])} times")


def sizes() -> None:
    """What the field adds to a request."""
    body = {"max_wait_ms": 0, "min_bytes": 0, "max_bytes": 1, "session_epoch": -1, "topics": []}
    without = len(make_codec().request("Fetch", NEWEST).encode(body, 0, ""))
    for encoding in ("tagged", "plain"):
        request = make_codec(Drafted(DRAFT, parse(f"encoding={encoding}"))).request(
            "Fetch", DRAFT_VERSION
        )
        unset, limited = (
            len(request.encode(given, 0, "")) - without
            for given in (body, {**body, "max_records": 100})
        )
        print(
            f"the request, {encoding}: {unset} bytes more where it is not set, {limited} where it "
            "is"
        )


def main() -> None:
    """Print the ratios."""
    fetches = int(sys.argv[1]) if len(sys.argv) > 1 else FETCHES
    sizes()
    in_model(fetches)
    served(fetches // 10)


if __name__ == "__main__":
    main()
