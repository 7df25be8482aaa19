"""What every ListOffsets request is answered with."""

from spec.clause import KIP, Chapter, Code, Doc, Held, breaks, fails, holds
from spec.fence import Fence, Unit, UnreachableSides
from spec.in_words import in_words
from spec.kafka import Error, error_name
from spec.layout import Layout
from spec.offsets.examples import EMPTY, ask, play_on
from spec.offsets.model import is_named_twice
from spec.offsets.outcomes import ListOffsetsAnswer
from spec.offsets.steps import EARLIEST, LARGEST, LATEST, SPECIALS, ListOffsets, Lookup
from spec.offsets.turn import Turn
from spec.scenario import Scenario
from spec.verdict import LimitClass, Side, Strength, side

chapter: Chapter[Turn] = Chapter()
requests = chapter.under(lambda turn: isinstance(turn.step, ListOffsets) and turn.lookup is None)


@requests.clause(
    "OFF-001",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide, ListOffsets"),
    slug="offsets/answer/given",
)
def a_request_is_answered(turn: Turn) -> Held | None:
    """A ListOffsets request of a version that the broker advertises is answered."""
    if isinstance(turn.outcome, ListOffsetsAnswer):
        return holds()
    return fails(f"expected an answer, found {turn.outcome}", "no answer")


@a_request_is_answered.example("the end of an empty partition")
def _empty() -> Scenario:
    return play_on(EMPTY, ask(LATEST))


@requests.clause(
    "OFF-007",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide, ListOffsets: the response's partitions"),
    slug="offsets/answer/entries",
)
def each_partition_has_one_entry(turn: Turn) -> Held | None:
    """The answer has exactly one entry for each partition that the request names once, whether or
    not it is there, and none for a partition that the request does not name.
    """
    if not isinstance(turn.outcome, ListOffsetsAnswer):
        return None
    named = [lookup.partition for lookup in turn.request.lookups]
    answered = [found.partition for found in turn.answer.found]
    if foreign := [one for one in answered if one not in named]:
        return fails(
            f"expected no entry for a partition that was not asked for, found {in_words(foreign)}",
            "not asked for",
        )
    for one in named:
        if named.count(one) == 1 and answered.count(one) != 1:
            return fails(
                f"partition {one}: expected one entry, found {answered.count(one)}",
                "missing" if one not in answered else "twice",
            )
    return holds()


@each_partition_has_one_entry.example("two partitions, one of which does not exist")
def _beside() -> Scenario:
    return play_on(EMPTY, ListOffsets((Lookup(0), Lookup(5))))


@requests.clause(
    "OFF-108",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("ReplicaManager.scala", "fetchOffset"),
    slug="offsets/answer/named-twice",
    fence=Fence(
        "how often a partition is named",
        Unit.VALUES,
        "once",
        never=UnreachableSides(Side.BELOW, "a partition that is not named has no entry (OFF-007)"),
    ),
)
def a_partition_named_twice_is_refused(turn: Turn) -> Held | None:
    """A partition that a request names more than once has one entry, with INVALID_REQUEST; its
    neighbours are answered. One that is named once has another error, or none.
    """
    if not isinstance(turn.outcome, ListOffsetsAnswer):
        return None
    sides = Side.NONE
    for one in dict.fromkeys([lookup.partition for lookup in turn.request.lookups]):
        codes = [found.error for found in turn.answer.found if found.partition == one]
        twice = is_named_twice(turn.request, one)
        where = Side.ABOVE if twice else Side.AT
        right = codes == [Error.INVALID_REQUEST] if twice else Error.INVALID_REQUEST not in codes
        if not right:
            names = [error_name(code) for code in codes]
            expected = "one entry with INVALID_REQUEST" if twice else "no INVALID_REQUEST"
            return breaks(
                where,
                f"partition {one}: expected {expected}, found {in_words(names)}",
                "named twice" if twice else "named once",
            )
        sides |= where
    return holds(sides) if sides else None


@a_partition_named_twice_is_refused.example("a partition named twice, beside one named once")
def _twice() -> Scenario:
    return Scenario(
        Layout((EMPTY, EMPTY)),
        (ListOffsets((Lookup(0, LATEST), Lookup(1, LATEST), Lookup(0, EARLIEST))),),
    )


lookups = chapter.under(lambda turn: turn.lookup is not None)


@lookups.clause(
    "OFF-008",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide, ListOffsets and error codes"),
    slug="offsets/answer/no-error",
)
def nothing_legal_is_refused(turn: Turn) -> Held | None:
    """A lookup has no error where its partition exists and is named once, its leader epoch is the
    partition's or none, and its timestamp is 0 or more, or special and known to the version:
    whatever is in the log, and whether or not a record is found.
    """
    if not turn.is_allowed:
        return None
    if turn.response_entry.error:
        return fails(f"expected no error, found {error_name(turn.response_entry.error)}", "error")
    return holds()


@nothing_legal_is_refused.example("the largest timestamp of an empty partition")
def _nothing_there() -> Scenario:
    return play_on(EMPTY, ask(LARGEST))


@lookups.clause(
    "OFF-006",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide, error code 3: the server does not host this topic-partition"),
    slug="offsets/answer/unknown-partition",
)
def a_partition_that_does_not_exist_has_no_offset(turn: Turn) -> Held | None:
    """A partition that the topic does not have is answered with an error.

    That an error names no offset is OFF-107.
    """
    if turn.exists:
        return None
    if turn.response_entry.error:
        return holds()
    return fails(
        f"expected an error, found none and offset {in_words(turn.response_entry.offset)}",
        "unknown partition",
    )


@a_partition_that_does_not_exist_has_no_offset.example("a partition past the last one")
def _unknown() -> Scenario:
    return play_on(EMPTY, ListOffsets((Lookup(3, EARLIEST),)))


@lookups.clause(
    "OFF-106",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("ReplicaManager.scala", "fetchOffset"),
    slug="offsets/answer/unknown-partition-code",
)
def its_code_is_unknown_topic_or_partition(turn: Turn) -> Held | None:
    """A partition that the topic does not have, named once and asked for what the version knows, is
    answered with UNKNOWN_TOPIC_OR_PARTITION.
    """
    if turn.exists or not turn.asked_well:
        return None
    if turn.response_entry.error == Error.UNKNOWN_TOPIC_OR_PARTITION:
        return holds()
    return fails(
        f"expected UNKNOWN_TOPIC_OR_PARTITION, found {error_name(turn.response_entry.error)}",
        "other code",
    )


@its_code_is_unknown_topic_or_partition.example("a partition past the last one")
def _unknown_code() -> Scenario:
    return play_on(EMPTY, ListOffsets((Lookup(3),)))


@lookups.clause(
    "OFF-109",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("ReplicaManager.scala", "isListOffsetsTimestampUnsupported"),
    KIP(734, "Proposed Changes"),
    KIP(1005),
    slug="offsets/answer/special-version",
    fence=Fence(
        "the request's version", Unit.VERSIONS, "the version that the special timestamp came with"
    ),
)
def a_special_timestamp_has_a_version(turn: Turn) -> Held | None:
    """A special timestamp is answered with UNSUPPORTED_VERSION in each version before the one that
    it came with (-1, -2: 1; -3: 7; -4: 8; -5: 9; -6: 11), and with no such error from then on, for
    a partition that exists and is named once.
    """
    if (
        not turn.asked_lookup.is_special
        or turn.asked_lookup.timestamp not in SPECIALS
        or not turn.exists
    ):
        return None
    if is_named_twice(turn.request, turn.asked_lookup.partition):
        return None
    since = SPECIALS[turn.asked_lookup.timestamp][1]
    where = side(turn.request.version, since)
    refused = turn.response_entry.error == Error.UNSUPPORTED_VERSION
    if refused == (where is Side.BELOW):
        return holds(where)
    return breaks(
        where,
        f"{turn.asked_lookup.timestamp} in version {turn.request.version}: expected "
        f"{'UNSUPPORTED_VERSION' if where is Side.BELOW else 'it to be known'}, found "
        f"{error_name(turn.response_entry.error)}",
        "too early" if where is Side.BELOW else "refused",
    )


@a_special_timestamp_has_a_version.example("the largest timestamp, one version too early")
def _too_early() -> Scenario:
    return play_on(EMPTY, ask(LARGEST, version=6))


@lookups.clause(
    "OFF-119",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("ReplicaManager.scala", "isListOffsetsTimestampUnsupported"),
    slug="offsets/answer/unknown-special",
    fence=Fence(
        "the timestamp",
        Unit.VALUES,
        "the special timestamps of any version (-6 to -1)",
        "below: less than all of them, at: one of them",
        UnreachableSides(Side.ABOVE, "from 0 on it is a time"),
    ),
)
def other_negative_timestamps_are_refused(turn: Turn) -> Held | None:
    """A negative timestamp that is special in no version is answered with UNSUPPORTED_VERSION, for
    a partition that exists and is named once.
    """
    if not turn.asked_lookup.is_special or not turn.exists:
        return None
    if is_named_twice(turn.request, turn.asked_lookup.partition):
        return None
    if turn.asked_lookup.timestamp in SPECIALS:
        return holds(Side.AT) if turn.asked_well and not turn.response_entry.error else None
    if turn.response_entry.error == Error.UNSUPPORTED_VERSION:
        return holds(Side.BELOW)
    return breaks(
        Side.BELOW,
        f"{turn.asked_lookup.timestamp}: expected UNSUPPORTED_VERSION, found "
        f"{error_name(turn.response_entry.error)}",
        "unknown special timestamp",
    )


@other_negative_timestamps_are_refused.example("one below the special ones")
def _below_all() -> Scenario:
    return play_on(EMPTY, ask(-7))


@lookups.clause(
    "OFF-107",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("ReplicaManager.scala", "buildErrorResponse"),
    slug="offsets/answer/error-without-offset",
)
def an_error_names_no_offset(turn: Turn) -> Held | None:
    """A ListOffsets answer's entry with an error has offset, timestamp and leader epoch -1."""
    if not turn.response_entry.error:
        return None
    named = (
        turn.response_entry.offset,
        turn.response_entry.timestamp,
        turn.response_entry.leader_epoch,
    )
    if named == (None, None, None):
        return holds()
    return fails(
        f"{error_name(turn.response_entry.error)}: expected -1 as offset, timestamp and leader "
        f"epoch, found {in_words(named)}",
        "offset with an error",
    )


@an_error_names_no_offset.example("a partition past the last one")
def _error_alone() -> Scenario:
    return play_on(EMPTY, ListOffsets((Lookup(3),)))
