"""What is wrong with a request as such: acquire modes, unknown partitions, member and group ids,
renewing.
"""

from spec.clause import KIP, Chapter, Code, Held, Reading, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.kafka import Error, error_name
from spec.scenario import Scenario
from spec.share.answered import answered_with_error
from spec.share.clauses.sessions import APIS, expect_refusal, unknown_topic
from spec.share.examples import FIVES, confirm, fetch, history
from spec.share.model.session import Mode
from spec.share.steps import (
    ACQUIRE_MODE_SINCE,
    ACQUIRE_MODES,
    ShareFetch,
    SharePartition,
    acquire_mode,
)
from spec.share.turn import Turn
from spec.verdict import ABOVE, AT, BELOW, NO_SIDE, LimitClass, Strength, side

chapter: Chapter[Turn] = Chapter()


@chapter.clause(
    "SHR-012",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("ShareAcquireMode.java", "58"),
    Code("KafkaApis.scala", "3468"),
    slug="share/request/acquire-mode",
    fence=Fence("the acquire mode", Unit.VALUES, "1, record_limit, the last that there is"),
    since="4.2",
    readings=(
        Reading("unknown_server_error", "An unknown mode is an error of the broker."),
        Reading(
            "invalid_request",
            "It is INVALID_REQUEST.",
            answered=answered_with_error(Error.INVALID_REQUEST),
        ),
        Reading("fall_back", "It is taken as batch_optimized."),
    ),
    aliases=("DIV-16",),
)
def an_unknown_acquire_mode_is_an_unknown_server_error(turn: Turn) -> Held | None:
    """A ShareFetch of version 2 or above with a ShareAcquireMode other than 0 and 1 is answered
    with the top-level error UNKNOWN_SERVER_ERROR, if its session has a partition that exists and
    its ShareSessionEpoch is 0 or the one that the session expects next.

    KIP-1206 names no error. The modes 0 and 1 are taken (SHR-001, SHR-003). What else is wrong with
    a request goes before its mode (SHR-004, SHR-005, SHR-017, SHR-018, SHR-405), and so does a
    session that the broker has no room for: SHARE_SESSION_LIMIT_REACHED conforms (SHR-015).
    """
    if (
        turn.fetch is None
        or turn.answer is None
        or turn.fetch.version < ACQUIRE_MODE_SINCE
        or not turn.known_version
    ):
        return None
    if turn.admission.mode in {Mode.REFUSED, Mode.FINAL} or turn.admission.rule == "SHR-013":
        return None
    where = side(turn.fetch.mode, max(ACQUIRE_MODES.values()))
    if turn.fetch.mode in ACQUIRE_MODES.values():
        return holds(where)
    if turn.admission.rule != "SHR-012" or turn.answer.error == Error.SHARE_SESSION_LIMIT_REACHED:
        return None
    if turn.answer.error != Error.UNKNOWN_SERVER_ERROR:
        return breaks(
            where,
            f"mode {turn.fetch.mode}: expected UNKNOWN_SERVER_ERROR, found "
            f"{error_name(turn.answer.error)}",
            "unknown mode",
        )
    return holds(where)


@an_unknown_acquire_mode_is_an_unknown_server_error.fits
def unknown_mode_fits(turn: Turn) -> dict[str, bool]:
    """For each reading of SHR-012, whether the turn fits it; empty where no unknown mode was asked
    for.
    """
    if turn.admission.rule != "SHR-012" or turn.answer is None:
        return {}
    found = turn.answer.error
    if found == Error.SHARE_SESSION_LIMIT_REACHED:
        return {}
    names = {
        "unknown_server_error": Error.UNKNOWN_SERVER_ERROR,
        "invalid_request": Error.INVALID_REQUEST,
        "fall_back": Error.NONE,
    }
    return {name: found == error for name, error in names.items()}


@an_unknown_acquire_mode_is_an_unknown_server_error.example("acquire mode 2")
def _mode() -> Scenario:
    assert acquire_mode("RECORD_LIMIT") == max(ACQUIRE_MODES.values())
    return history((FIVES,), ShareFetch((SharePartition(0),), mode=2, version=2))


@chapter.clause(
    "SHR-013",
    Strength.MUST,
    LimitClass.HARD,
    KIP(932, "ShareFetch API, error codes"),
    KIP(516),
    APIS,
    slug="share/request/unknown-partition",
    fence=Fence(
        "the partition's number",
        Unit.PARTITIONS,
        "the number of partitions of its topic",
        meaning="at is the first that the topic does not have, above an unknown topic id",
    ),
    aliases=("DIV-05",),
)
def unknown_partitions_fail_alone(turn: Turn) -> Held | None:
    """In an answer without a top-level error to a ShareFetch that may acquire records (its epoch is
    not -1), a partition that is listed though its topic does not have it has the error
    UNKNOWN_TOPIC_OR_PARTITION, and one of a topic id that does not exist UNKNOWN_TOPIC_ID. An
    unknown topic id in the session does not make the top-level error UNKNOWN_SERVER_ERROR, so that
    the other partitions are served.

    A partition that the answer leaves out conforms. A request with an unknown acquire mode is a
    matter of SHR-012.
    """
    if (
        turn.fetch is None
        or turn.fetch_answer is None
        or turn.admission.mode in {Mode.REFUSED, Mode.FINAL}
        or turn.admission.rule == "SHR-012"
    ):
        return None
    if turn.fetch_answer.error == Error.UNKNOWN_SERVER_ERROR and unknown_topic(turn):
        return breaks(
            ABOVE,
            "expected UNKNOWN_TOPIC_ID for its partition, found UNKNOWN_SERVER_ERROR for the "
            "request",
            "whole request",
        )
    where = NO_SIDE
    for served in turn.served:
        if not served.fault:
            where |= BELOW
            continue
        where |= AT if served.fault == Error.UNKNOWN_TOPIC_OR_PARTITION else ABOVE
        if (
            turn.fetch_answer.error == 0
            and served.got is not None
            and served.got.error != served.fault
        ):
            why = (
                f"unknown partition: expected {error_name(served.fault)}, found "
                f"{error_name(served.got.error)}"
            )
            return breaks(where, why, "error code")
    return holds(where) if where else None


@unknown_partitions_fail_alone.example("a partition that its topic does not have")
def _unknown() -> Scenario:
    return history((FIVES,), fetch(0, 1, max_records=1))


@chapter.clause(
    "SHR-017",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("KafkaApis.scala", "4245"),
    slug="share/request/member-id",
    fence=Fence("the length of the member id", Unit.CHARACTERS, "36"),
)
def member_ids_are_checked(turn: Turn) -> Held | None:
    """From 4.2 on, a MemberId that is null, empty or longer than 36 characters is answered with the
    top-level error INVALID_REQUEST. Before, one that is not a Kafka Uuid in base64 (null and empty
    are none) is answered with UNKNOWN_SERVER_ERROR.

    No document bounds its length. A null GroupId goes before it (SHR-018).
    """
    member = turn.request.member if turn.request is not None else None
    return expect_refusal(turn, side(len(member or ""), 36), "SHR-017")


@member_ids_are_checked.example("a member id of 37 characters")
def _member() -> Scenario:
    return history((FIVES,), ShareFetch((SharePartition(0),), member="m" * 37, version=2))


@chapter.clause(
    "SHR-018",
    Strength.REFERENCE,
    LimitClass.HARD,
    APIS,
    slug="share/request/group-id",
)
def a_group_id_is_needed(turn: Turn) -> Held | None:
    """A share request with the GroupId null is answered with a top-level error, whichever it is.

    The message definitions allow null, and no document says what it means.
    """
    if (
        turn.request is None
        or turn.request.group is not None
        or turn.answer is None
        or not turn.known_version
    ):
        return None
    return (
        holds()
        if turn.answer.error
        else fails("group id null: expected an error, found none", "not refused")
    )


@a_group_id_is_needed.example("no group id")
def _group() -> Scenario:
    return history((FIVES,), ShareFetch((SharePartition(0),), group=None, version=2))


@chapter.clause(
    "SHR-405",
    Strength.MUST,
    LimitClass.HARD,
    KIP(1222),
    Code("KafkaApis.scala", "3218-3245"),
    slug="share/renew/asks-for-nothing",
    since="4.2",
)
def a_fetch_that_renews_asks_for_nothing(turn: Turn) -> Held | None:
    """A ShareFetch of version 2 or above whose IsRenewAck is true and whose MaxRecords, MaxBytes,
    MinBytes or MaxWaitMs is other than 0 is answered with the top-level error INVALID_REQUEST.
    """
    return None if turn.fetch is None else expect_refusal(turn, NO_SIDE, "SHR-405")


@a_fetch_that_renews_asks_for_nothing.example("renewing with MaxRecords 1")
def _renewing() -> Scenario:
    renewing = ShareFetch(
        confirm(0, 4, 4).partitions, renew=True, max_records=1, max_bytes=0, min_bytes=0, version=2
    )
    return history((FIVES,), fetch(0, max_records=1), renewing)
