"""Which config values a broker accepts while it runs, and is broken by, at once or at its next
start.

For each config of topics, groups and brokers the values at the ends of its range, one beyond each,
and those at which other things end (0, 1, -1, the ends of 32 and 64 bits, not a number, an empty
text) are given: to a topic at creation, to another one with data, to a group, to the cluster, or to
the broker. Then the broker is restarted, and what has data is written to again. A start has at most
one value of each config of brokers. Where the broker does not start, or an ordinary topic can't be
written to, the values are halved on fresh brokers until those are known that alone do it.

With a second version the broker is started again as that, on the same data: a config that the
first one does not know is stored without a check. Takes some ten minutes. Run:
python benchmarks/next_start.py [VERSION] [topics|groups|brokers] [NEXT VERSION]
"""

import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.limits.admin import BROKER, GROUP, TOPIC, Admin, ProbeError
from conformance.retries import tries
from conformance.systems.base import StartFailed
from conformance.systems.embedded import Embedded
from conformance.wire.batches import batch_of_size
from conformance.wire.outcomes import NoAnswer, NotConnected
from spec.frozen import frozen
from spec.kafka import INT32_MAX, INT64_MAX, Error, error_name
from spec.limits.boundaries import boundaries
from spec.limits.configs import Config, ConfigScope, configs

READY_S = 15
NOT_YET = {Error.NOT_LEADER_OR_FOLLOWER, Error.UNKNOWN_TOPIC_OR_PARTITION}
T = TypeVar("T")
ALTERED, CREATED, OF_GROUP = "altered", "created", "group"
CLUSTER, OWN = "cluster", "broker"
WHOLE = ("-1", "0", "1", str(INT32_MAX), str(INT32_MAX + 1), str(INT64_MAX))
FRACTIONS = ("-1", "0", "4.9E-324", "NaN", "Infinity", "-Infinity")
AWKWARD: Mapping[str, Sequence[str]] = {
    "SHORT": WHOLE,
    "INT": WHOLE,
    "LONG": WHOLE,
    "DOUBLE": FRACTIONS,
    "BOOLEAN": ("true", "false"),
    "LIST": ("",),
    "STRING": ("",),
    "CLASS": ("",),
    "PASSWORD": ("",),
}
CHOICES = re.compile(r"\[([a-zA-Z_, ]+)\]")
PLAIN = "plain"
"""A topic with data and index entries, whose configs are the broker's, save for those that decide
alone if a batch is taken."""
PLAIN_CONFIGS = {
    "cleanup.policy": "delete",
    "max.message.bytes": "1000000",
    "message.timestamp.after.max.ms": str(INT64_MAX),
    "message.timestamp.before.max.ms": str(INT64_MAX),
    "min.insync.replicas": "1",
}
PLAIN_BATCHES, PLAIN_BYTES = 20, 5_000


@frozen
class Case:
    """One value, and how it is given: a topic's at creation or later, a group's, or a broker's."""

    way: str
    config: Config
    value: str

    @property
    def name(self) -> str:
        """Of the topic, or the group, that has it."""
        value = re.sub("[^a-zA-Z0-9.]", "_", self.value)
        return f"{self.way}.{self.config.name.replace('-', '_')}-{value or 'empty'}"

    @property
    def of_topic(self) -> bool:
        """Whether it has a topic of its own."""
        return self.way in {ALTERED, CREATED}

    def __str__(self) -> str:
        return f"{self.config.key} = {self.value!r} ({self.way})"


class Broken(Exception):  # noqa: N818 - it describes the broker
    """A broker that was given values does not start, or can't be written to."""


def values_of(config: Config) -> Sequence[str]:
    """The values of a config that are tried."""
    ends = [one.value for one in boundaries(config)]
    chosen = CHOICES.search(config.validator)
    choices = chosen[1].split(", ") if chosen and not config.numeric else []
    return tuple(dict.fromkeys([*ends, *choices, *AWKWARD.get(config.type, ())]))


def ways_of(config: Config, moved: bool) -> Sequence[str]:
    """How a value can be given; to another release also those of configs that can't be changed."""
    if config.plane is ConfigScope.TOPIC:
        return CREATED, ALTERED
    if config.plane is ConfigScope.GROUP:
        return (OF_GROUP,)
    if config.mode == "read-only":
        return (CLUSTER,) if moved else ()
    return (CLUSTER,) if config.mode == "cluster-wide" else (OWN,)


def rounds_of(version: str, plane: ConfigScope, moved: bool) -> Sequence[Sequence[Case]]:
    """The cases that are given together: of brokers one of each config."""
    rounds: dict[int, list[Case]] = defaultdict(list)
    for config in configs(version).values():
        if config.plane is plane:
            for number, value in enumerate(values_of(config)):
                for way in ways_of(config, moved):
                    rounds[number if plane is ConfigScope.BROKER else 0].append(
                        Case(way, config, value)
                    )
    return list(rounds.values())


def produce(admin: Admin, topic: str, size: int = 300) -> str:
    """The name of the error of writing a batch; of those that pass, the one that stays."""
    entry = {"name": topic, "partition_data": [{"index": 0, "records": batch_of_size(size, 1)}]}
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
    config, value = case.config.name, case.value
    if not case.of_topic:
        resource = GROUP if case.way == OF_GROUP else BROKER
        name = {OF_GROUP: case.name, CLUSTER: "", OWN: str(admin.cluster.node)}[case.way]
        code = admin.set_config(resource, name, config, value, validate_only=False)
        return None if code else error_name(code)
    given = {config: value} if case.way == CREATED else {}
    if admin.create_topics({case.name: 1}, given, validate_only=False)[case.name]:
        return None
    written = produce(admin, case.name)
    if case.way == ALTERED:
        if admin.set_config(TOPIC, case.name, config, value, validate_only=False):
            return None
        written = produce(admin, case.name)
    return written


def make_plain(admin: Admin) -> None:
    """Make the plain topic, with its data."""
    admin.make_topic(PLAIN, 1, PLAIN_CONFIGS)
    for _ in range(PLAIN_BATCHES):
        code = produce(admin, PLAIN, PLAIN_BYTES)
        if code != "NONE":
            raise ProbeError(f"expected to write to a new topic, found {code}")


def attempt(version: str, cases: Sequence[Case], following: str) -> Iterator[str]:
    """What is broken by values that are given together, before and after a restart.

    Raises:
        StartFailed, Broken: the broker does not start again, or can't be written to.
    """
    with tempfile.TemporaryDirectory(prefix="fencepost-next-start-") as work:
        broker = Embedded(version, work_dir=Path(work))
        broker.start()
        try:
            with_admin(broker, make_plain)
            before = {one: given(broker, one) for one in cases}
            taken = {one: code for one, code in before.items() if code is not None}
            yield from (
                f"{one}: written to: {code}" for one, code in taken.items() if code != "NONE"
            )
            require_writable(broker, "before the restart")
            if following == version:
                broker.restart()
            else:
                broker.stop(archive=False)
                broker = Embedded(following, work_dir=Path(work))
                broker.start()
            require_writable(broker, "after the restart")
            after = {one: written(broker, one.name) for one in taken if one.of_topic}
            yield from (
                f"{one}: written to after the restart: {code}, before: {taken[one]}"
                for one, code in after.items()
                if code != taken[one]
            )
            print(f"# {len(taken)} of {len(cases)} values were accepted", flush=True)
        finally:
            broker.kill()


def require_writable(broker: Embedded, when: str) -> None:
    """Require that a batch is taken by the plain topic."""
    try:
        code = written(broker, PLAIN)
    except (NoAnswer, NotConnected) as silent:
        code = str(silent)
    if code != "NONE":
        raise Broken(f"an ordinary topic is written to {when}: {code}")


def written(broker: Embedded, topic: str) -> str:
    """What comes of writing to a topic, on a connection of its own."""
    return with_admin(broker, lambda admin: produce(admin, topic))


def given(broker: Embedded, case: Case) -> str | None:
    """What came of giving a value, on a connection of its own; that there was no answer, if the
    broker runs on.

    Raises:
        Broken: the broker's process has ended.
    """
    try:
        return with_admin(broker, lambda admin: give(admin, case))
    except (NoAnswer, NotConnected) as silent:
        if broker.end_reason():
            raise Broken(f"{case}: the broker's process has ended: {silent}") from silent
        return str(silent)


def with_admin(broker: Embedded, do: Callable[[Admin], T]) -> T:
    """What is done on a connection of its own."""
    cluster = reach(*broker.address, make_codec())
    with cluster.connect() as connection:
        return do(Admin(cluster, connection, broker.version))


def search(version: str, cases: Sequence[Case], following: str) -> Iterator[str]:
    """What is broken, and by which values alone a broker does not start or can't be written to."""
    try:
        yield from attempt(version, cases, following)
    except (StartFailed, Broken) as failed:
        if len(cases) == 1:
            yield f"{cases[0]}: accepted, and then: {str(failed).splitlines()[0]}"
            return
        named = [one for one in cases if one.name in str(failed)]
        if named and len(named) < len(cases):
            yield from search(version, named, following)
            yield from search(version, [one for one in cases if one not in named], following)
            return
        middle = len(cases) // 2
        yield from search(version, cases[:middle], following)
        yield from search(version, cases[middle:], following)


def main() -> int:
    """Print a line for each value that breaks something; 0 where none does."""
    given = dict(enumerate(sys.argv))
    version, what = given.get(1, "4.3.1"), given.get(2, "topics")
    following = given.get(3, version)
    rounds = rounds_of(following, ConfigScope(what.removesuffix("s")), following != version)
    shown: set[str] = set()
    for cases in rounds:
        print(f"# Kafka {version}, then {following}: {len(cases)} values", flush=True)
        for line in search(version, cases, following):
            if line not in shown:
                print(line, flush=True)
            shown.add(line)
    return int(bool(shown))


if __name__ == "__main__":
    sys.exit(main())
