"""The questions that the draft leaves open: what each asks, how each answer reads, and when the question arises at all."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, get_type_hints

from spec.clause import Reading
from spec.max_records.profile import (
    Compressed,
    Oversize,
    Profile,
    Scope,
    Stop,
)


@dataclass(frozen=True, slots=True)
class Axis:
    """One question.

    Attributes:
        name: its name in a profile, `stop`.
        id: of the ambiguity, `MXR-A2`.
        asks: the question.
        says: the words of the draft that leave it open, or what they leave out; in our own words.
        readings: the answers, in the order of the enum.
        when: when it arises, in words; empty where it always does.
        arises: the same, for a profile.
        needs: changes to the default profile under which it arises.
    """

    name: str
    id: str
    asks: str
    says: str
    readings: tuple[Reading, ...]
    when: str = ""
    arises: Callable[[Profile], bool] = lambda _: True
    needs: tuple[tuple[str, StrEnum], ...] = ()

    def on(self, reading: str, profile: Profile | None = None) -> Profile:
        """A profile in which the question arises and is answered so."""
        wanted: dict[str, Any] = {**dict(self.needs), self.name: kind_of(self.name)(reading)}
        return replace(profile or Profile(), **wanted)


def _readings(**statements: str) -> tuple[Reading, ...]:
    return tuple([Reading(name, statement) for name, statement in statements.items()])


def _stops_before(profile: Profile) -> bool:
    return profile.stop is Stop.BEFORE


def _returns_oversize(profile: Profile) -> bool:
    return profile.stop is Stop.BEFORE and profile.oversize is Oversize.RETURNED


_BEFORE: tuple[tuple[str, StrEnum], ...] = (("stop", Stop.BEFORE),)
_ONE: tuple[tuple[str, StrEnum], ...] = (("compressed", Compressed.ONE),)

AXES: tuple[Axis, ...] = (
    Axis(
        "scope",
        "MXR-A1",
        "What is the limit counted over?",
        "once for all partitions, or for each: the draft names both",
        _readings(
            request="All partitions of the request share one limit.",
            partition="Each partition has the limit for itself.",
            both="The request has the limit, and each partition has it too.",
        ),
    ),
    Axis(
        "stop",
        "MXR-A2",
        "Does the batch that crosses the limit belong to the answer?",
        "the assembly stops once the count is reached, yet no more than so many are asked for",
        _readings(
            after="Batches are added until the count is reached; the last may pass it.",
            before="A batch is added only where it keeps within the limit.",
        ),
    ),
    Axis(
        "oversize",
        "MXR-A3",
        "What becomes of a first batch that alone is over the limit?",
        "nothing is said of progress, which KIP-74 promises for byte limits",
        _readings(
            returned="It is returned, or the consumer would never move on.",
            refused="It is left out, and the answer stays empty.",
        ),
        "the assembly stops before the batch that crosses (stop=before)",
        _stops_before,
        _BEFORE,
    ),
    Axis(
        "progress",
        "MXR-A4",
        "How many first batches may pass the limit?",
        "nothing is said",
        _readings(
            request="One in an answer, as with byte limits.",
            partition="One in each partition.",
        ),
        "each partition has a limit, and an oversize first batch is returned (scope=partition, stop=before, oversize=returned)",
        lambda profile: _returns_oversize(profile) and profile.scope is Scope.PARTITION,
        (*_BEFORE, ("scope", Scope.PARTITION)),
    ),
    Axis(
        "empty",
        "MXR-A13",
        "Does a batch without records use up the right to a whole first batch?",
        "nothing is said; compaction leaves such batches",
        _readings(
            uses="It does: it was the first batch.",
            keeps="It does not: the first batch is the first that counts.",
        ),
        "an oversize first batch is returned (stop=before, oversize=returned)",
        _returns_oversize,
        _BEFORE,
    ),
    Axis(
        "compressed",
        "MXR-A5",
        "What does a compressed batch count?",
        "one message, unless decompression is trivial; but a v2 header tells the count without it",
        _readings(
            one="One, however many records are in it.",
            header="The record count of its header.",
            deep="The records found by decompressing it.",
        ),
    ),
    Axis(
        "trivial",
        "MXR-A7",
        "Of which codecs is a batch counted record by record?",
        "where decompression is trivial, as for uncompressed or simple formats",
        _readings(
            none="Of uncompressed batches only.",
            fast="Of uncompressed, lz4 and snappy batches.",
        ),
        "a compressed batch counts one (compressed=one)",
        lambda profile: profile.compressed is Compressed.ONE,
        _ONE,
    ),
    Axis(
        "mixed",
        "MXR-A6",
        "How do batches that count one and batches that count records go together?",
        "nothing is said",
        _readings(
            sum="Both are added up.",
            separate="The limit holds for each kind by itself; the assembly stops when either is reached.",
            first="The first batch decides how all are counted.",
        ),
        "a compressed batch counts one (compressed=one)",
        lambda profile: profile.compressed is Compressed.ONE,
        _ONE,
    ),
    Axis(
        "start",
        "MXR-A9",
        "What counts of a first batch that begins before the fetch offset?",
        "messages are returned whole in batches, and the consumer drops those before its position",
        _readings(
            whole="All of its records: they are sent.",
            usable="Only records from the fetch offset on: they are what the consumer keeps.",
        ),
    ),
    Axis(
        "control",
        "MXR-A10",
        "What does the marker of a transaction count?",
        "nothing is said",
        _readings(counted="One, as any record.", free="Nothing: no consumer sees it."),
    ),
    Axis(
        "aborted",
        "MXR-A11",
        "What does an aborted batch count to a read_committed fetch?",
        "nothing is said",
        _readings(
            counted="What any batch counts.",
            free="Nothing: the consumer drops it.",
        ),
    ),
    Axis(
        "gaps",
        "MXR-A12",
        "What does a batch count that compaction has thinned?",
        "nothing is said; the header tells both the count and the offsets",
        _readings(
            records="The records that are left in it.",
            offsets="The offsets that it covers.",
        ),
    ),
    Axis(
        "tail",
        "MXR-A14",
        "What becomes of the batch that a byte limit falls into?",
        "byte limit or count, whichever is reached: today the bytes are cut within a batch",
        _readings(
            counted="Its first bytes are sent, and it counts.",
            free="Its first bytes are sent, and it counts nothing: the consumer can't use it.",
            left_out="It is left out, since the walk goes from batch to batch (MXR-A23).",
        ),
    ),
    Axis(
        "exact",
        "MXR-A8",
        "Is a later, uncompressed batch that crosses the limit cut?",
        "greater precision is promised without compression",
        _readings(
            aligned="It is not: answers end with a whole batch.",
            cut="It is cut after the record that fills the limit; the first batch of a partition stays whole (KIP-74).",
        ),
    ),
    Axis(
        "zero",
        "MXR-A19",
        "What does a limit of 0 mean?",
        "the limit holds where it is greater than 0",
        _readings(
            unlimited="No limit.",
            no_data="No records at all.",
            invalid="The request is refused with INVALID_REQUEST.",
        ),
    ),
    Axis(
        "negative",
        "MXR-A20",
        "What does a limit below 0 mean?",
        "nothing is said",
        _readings(
            unlimited="No limit.",
            invalid="The request is refused with INVALID_REQUEST.",
            failed="A partition with data fails with UNKNOWN_SERVER_ERROR, as today for a negative byte limit (FET-010).",
        ),
    ),
    Axis(
        "min_bytes",
        "MXR-A15",
        "Does reaching the limit end the wait for min_bytes?",
        "nothing is said",
        _readings(
            answered="It does, at once or when the record comes that fills it (MXR-A16).",
            waits="It does not: only bytes count, so that it may take max_wait.",
        ),
    ),
    Axis(
        "session",
        "MXR-A17",
        "Does a fetch session remember the limit?",
        "nothing is said",
        _readings(
            request="It does not: each request has its own, as max_bytes.",
            cached="It does: a request without one has the last, as a partition's limit.",
        ),
    ),
    Axis(
        "encoding",
        "MXR-A22",
        "How does the field stand in the request?",
        "optional, ignored by brokers that don't know it, and like ShareFetch's, which is plain",
        _readings(
            tagged="A tagged field of Fetch v19: a client sees by the version whether it is known.",
            plain="A plain int32 of Fetch v19, as in ShareFetch.",
            unversioned="A tagged field from v12 on, without a new version: ignored where it is not known, and nobody sees it.",
        ),
    ),
)
"""Every question that is executable here."""

ELSEWHERE: Mapping[str, str] = {
    "MXR-A16": "one question with MXR-A15: min_bytes",
    "MXR-A18": "a partition that gets nothing is left out of an incremental answer unless its offsets changed (KIP-227), in each reading",
    "MXR-A21": "absent is no limit in each reading (MXR-103); a plain field's default is what means none: 0, -1 or 2147483647",
    "MXR-A23": "stopping batch by batch is tail=left_out, checking the count after the byte slice the other two",
    "MXR-A24": "a limit only ever takes away: a read that crossed a segment to fill it would break MXR-101",
    "MXR-A25": "followers: one broker has none",
    "MXR-A26": "quotas: no layout can show one",
    "MXR-A27": "tiered reads: no layout has a remote part",
    "MXR-A28": "compressed messages of formats 0 and 1: no layout has them",
    "MXR-A29": "names: the field is MaxRecords and the config fetch.max.message.count here; neither changes what poll returns",
    "MXR-A30": "partitions are served in the order of FET-006 in each reading",
}
"""The other ambiguities: where they went, or why they can't be seen."""

_BY_NAME: Mapping[str, Axis] = {axis.name: axis for axis in AXES}
_KINDS: Mapping[str, Any] = get_type_hints(Profile)


class BadProfileError(ValueError):
    """A profile that names no question, or no answer to it."""


def kind_of(name: str) -> type[StrEnum]:
    """The enum of a question."""
    kind: type[StrEnum] = _KINDS[name]
    return kind


def axis_of(name: str) -> Axis:
    """The question of that name. Raises KeyError."""
    return _BY_NAME[name]


def normal(profile: Profile) -> Profile:
    """The profile with each question that does not arise answered by default: two with the same one can't differ."""
    default = Profile()
    idle = {axis.name: getattr(default, axis.name) for axis in AXES if not axis.arises(profile)}
    return replace(profile, **idle)


def with_reading(profile: Profile, name: str, reading: StrEnum) -> Profile:
    """The profile with one question answered otherwise."""
    change: dict[str, Any] = {name: reading}
    return replace(profile, **change)


def parse(text: str) -> Profile:
    """The profile that `stop=before,scope=partition` names; what is not named is as by default. `default` is the default.

    Raises:
        BadProfileError: no such question, or no such answer; the message names those that there are.
    """
    found: dict[str, Any] = {}
    for part in [part.strip() for part in text.split(",") if part.strip() and part.strip() != "default"]:
        name, equals, value = part.partition("=")
        if name not in _BY_NAME or not equals:
            raise BadProfileError(f"expected QUESTION=ANSWER with one of {', '.join(_BY_NAME)}, found {part!r}; see `fencepost readings`")
        try:
            found[name] = kind_of(name)(value)
        except ValueError:
            answers = ", ".join(kind_of(name))
            raise BadProfileError(f"expected one of {answers} for {name}, found {value!r}; see `fencepost readings`") from None
    return Profile(**found)
