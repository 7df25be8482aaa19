"""Which config values a broker accepts while it runs, and is broken by, at once or at its next
start.

Each boundary value that is accepted is given to a topic at creation, to another one with data by
alteration, and (of brokers' configs) to the cluster; then the broker is restarted, and each topic
is written to again. Where the broker does not start, the values are halved on fresh brokers until
those are known that alone keep it from starting. Takes minutes. Run:
python benchmarks/next_start.py [VERSION] [topics|brokers]
"""

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.limits.admin import BROKER, TOPIC, Admin, ProbeError
from conformance.retries import tries
from conformance.systems.base import StartFailed
from conformance.systems.embedded import Embedded
from conformance.wire.batches import batch_of_size
from conformance.wire.outcomes import NoAnswer, NotConnected
from spec.frozen import frozen
from spec.kafka import Error, error_name
from spec.limits.boundaries import Boundary, boundaries
from spec.limits.configs import ConfigScope, configs

READY_S = 15
NOT_YET = {Error.NOT_LEADER_OR_FOLLOWER, Error.UNKNOWN_TOPIC_OR_PARTITION}
T = TypeVar("T")
ALTERED, CREATED, CLUSTER = "altered", "created", "cluster"


@frozen
class Case:
    """One value, and how it is given: a topic's at creation or later, or the cluster's."""

    way: str
    boundary: Boundary

    @property
    def topic(self) -> str:
        name = f"{self.boundary.config.name}-{self.boundary.value}".replace("-", "_")
        return f"{self.way}.{name}"

    def __str__(self) -> str:
        one = self.boundary
        return f"{one.config.key} = {one.value} ({self.way})"


def cases_of(version: str, what: str) -> list[Case]:
    """The values of the configs of topics, or of those of brokers that change while they run."""
    plane = ConfigScope.TOPIC if what == "topics" else ConfigScope.BROKER
    found = [
        one
        for config in configs(version).values()
        if config.plane is plane and not config.internal and config.mode != "read-only"
        for one in boundaries(config)
        if one.within
    ]
    ways = (CREATED, ALTERED) if what == "topics" else (CLUSTER,)
    return [Case(way, one) for one in found for way in ways]


def produce(admin: Admin, topic: str) -> str:
    """The name of the error of writing a batch; of those that pass, the one that stays."""
    entry = {"name": topic, "partition_data": [{"index": 0, "records": batch_of_size(300, 1)}]}
    body = {"acks": -1, "timeout_ms": 10_000, "topic_data": [entry]}
    code = -1
    for _ in tries(READY_S):
        try:
            answer = admin.ask("Produce", 12, body)
        except NoAnswer as silent:
            return str(silent)
        code = answer["responses"][0]["partition_responses"][0]["error_code"]
        if code not in NOT_YET:
            break
    return error_name(code)


def give(admin: Admin, case: Case) -> str | None:
    """Give a value to a broker; what came of writing to its topic then, None where it was
    refused.
    """
    config = case.boundary.config.name
    if case.way == CLUSTER:
        code = admin.set_config(BROKER, "", config, case.boundary.value, validate_only=False)
        return None if code else error_name(code)
    given = {config: case.boundary.value} if case.way == CREATED else {}
    if admin.create_topics({case.topic: 1}, given, validate_only=False)[case.topic]:
        return None
    written = produce(admin, case.topic)
    if case.way == ALTERED:
        if admin.set_config(TOPIC, case.topic, config, case.boundary.value, validate_only=False):
            return None
        written = produce(admin, case.topic)
    return written


def attempt(version: str, cases: Sequence[Case]) -> Iterator[str]:
    """What is broken by values that are given together, before and after a restart.

    Raises:
        StartFailed: the broker does not start again.
    """
    with tempfile.TemporaryDirectory(prefix="fencepost-next-start-") as work:
        broker = Embedded(version, work_dir=Path(work))
        broker.start()
        try:
            before = {one: given(broker, one) for one in cases}
            taken = {one: code for one, code in before.items() if code is not None}
            yield from (
                f"{one}: written to: {code}" for one, code in taken.items() if code != "NONE"
            )
            broker.restart()
            topics = [one for one in taken if one.way != CLUSTER]
            after = {one: written(broker, one.topic) for one in topics}
            yield from (
                f"{one}: written to after the restart: {code}, before: {taken[one]}"
                for one, code in after.items()
                if code != taken[one]
            )
        finally:
            broker.stop(archive=False)


def written(broker: Embedded, topic: str) -> str:
    """What comes of writing to a topic, on a connection of its own."""
    return with_admin(broker, lambda admin: produce(admin, topic))


def given(broker: Embedded, case: Case) -> str | None:
    """What came of giving a value, on a connection of its own; that there was no answer, if the
    broker runs on.

    Raises:
        ProbeError: the broker's process has ended.
    """
    try:
        return with_admin(broker, lambda admin: give(admin, case))
    except (NoAnswer, NotConnected) as silent:
        if broker.end_reason():
            raise ProbeError(f"{case}: the broker's process has ended: {silent}") from silent
        return str(silent)


def with_admin(broker: Embedded, do: Callable[[Admin], T]) -> T:
    """What is done on a connection of its own."""
    cluster = reach(*broker.address, make_codec())
    with cluster.connect() as connection:
        return do(Admin(cluster, connection, broker.version))


def search(version: str, cases: Sequence[Case]) -> Iterator[str]:
    """What is broken, and by which values alone the broker is kept from starting."""
    try:
        yield from attempt(version, cases)
    except (StartFailed, ProbeError) as failed:
        if len(cases) == 1:
            yield f"{cases[0]}: accepted, and the broker does not start again: {failed}"
            return
        named = [one for one in cases if one.topic in str(failed)]
        if named and len(named) < len(cases):
            yield from search(version, named)
            yield from search(version, [one for one in cases if one not in named])
            return
        middle = len(cases) // 2
        yield from search(version, cases[:middle])
        yield from search(version, cases[middle:])


def main() -> int:
    """Print a line for each value that breaks something; 0 where none does."""
    given = dict(enumerate(sys.argv))
    version, what = given.get(1, "4.3.1"), given.get(2, "topics")
    cases = cases_of(version, what)
    print(f"Kafka {version}: {len(cases)} values", flush=True)
    shown: set[str] = set()
    for line in search(version, cases):
        if line not in shown:
            print(line, flush=True)
        shown.add(line)
    return int(bool(shown))


if __name__ == "__main__":
    sys.exit(main())
