"""Fetch sessions as a client sees them (KIP-227): epochs, what an incremental answer holds,
forgetting.
"""

from spec.clause import KIP, Chapter, Code, Held, Report, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.fetch.examples import ask_of, batches, from_start, full, incremental
from spec.fetch.model.session import FIRST_SHARD_ID, LAST_SHARD_ID, Cached, Mode, Session
from spec.fetch.steps import OWN, Fetch, FetchPartition
from spec.fetch.turn import WITH_SESSION, Served, Turn
from spec.kafka import (
    FULL_EPOCH,
    SESSIONLESS_EPOCH,
    SESSIONS_SINCE,
    TOPIC_IDS_SINCE,
    Error,
    error_name,
)
from spec.layout import Batch
from spec.scenario import Scenario
from spec.steps import Append
from spec.verdict import ABOVE, AT, BELOW, LimitClass, Strength, side

chapter: Chapter[Turn] = Chapter()

MANAGER = Code("FetchManager.java", "58-119")
NOT_FOUND = Error.FETCH_SESSION_ID_NOT_FOUND
SESSIONS_GIVEN = {
    Mode.SESSIONLESS: {0},
    Mode.FULL: {0, 1, 2},
    Mode.EMPTIED: {0},
    Mode.INCREMENTAL: {1},
}
"""The session ids that an answer may have, by the kind of request: see `FetchAnswer.session`."""


def _in_session(turn: Turn) -> bool:
    return (
        turn.is_answered
        and turn.fetch.version >= SESSIONS_SINCE
        and turn.known_version
        and turn.fetch.isolation in {0, 1}
    )


def continues_session(turn: Turn) -> bool:
    """Whether the request continues a session, or should."""
    return turn.fetch.epoch not in {SESSIONLESS_EPOCH, FULL_EPOCH}


later = chapter.under(continues_session, WITH_SESSION)


@chapter.clause(
    "FET-030",
    Strength.MUST,
    LimitClass.HARD,
    KIP(227),
    MANAGER,
    Code("FetchMetadata.java", "31-92"),
    slug="fetch/session/request-kind",
    fence=Fence(
        "the session epoch",
        Unit.EPOCHS,
        "0, a full fetch",
        meaning="below is a fetch without a session, above an incremental one",
    ),
    since="1.1",
)
def the_epoch_says_what_a_request_is(turn: Turn) -> Held | None:
    """Which session id a request (v7+) that is not refused is answered with depends on its session
    epoch. Epoch -1: 0. Epoch 0, a full fetch: 0 for no session, or an id above 0. Any other epoch:
    the id of the session that the request names, or 0 where it takes the last partition from that
    session (FET-135).
    """
    if not _in_session(turn) or turn.answer.error or turn.is_refused:
        return None
    where, given = side(turn.fetch.epoch, FULL_EPOCH), turn.answer.session
    allowed = SESSIONS_GIVEN[turn.admission.mode]
    if given not in allowed:
        names = {0: "none", 1: "the session asked with", 2: "a new one", -1: "a strange one"}
        why = (
            f"{turn.admission.mode} request: expected "
            f"{' or '.join(names[kind] for kind in sorted(allowed))}"
        )
        return breaks(where, f"{why} as session, found {names[given]}", "session id")
    return holds(where)


@the_epoch_says_what_a_request_is.example("session epochs -1, 0 and 1")
def _three_kinds() -> Scenario:
    return ask_of((batches(100),), Fetch(from_start(0)), full(*from_start(0)), incremental(1))


@chapter.clause(
    "FET-130",
    Strength.BEST_EFFORT,
    LimitClass.SOFT,
    KIP(227),
    Code("FetchSessionCacheShard.java", "166-234"),
    slug="fetch/session/given",
    since="1.1",
)
def a_full_fetch_gets_a_session(turn: Turn) -> Held | None:
    """A full fetch (session epoch 0) that names a partition is answered with a session id above 0,
    as long as a slot is free of `max.incremental.fetch.session.cache.slots`.

    None is promised, so that an answer without a session conforms.
    """
    if turn.fetch.epoch != FULL_EPOCH or not _in_session(turn) or turn.answer.error:
        return None
    if turn.answer.session <= 0 and turn.admission.asks:
        return fails("expected a session id, found 0: no slot was free", "no slot")
    return holds()


@a_full_fetch_gets_a_session.example("a full fetch of one partition")
def _full() -> Scenario:
    return ask_of((batches(100),), full(*from_start(0)))


@later.clause(
    "FET-032",
    Strength.MUST,
    LimitClass.HARD,
    KIP(227),
    MANAGER,
    slug="fetch/session/epoch",
    fence=Fence("the session epoch", Unit.EPOCHS, "the one that the session expects"),
    since="1.1",
)
def epochs_count_up_by_one(turn: Turn) -> Held | None:
    """The session epoch after a full fetch is 1, and each request that the session takes raises it
    by one, when it arrives and not when it is answered. A request with that epoch has no top-level
    error but FETCH_SESSION_TOPIC_ID_ERROR (FET-035); one with another epoch is answered with
    INVALID_FETCH_SESSION_EPOCH.

    Nothing is said of a request that still waits when the session takes the next. Whether the
    session is there at all is FET-138. After 2147483647 comes 1 (FET-132).
    """
    before, expected = turn.admission.before, turn.admission.error
    if not _in_session(turn) or turn.admission.overtaken or before is None:
        return None
    found = turn.answer.error
    if expected == Error.FETCH_SESSION_TOPIC_ID_ERROR or found == NOT_FOUND:
        return None
    where = side(turn.fetch.epoch, before.epoch)
    if found == expected:
        return holds(where)
    why = f"epoch {turn.fetch.epoch}: expected {error_name(expected)}, found {error_name(found)}"
    return breaks(where, why, "session error")


@epochs_count_up_by_one.example("an epoch one too high; the session outlives it")
def _epochs() -> Scenario:
    return ask_of((batches(100),), full(*from_start(0)), incremental(2), incremental(1))


@later.clause(
    "FET-137",
    Strength.MUST,
    LimitClass.HARD,
    KIP(227),
    MANAGER,
    slug="fetch/session/unknown-id",
    since="1.1",
)
def an_unknown_session_is_not_found(turn: Turn) -> Held | None:
    """A request that names no session of the broker, or one that was closed, is answered with
    FETCH_SESSION_ID_NOT_FOUND, whatever its epoch.

    Of the ids that none of Apache Kafka's shards can hold FET-036 speaks.
    """
    if not _in_session(turn) or turn.admission.error != NOT_FOUND:
        return None
    if turn.answer.error == NOT_FOUND:
        return holds()
    found = error_name(turn.answer.error)
    why = f"epoch {turn.fetch.epoch}: expected {error_name(NOT_FOUND)}, found {found}"
    return fails(why, "session error")


@an_unknown_session_is_not_found.example("an epoch of 1 before there is a session")
def _no_session() -> Scenario:
    return ask_of((batches(100),), incremental(1))


@an_unknown_session_is_not_found.example("a session that a fetch without one has closed")
def _closed_session() -> Scenario:
    closing = Fetch(from_start(0), session=OWN)
    return ask_of((batches(100),), full(*from_start(0)), closing, incremental(1))


@later.clause(
    "FET-138",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    MANAGER,
    slug="fetch/session/kept",
    since="1.1",
)
def a_session_is_kept_until_it_is_closed(turn: Turn) -> Held | None:
    """A request that names the session which the broker gave last is not answered with
    FETCH_SESSION_ID_NOT_FOUND, as long as no request closed that session. A request with a wrong
    epoch does not close it.

    A broker may need the slot for another session (FET-037). What comes after that error is judged
    as without a session.
    """
    if not _in_session(turn) or turn.admission.before is None:
        return None
    if turn.answer.error == NOT_FOUND:
        return fails("expected the session to be there still, found it gone", "gone")
    return holds()


@a_session_is_kept_until_it_is_closed.example("a wrong epoch, and then the right one")
def _wrong_then_right() -> Scenario:
    return ask_of((batches(100),), full(*from_start(0)), incremental(7), incremental(1))


@later.clause(
    "FET-136",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("FetchContext.java", "SessionErrorContext"),
    slug="fetch/session/refused-empty",
    since="1.1",
)
def a_refusal_has_no_content(turn: Turn) -> Held | None:
    """An answer with INVALID_FETCH_SESSION_EPOCH to a request with a wrong epoch (FET-032), or with
    FETCH_SESSION_ID_NOT_FOUND to one without a session (FET-137), has session id 0 and no
    partitions.

    By KIP-227 a client takes the error of the whole request for that of each partition.
    """
    expected = turn.admission.error
    if not _in_session(turn) or expected not in {NOT_FOUND, Error.INVALID_FETCH_SESSION_EPOCH}:
        return None
    if turn.answer.error != expected:
        return None
    if not turn.answer.session and not turn.answer.partitions:
        return holds()
    found = f"{len(turn.answer.partitions)} partitions and "
    found += "a session id" if turn.answer.session else "session id 0"
    why = f"{error_name(expected)}: expected session id 0 and no partitions, found {found}"
    return fails(why, "refused with content")


@a_refusal_has_no_content.example("a wrong epoch, by a request that names a partition")
def _refused_example() -> Scenario:
    return ask_of((batches(100),), full(*from_start(0)), incremental(2, *from_start(0)))


@later.clause(
    "FET-035",
    Strength.MUST,
    LimitClass.HARD,
    KIP(516),
    MANAGER,
    slug="fetch/session/topic-ids",
    fence=Fence("the request's version", Unit.VERSIONS, "13, the first with topic ids"),
    since="3.1",
)
def names_and_ids_do_not_mix_in_a_session(turn: Turn) -> Held | None:
    """A session that was made by topic names (v7 to v12) and is used with the right epoch by a
    request with topic ids (v13+), or the reverse, is answered with FETCH_SESSION_TOPIC_ID_ERROR.
    Within one of the two kinds that error does not come.
    """
    before = turn.admission.before
    if (
        not _in_session(turn)
        or before is None
        or turn.fetch.epoch != before.epoch
        or turn.fetch.epoch <= 0
    ):
        return None
    where = side(turn.fetch.version, TOPIC_IDS_SINCE)
    mixed = turn.admission.error == Error.FETCH_SESSION_TOPIC_ID_ERROR
    if mixed != (turn.answer.error == Error.FETCH_SESSION_TOPIC_ID_ERROR):
        expected = error_name(turn.admission.error)
        return breaks(
            where,
            f"v{turn.fetch.version}: expected {expected}, found {error_name(turn.answer.error)}",
            "names and ids",
        )
    return holds(where)


@names_and_ids_do_not_mix_in_a_session.example("a session made by v12 and used by v12, then by v13")
def _mixed_example() -> Scenario:
    by_id = Fetch(session=OWN, epoch=2, version=13)
    return ask_of((batches(100),), full(*from_start(0)), incremental(1), by_id)


@later.clause(
    "FET-036",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("FetchSession.java", "471-475"),
    Code("BrokerServer.scala", "430-438"),
    slug="fetch/session/id-range",
    fence=Fence("the session id", Unit.VALUES, "2147483639, the last one that a shard has"),
)
def ids_outside_the_shards_fail(turn: Turn) -> Held | None:
    """An incremental request whose session id Apache Kafka's eight shards can hold, -268435454 to
    2147483639, but which is no session, is answered with FETCH_SESSION_ID_NOT_FOUND. Outside of
    these the error is UNKNOWN_SERVER_ERROR, which FET-071 forbids, or FETCH_SESSION_ID_NOT_FOUND,
    as for any other unknown id.
    """
    session = turn.fetch.session
    if not _in_session(turn) or isinstance(session, str) or not session:
        return None
    inside = FIRST_SHARD_ID <= session <= LAST_SHARD_ID
    where = ABOVE if not inside else AT if session in {FIRST_SHARD_ID, LAST_SHARD_ID} else BELOW
    expected = Error.FETCH_SESSION_ID_NOT_FOUND if inside else Error.UNKNOWN_SERVER_ERROR
    if turn.answer.error not in {expected, Error.FETCH_SESSION_ID_NOT_FOUND}:
        return breaks(
            where,
            (
                f"session id {session}: expected {error_name(expected)}, found "
                f"{error_name(turn.answer.error)}"
            ),
            "shard",
        )
    return holds(where)


@ids_outside_the_shards_fail.example("the greatest id that a shard can hold, and the one after it")
def _outside() -> Scenario:
    ids = (LAST_SHARD_ID, LAST_SHARD_ID + 1)
    return ask_of((batches(100),), *[Fetch(session=number, epoch=1) for number in ids])


@later.clause(
    "FET-034",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(227),
    Report("platformatic/kafka#321"),
    slug="fetch/session/forgotten",
    since="1.1",
)
def forgotten_partitions_are_gone(turn: Turn) -> Held | None:
    """An incremental request takes each partition of its `forgotten_topics_data` that it does not
    name itself out of the session: the answer has no entry for it.

    Later answers have none either until a request names it again (FET-073).
    """
    if not _in_session(turn) or not turn.fetch.forgotten or turn.answer.error:
        return None
    if turn.admission.mode not in {Mode.INCREMENTAL, Mode.EMPTIED}:
        return None
    gone = turn.admission.forgot - _named_partitions(turn)
    for got in turn.answer.partitions:
        if got.partition in gone:
            return fails(
                f"expected nothing of forgotten partition {got.partition}, found an answer",
                "forgotten answered",
            )
    return holds()


def _named_partitions(turn: Turn) -> set[int]:
    return {part.partition for part in turn.fetch.partitions}


@forgotten_partitions_are_gone.example("two partitions, one forgotten, then the other")
def _forgotten() -> Scenario:
    return ask_of(
        (batches(100), batches(100)),
        full(*from_start(0, 1)),
        incremental(1, forgotten=(1,)),
        incremental(2, forgotten=(0,)),
    )


@later.clause(
    "FET-134",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("FetchSession.java", "update"),
    slug="fetch/session/named-and-forgotten",
    since="1.1",
)
def a_partition_named_and_forgotten_is_forgotten(turn: Turn) -> Held | None:
    """A partition that one incremental request both names and forgets leaves the session: what is
    named is taken in before what is forgotten is taken out.

    KIP-227 names no order. A broker that forgets first keeps the partition, and answers it.
    """
    if (
        not _in_session(turn)
        or turn.answer.error
        or not turn.admission.forgot & _named_partitions(turn)
    ):
        return None
    if not turn.admission.forgets_last:
        return fails(
            "expected a partition that is named and forgotten to be gone, found it kept", "kept"
        )
    return holds()


@a_partition_named_and_forgotten_is_forgotten.example(
    "partition 1 of two is named and forgotten at once"
)
def _both() -> Scenario:
    both = incremental(1, FetchPartition(1, 0), forgotten=(1,))
    return ask_of((batches(100), batches(100)), full(*from_start(0, 1)), both, incremental(2))


@later.clause(
    "FET-135",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("FetchManager.java", "58-119"),
    Code("FetchSession.java", "update"),
    slug="fetch/session/emptied",
    since="1.1",
)
def an_emptied_session_is_closed(turn: Turn) -> Held | None:
    """An incremental request that takes the last partition out of its session closes it: the answer
    has session id 0 and no error. What the request itself names is answered all the same, as by a
    fetch without a session.

    A broker may keep a session without partitions open.
    """
    if not _in_session(turn) or turn.answer.error:
        return None
    if not turn.admission.closes_empty:
        return fails("expected the emptied session to be closed: session id 0", "not closed")
    return holds() if turn.admission.mode is Mode.EMPTIED else None


@an_emptied_session_is_closed.example("the only partition of a session is forgotten")
def _emptied_example() -> Scenario:
    return ask_of((batches(100),), full(*from_start(0)), incremental(1, forgotten=(0,)))


def _cached_partition(session: Session | None, number: int) -> Cached | None:
    return (
        next((cached for cached in session.cached if cached.ask.partition == number), None)
        if session
        else None
    )


@later.clause(
    "FET-031",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(227),
    Code("FetchSession.java", "336-371"),
    slug="fetch/session/incremental-answer",
    since="1.1",
)
def an_incremental_answer_holds_what_changed(turn: Turn) -> Held | None:
    """An incremental answer has an entry for each partition of the session that fails, or whose
    high watermark or log start offset is not the one reported last in the session. It has no entry
    for a partition with none of: bytes of records, an error, such a change, a preferred read
    replica, a diverging epoch.

    What was reported last of a partition that no answer of the session had an entry for is not
    known; it is left out here, and so is a throttled answer.
    """
    if not _in_session(turn) or turn.admission.mode is not Mode.INCREMENTAL or not turn.plain:
        return None
    arose = False
    for served in turn.served:
        cached = _cached_partition(turn.admission.before, served.ask.partition)
        if cached is not None and cached.unseen and not served.fault and not served.size:
            continue
        changed = _change_of(served, cached)
        if served.got is None:
            arose = True
            if changed:
                return fails(
                    f"partition {served.ask.partition}: {changed}, but it is left out",
                    "change left out",
                )
            continue
        reported = bool(served.size or served.got.error)
        arose = True
        if (
            not reported
            and not changed
            and served.got.preferred_replica < 0
            and not served.got.diverging
        ):
            return fails(
                f"partition {served.ask.partition}: nothing changed, but it is answered",
                "unchanged answered",
            )
    return holds() if arose else None


@an_incremental_answer_holds_what_changed.example(
    "at the end of two partitions: nothing has changed; then records come to one of them"
)
def _changed_one() -> Scenario:
    ends = (FetchPartition(0, 1), FetchPartition(1, 1))
    return ask_of(
        (batches(100), batches(100)),
        full(*ends),
        incremental(1),
        Append(1, Batch(100)),
        incremental(2),
    )


def _change_of(served: Served, cached: Cached | None) -> str:
    if served.fault:
        return f"it fails with {error_name(served.fault)}"
    if served.reported_log is None:
        return ""
    if cached is None or cached.high_watermark != served.reported_log.end:
        return f"the high watermark is {served.reported_log.end}, not reported before"
    if cached.log_start != served.reported_log.start:
        return f"the log start is {served.reported_log.start}, not reported before"
    return ""


@later.clause(
    "FET-038",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(227),
    Code("FetchSession.java", "336-371"),
    Report("dpkp/kafka-python#2575"),
    slug="fetch/session/kept-positions",
    since="1.1",
)
def a_session_keeps_positions_until_given_others(turn: Turn) -> Held | None:
    """A partition of the session that an incremental request does not name is read at the fetch
    offset that a request gave it last: where records come, the first batch is the one that holds
    that offset. What was sent since does not move it.
    """
    if turn.admission.mode is not Mode.INCREMENTAL or not turn.plain:
        return None
    arose = False
    for served in turn.served:
        if (
            served.ask.partition not in turn.admission.kept
            or not served.run
            or served.got is None
            or not served.got.batches
        ):
            continue
        stored, offset = served.run[0], served.ask.offset
        arose = True
        if served.got.batches[0].base != stored.base:
            why = f"stored offset {offset}: expected the batch from {stored.base}"
            return fails(f"{why}, found one from {served.got.batches[0].base}", "position moved")
    return holds() if arose else None


@a_session_keeps_positions_until_given_others.example(
    "the same two batches are returned again, as no request has moved the fetch offset"
)
def _kept_example() -> Scenario:
    return ask_of((batches(100, 200),), full(*from_start(0)), incremental(1))


chapter.exclude(
    "FET-037",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Code("FetchSessionCacheShard.java", "166-293"),
    Code("KafkaBroker.scala", "74"),
    slug="fetch/session/slots",
    statement=(
        "max.incremental.fetch.session.cache.slots is divided by eight, rounded down, for eight "
        "shards. A full fetch that meets a full shard takes the place of a session that was not "
        "used for 120 s, or gets none."
    ),
    reason=(
        "slots are one pool for the whole broker, and one is taken away only after "
        "120 s: no scenario of its own can show it, and that "
        "fewer than eight slots are none would take a restart for that alone"
    ),
)
chapter.exclude(
    "FET-132",
    Strength.MUST,
    LimitClass.HARD,
    KIP(227),
    Code("FetchMetadata.java", "nextEpoch"),
    slug="fetch/session/epoch-wrap",
    statement="The session epoch after 2147483647 is 1.",
    reason="it takes 2147483647 requests in one session to get there",
)
