"""The questions that the draft leaves open: what each asks, how each answer reads, and when the
question arises at all.
"""

from enum import StrEnum

from drafts.max_records.change import draft_change
from drafts.max_records.profile import Compressed, Oversize, Profile, Scope, Stop
from spec.clause import Reading
from spec.readings import Axis, Questions


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
        name="scope",
        id="MXR-A1",
        asks="What is the limit counted over?",
        says="once for all partitions, or for each: the draft names both",
        readings=_readings(
            request="All partitions of the request share one limit.",
            partition="Each partition has the limit for itself.",
            both="The request has the limit, and each partition has it too.",
        ),
    ),
    Axis(
        name="stop",
        id="MXR-A2",
        asks="Does the batch that crosses the limit belong to the answer?",
        says="the assembly stops once the count is reached, yet no more than so many are asked for",
        readings=_readings(
            after="Batches are added until the count is reached; the last may pass it.",
            before="A batch is added only where it keeps within the limit.",
        ),
    ),
    Axis(
        name="oversize",
        id="MXR-A3",
        asks="What becomes of a first batch that alone is over the limit?",
        says="nothing is said of progress, which KIP-74 promises for byte limits",
        readings=_readings(
            returned="It is returned, or the consumer would never move on.",
            refused="It is left out, and the answer stays empty.",
        ),
        when="the assembly stops before the batch that crosses (stop=before)",
        arises=_stops_before,
        needs=_BEFORE,
    ),
    Axis(
        name="progress",
        id="MXR-A4",
        asks="How many first batches may pass the limit?",
        says="nothing is said",
        readings=_readings(
            request="One in an answer, as with byte limits.",
            partition="One in each partition.",
        ),
        when=(
            "each partition has a limit, and an oversize first batch is returned (scope=partition, "
            "stop=before, oversize=returned)"
        ),
        arises=lambda profile: _returns_oversize(profile) and profile.scope is Scope.PARTITION,
        needs=(*_BEFORE, ("scope", Scope.PARTITION)),
    ),
    Axis(
        name="empty",
        id="MXR-A13",
        asks="Does a batch without records use up the right to a whole first batch?",
        says="nothing is said; compaction leaves such batches",
        readings=_readings(
            uses="It does: it was the first batch.",
            keeps="It does not: the first batch is the first that counts.",
        ),
        when="an oversize first batch is returned (stop=before, oversize=returned)",
        arises=_returns_oversize,
        needs=_BEFORE,
    ),
    Axis(
        name="compressed",
        id="MXR-A5",
        asks="What does a compressed batch count?",
        says=(
            "one message, unless decompression is trivial; but a v2 header has the count without it"
        ),
        readings=_readings(
            one="One, however many records are in it.",
            header="The record count of its header.",
            deep="The records found by decompressing it.",
        ),
    ),
    Axis(
        name="trivial",
        id="MXR-A7",
        asks="Of which codecs is a batch counted record by record?",
        says="where decompression is trivial, as for uncompressed or simple formats",
        readings=_readings(
            none="Of uncompressed batches only.",
            fast="Of uncompressed, lz4 and snappy batches.",
        ),
        when="a compressed batch counts one (compressed=one)",
        arises=lambda profile: profile.compressed is Compressed.ONE,
        needs=_ONE,
    ),
    Axis(
        name="mixed",
        id="MXR-A6",
        asks="How do batches that count one and batches that count records go together?",
        says="nothing is said",
        readings=_readings(
            sum="Both are added up.",
            separate=(
                "The limit holds for each kind by itself; the assembly stops when either is "
                "reached."
            ),
            first="The first batch decides how all are counted.",
        ),
        when="a compressed batch counts one (compressed=one)",
        arises=lambda profile: profile.compressed is Compressed.ONE,
        needs=_ONE,
    ),
    Axis(
        name="start",
        id="MXR-A9",
        asks="What counts of a first batch that begins before the fetch offset?",
        says=(
            "messages are returned whole in batches, and the consumer drops those before its "
            "position"
        ),
        readings=_readings(
            whole="All of its records: they are sent.",
            usable="Only records from the fetch offset on: they are what the consumer keeps.",
        ),
    ),
    Axis(
        name="control",
        id="MXR-A10",
        asks="What does the marker of a transaction count?",
        says="nothing is said",
        readings=_readings(counted="One, as any record.", free="Nothing: no consumer sees it."),
    ),
    Axis(
        name="aborted",
        id="MXR-A11",
        asks="What does an aborted batch count to a read_committed fetch?",
        says="nothing is said",
        readings=_readings(
            counted="What any batch counts.",
            free="Nothing: the consumer drops it.",
        ),
    ),
    Axis(
        name="gaps",
        id="MXR-A12",
        asks="What does a batch count that compaction has thinned?",
        says="nothing is said; the header has both the count and the offsets",
        readings=_readings(
            records="The records that are left in it.",
            offsets="The offsets that it covers.",
        ),
    ),
    Axis(
        name="tail",
        id="MXR-A14",
        asks="What becomes of the batch that a byte limit falls into?",
        says="byte limit or count, whichever is reached: today the bytes are cut within a batch",
        readings=_readings(
            counted="Its first bytes are sent, and it counts.",
            free="Its first bytes are sent, and it counts nothing: the consumer can't use it.",
            left_out="It is left out, since the walk goes from batch to batch (MXR-A23).",
        ),
    ),
    Axis(
        name="exact",
        id="MXR-A8",
        asks="Is a later, uncompressed batch that crosses the limit cut?",
        says="greater precision is promised without compression",
        readings=_readings(
            aligned="It is not: answers end with a whole batch.",
            cut=(
                "It is cut after the record that fills the limit; the first batch of a partition "
                "stays whole (KIP-74)."
            ),
        ),
    ),
    Axis(
        name="zero",
        id="MXR-A19",
        asks="What does a limit of 0 mean?",
        says="the limit holds where it is greater than 0",
        readings=_readings(
            unlimited="No limit.",
            no_data="No records at all.",
            invalid="The request is refused with INVALID_REQUEST.",
        ),
    ),
    Axis(
        name="negative",
        id="MXR-A20",
        asks="What does a limit below 0 mean?",
        says="nothing is said",
        readings=_readings(
            unlimited="No limit.",
            invalid="The request is refused with INVALID_REQUEST.",
            failed=(
                "A partition with data fails with UNKNOWN_SERVER_ERROR, as today for a negative "
                "byte limit (FET-010)."
            ),
        ),
    ),
    Axis(
        name="min_bytes",
        id="MXR-A15",
        asks="Does reaching the limit end the wait for min_bytes?",
        says="nothing is said",
        readings=_readings(
            answered="It does, at once or when the record comes that fills it (MXR-A16).",
            waits="It does not: only bytes count, so that it may take max_wait.",
        ),
    ),
    Axis(
        name="session",
        id="MXR-A17",
        asks="Does a fetch session remember the limit?",
        says="nothing is said",
        readings=_readings(
            request="It does not: each request has its own, as max_bytes.",
            cached="It does: a request without one has the last, as a partition's limit.",
        ),
    ),
    Axis(
        name="encoding",
        id="MXR-A22",
        asks="How does the field stand in the request?",
        says=(
            "optional, ignored by brokers that don't know it, and like ShareFetch's, which is plain"
        ),
        readings=_readings(
            tagged="A tagged field of Fetch v19: a client sees by the version whether it is known.",
            plain="A plain int32 of Fetch v19, as in ShareFetch.",
            unversioned=(
                "A tagged field from v12 on, without a new version: ignored where it is not known, "
                "and nobody sees it."
            ),
        ),
    ),
)
"""Every question that is executable here."""

ELSEWHERE = {
    "MXR-A16": "one question with MXR-A15: min_bytes",
    "MXR-A18": (
        "a partition that gets nothing is left out of an incremental answer unless its offsets "
        "changed (KIP-227), in each reading"
    ),
    "MXR-A21": (
        "absent is no limit in each reading (MXR-103); a plain field's default is what means none: "
        "0, -1 or 2147483647"
    ),
    "MXR-A23": (
        "stopping batch by batch is tail=left_out, checking the count after the byte slice the "
        "other two"
    ),
    "MXR-A24": (
        "a limit only ever takes away: a read that crossed a segment to fill it would break MXR-101"
    ),
    "MXR-A25": "followers: one broker has none",
    "MXR-A26": "quotas: no layout can show one",
    "MXR-A27": "tiered reads: no layout has a remote part",
    "MXR-A28": "compressed messages of formats 0 and 1: no layout has them",
    "MXR-A29": (
        "names: the field is MaxRecords and the config fetch.max.message.count here; neither "
        "changes what poll returns"
    ),
    "MXR-A30": "partitions are served in the order of FET-006 in each reading",
}
"""The other ambiguities: where they went, or why they can't be seen."""

QUESTIONS: Questions[Profile] = Questions(Profile, AXES, draft_change, ELSEWHERE)


def parse(text: str) -> Profile:
    """The profile that `stop=before,scope=partition` names. Raises BadProfileError."""
    return QUESTIONS.parse(text)
