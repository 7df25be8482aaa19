"""What the steps of a scenario may hold: the range of every number, the words and the text that may stand in its place.

Whatever the wire carries may be asked; refused are what it can't carry, what the layout does not have, and waits that nobody sits out.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum

from spec.groups import steps as groups
from spec.kafka import CURRENT_MAGIC, INT32_MAX, INT64_MAX, INT64_MIN
from spec.layout import Batch, LayoutError, validate_batch
from spec.scenario import OWN, Append, DeleteRecords, Fetch, FetchPartition, LogStep, Scenario
from spec.share import steps as share

INT32_MIN = -(2**31)
LONGEST_MS = 600_000
"""Ten minutes: the longest that one step may wait."""
LONGEST_TEXT = 32_000
"""Bytes of UTF-8; a string of Kafka's protocol holds 32,767, some of which a player may put in front."""


@dataclass(frozen=True, slots=True)
class Range:
    """The whole numbers that may stand somewhere, ends included, and what they are."""

    low: int
    high: int
    what: str

    def __str__(self) -> str:
        return f"{self.what}, from {self.low} to {self.high}"


INT8 = Range(-(2**7), 2**7 - 1, "an int8")
INT32 = Range(INT32_MIN, INT32_MAX, "an int32")
INT64 = Range(INT64_MIN, INT64_MAX, "an int64")
VERSION = Range(0, 2**15 - 1, "the version of a request")
WAIT = Range(INT32_MIN, LONGEST_MS, "a wait in milliseconds")
TIME = Range(0, LONGEST_MS, "a time in milliseconds")
ACTOR = Range(0, 999, "the number of an actor")
GROUP = Range(0, 999, "the number of a group")
COUNT = Range(0, INT32_MAX, "a count")
RATE = Range(1, INT32_MAX, "bytes a second")
TAG_SIZE = Range(0, 2**20, "a count of bytes")
DIFFERENCE = Range(-1_000_000, 1_000_000, "a difference of epochs")
ASKED = Range(0, 9_999, "the number of a partition, be it in the layout or not")
IN_LAYOUT = Range(0, -1, "the number of a partition of the layout")
"""Its end is the layout's."""

_MEMBER = {"actor": ACTOR, "member": ACTOR, "group": GROUP}
_NAMED_MEMBER = {**_MEMBER, "epoch": INT32}
_SHARE_REQUEST = {"epoch": INT32, "skew": DIFFERENCE, "version": VERSION, "actor": ACTOR}
_LIMITS = {"max_bytes": INT32, "min_bytes": INT32, "max_wait_ms": WAIT}
_ACTOR = {"actor": ACTOR}

NUMBERS: Mapping[type, Mapping[str, Range | tuple[Range, ...]]] = {
    FetchPartition: {"partition": ASKED, "offset": INT64, "max_bytes": INT32, "leader_epoch": DIFFERENCE, "fetched_epoch": INT32},
    Fetch: {
        **_LIMITS,
        "isolation": INT8,
        "version": VERSION,
        "replica_id": INT32,
        "session": INT32,
        "epoch": INT32,
        "forgotten": ASKED,
        "unknown_tag": TAG_SIZE,
        "quota": RATE,
        "extra": INT32,
        "actor": ACTOR,
        "after_ms": TIME,
    },
    Append: {"partition": IN_LAYOUT, "actor": ACTOR, "after_ms": TIME},
    DeleteRecords: {"partition": IN_LAYOUT, "offset": INT64, "actor": ACTOR, "after_ms": TIME},
    share.AcknowledgementBatch: {"first": INT64, "last": INT64, "types": INT8},
    share.SharePartition: {"partition": ASKED, "max_bytes": INT32},
    share.ShareFetch: {
        **_SHARE_REQUEST,
        **_LIMITS,
        "max_records": INT32,
        "batch_size": INT32,
        "mode": INT8,
        "forgotten": ASKED,
        "patience_ms": TIME,
    },
    share.ShareAcknowledge: _SHARE_REQUEST,
    share.DropConnection: _ACTOR,
    share.NameGroup: _ACTOR,
    share.FindShareCoordinator: {"partition": IN_LAYOUT, "actor": ACTOR},
    share.AlterShareGroupOffsets: {"starts": (IN_LAYOUT, INT64), "actor": ACTOR},
    share.DeleteShareGroupOffsets: _ACTOR,
    share.AlterGroupConfig: _ACTOR,
    share.RestartBroker: _ACTOR,
    share.Pause: {"ms": TIME, "actor": ACTOR},
    groups.JoinGroup: {
        **_MEMBER,
        "metadata": INT32,
        "session_ms": INT32,
        "rebalance_ms": INT32,
        "version": VERSION,
        "patience_ms": TIME,
    },
    groups.SyncGroup: _MEMBER,
    groups.Heartbeat: _MEMBER,
    groups.LeaveGroup: _MEMBER,
    groups.DescribeGroup: {"actor": ACTOR, "members": COUNT, "patience_ms": TIME, "group": GROUP},
    groups.ConsumerGroupHeartbeat: _NAMED_MEMBER,
    groups.ShareGroupHeartbeat: _NAMED_MEMBER,
    groups.StreamsGroupHeartbeat: _NAMED_MEMBER,
    groups.AlterBrokerConfig: _ACTOR,
    groups.RestartWith: _ACTOR,
    groups.WaitFor: {"ms": TIME, "actor": ACTOR},
}
"""The range of each number of each class, by the field; of numbers in a tuple, one range for all or one for each place.

A batch to append is not here: it is looked at as those of a layout are."""

_MEMBER_WORDS = (groups.OWN, groups.NEW, groups.STRANGER)
WORDS: Mapping[type, Mapping[str, tuple[str, ...]]] = {
    Fetch: {"session": (OWN,)},
    share.ShareFetch: {"epoch": (share.NEXT,)},
    share.ShareAcknowledge: {"epoch": (share.NEXT,)},
    **{kind: {"member": _MEMBER_WORDS} for kind in (groups.JoinGroup, groups.SyncGroup, groups.Heartbeat, groups.LeaveGroup)},
    **{
        kind: {"member": _MEMBER_WORDS, "epoch": (groups.OWN,)}
        for kind in (groups.ConsumerGroupHeartbeat, groups.ShareGroupHeartbeat, groups.StreamsGroupHeartbeat)
    },
}
"""The words that may stand where a number may."""

STEPS = {"groups": groups.GroupStep, "share": share.ShareStep | Append | DeleteRecords, "fetch": LogStep, "max_records": LogStep}
"""The steps that go together, by the scenario's subject."""


class BoundsError(ValueError):
    """A scenario that can't be asked. The message names the field by its path, what was expected and what was found."""


def validate(scenario: Scenario) -> None:
    """Raise BoundsError where the steps or the configuration hold what can't be asked."""
    for problem in _problems(scenario):
        raise BoundsError(problem)


def _problems(scenario: Scenario) -> Iterator[str]:
    if not scenario.steps:
        yield "$.steps: expected at least one step, found none"
    partitions = len(scenario.layout.partitions)
    fitting = STEPS[scenario.subject]
    for number, step in enumerate(scenario.steps):
        where = f"$.steps[{number}]"
        if not isinstance(step, fitting):
            yield f"{where}.kind: expected steps of one subject, {scenario.subject} as others here, found {type(step).__name__}"
        if isinstance(step, groups.JoinGroup) and step.instance is not None and step.version < groups.INSTANCE_SINCE:
            yield f"{where}.instance: expected none before version {groups.INSTANCE_SINCE} of JoinGroup, found one in {step.version}"
        yield from _of_object(step, where, partitions)
    yield from _of_value(scenario.config, "$.config", None, (), partitions)


def _of_object(value: object, where: str, partitions: int) -> Iterator[str]:
    if isinstance(value, Batch):
        yield from _of_batch(value, where)
        return
    ranges, words = NUMBERS[type(value)], WORDS.get(type(value), {})
    for field in fields(value):  # type: ignore[arg-type]  # it is one of our dataclasses
        if field.metadata.get("spread"):
            for name, number in getattr(value, field.name):
                yield from _of_value(number, f"{where}.{name}", ranges[field.name], (), partitions)
            continue
        yield from _of_value(
            getattr(value, field.name), f"{where}.{field.name}", ranges.get(field.name), words.get(field.name, ()), partitions
        )


def _of_value(
    value: object, where: str, expected: Range | tuple[Range, ...] | None, words: tuple[str, ...], partitions: int
) -> Iterator[str]:
    if isinstance(value, tuple):
        for index, item in enumerate(value):
            inner = expected
            if isinstance(expected, tuple) and not isinstance(item, tuple):
                inner = expected[index]
            yield from _of_value(item, f"{where}[{index}]", inner, words, partitions)
    elif isinstance(value, str) and not isinstance(value, Enum):
        yield from _of_text(value, where, words)
    elif is_dataclass(value):
        yield from _of_object(value, where, partitions)
    elif isinstance(expected, Range) and isinstance(value, int):
        high = partitions - 1 if expected is IN_LAYOUT else expected.high
        if not expected.low <= value <= high:
            yield f"{where}: expected {Range(expected.low, high, expected.what)}, found {value}"


def _of_text(value: str, where: str, words: tuple[str, ...]) -> Iterator[str]:
    if words and value not in words:
        yield f"{where}: expected a number or {' or '.join(map(repr, words))}, found {value!r:.60}"
        return
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        yield f"{where}: expected text that UTF-8 has, found half of a surrogate pair"
        return
    if size > LONGEST_TEXT:
        yield f"{where}: expected text of at most {LONGEST_TEXT} bytes, found {size}"


def _of_batch(batch: Batch, where: str) -> Iterator[str]:
    """A batch to append is what a producer sends: without holes, of the current format, outside of transactions."""
    try:
        validate_batch(where, batch)
    except LayoutError as error:
        yield str(error)
    if batch.gap or batch.span or batch.txn is not None or batch.magic != CURRENT_MAGIC:
        yield f"{where}: expected a batch without gap, span, txn and magic, found {batch}"
