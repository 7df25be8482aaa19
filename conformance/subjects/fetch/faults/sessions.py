"""Faults of fetch sessions (KIP-227)."""

from __future__ import annotations

from operator import gt, lt, ne
from typing import TYPE_CHECKING, Any

from conformance.faults.planted import Expected
from conformance.subjects.fetch.faults.fault import (
    Answered,
    Fault,
    Given,
    answering,
    change_answer,
    misread,
    mistaken,
)
from spec.fetch.model.answer import answer_fetch
from spec.fetch.model.session import Mode, admit
from spec.fetch.outcomes import PartitionAnswer
from spec.frozen import replace
from spec.kafka import Error

if TYPE_CHECKING:
    from collections.abc import Callable

    from spec.fetch.model.machine import Answering
    from spec.fetch.model.session import Session
    from spec.fetch.outcomes import FetchAnswer
    from spec.fetch.steps import Fetch


REFUSAL_MS = 40.0


def _of_old(name: str) -> Answering:
    """Ignore one field of a request's partition that the session has already."""

    def change(fetch: Fetch, own: Session | None) -> tuple[Fetch, Session | None]:
        if own is None or fetch.epoch <= 0:
            return fetch, own
        known = {cached.ask.partition: getattr(cached.ask, name) for cached in own.cached}
        parts = tuple(
            [
                replace(part, **{name: known.get(part.partition, getattr(part, name))})
                for part in fetch.partitions
            ]
        )
        return replace(fetch, partitions=parts), own

    return mistaken(change)


def _of_old_afterwards(name: str, keeps: Callable[[int, int], bool]) -> Answering:
    """A new value of a partition in the session counts for its request, but the session keeps the
    old one where `keeps` says so of the old and the new value.
    """

    @answering
    def answer(given: Given) -> Answered:
        right, session, held_ms = answer_fetch(*given)
        if given.own is None or session is None or given.fetch.epoch <= 0:
            return right, session, held_ms
        before = {cached.ask.partition: getattr(cached.ask, name) for cached in given.own.cached}
        cached = []
        for one in session.cached:
            old, new = before.get(one.ask.partition), getattr(one.ask, name)
            kept = old is not None and new is not None and keeps(old, new)
            restored: dict[str, Any] = {name: old}
            cached.append(replace(one, ask=replace(one.ask, **restored)) if kept else one)
        return right, replace(session, cached=tuple(cached)), held_ms

    return answer


def _answer_forgotten(fetch: Fetch, answer: FetchAnswer) -> FetchAnswer:
    if fetch.epoch <= 0 or answer.error:
        return answer
    answered = {part.partition for part in fetch.partitions} | {
        got.partition for got in answer.partitions
    }
    gone = [number for number in dict.fromkeys(fetch.forgotten) if number not in answered]
    return replace(
        answer, partitions=(*answer.partitions, *[PartitionAnswer(number) for number in gone])
    )


def _any_epoch(fetch: Fetch, own: Session | None) -> tuple[Fetch, Session | None]:
    return (replace(fetch, epoch=own.epoch) if own is not None and fetch.epoch > 0 else fetch), own


def _any_kind(fetch: Fetch, own: Session | None) -> tuple[Fetch, Session | None]:
    return fetch, replace(own, by_id=fetch.version >= 13) if own is not None else None


def _everything_new(fetch: Fetch, own: Session | None) -> tuple[Fetch, Session | None]:
    if own is None:
        return fetch, own
    return fetch, replace(
        own, cached=tuple([replace(cached, high_watermark=None) for cached in own.cached])
    )


def _nothing_without_data(fetch: Fetch, answer: FetchAnswer) -> FetchAnswer:
    if fetch.epoch <= 0:
        return answer
    return replace(
        answer, partitions=tuple([got for got in answer.partitions if got.size or got.error])
    )


@answering
def _answer_only_named(given: Given) -> Answered:
    answer, session, held_ms = answer_fetch(*given)
    if admit(given.fetch, given.own).mode is Mode.INCREMENTAL and given.fetch.partitions:
        named = {part.partition for part in given.fetch.partitions}
        answer = replace(
            answer, partitions=tuple([got for got in answer.partitions if got.partition in named])
        )
    return answer, session, held_ms


@answering
def _nothing_new_without_data(given: Given) -> Answered:
    answer, session, held_ms = answer_fetch(*given)
    if given.own is not None and admit(given.fetch, given.own).mode is Mode.INCREMENTAL:
        known = {cached.ask.partition for cached in given.own.cached}
        answer = replace(
            answer,
            partitions=tuple(
                [
                    got
                    for got in answer.partitions
                    if got.partition in known or got.size or got.error
                ]
            ),
        )
    return answer, session, held_ms


@answering
def _same_order(given: Given) -> Answered:
    answer, session, held_ms = answer_fetch(*given)
    if given.own is not None and session is not None and given.fetch.epoch > 0:
        order = [cached.ask.partition for cached in given.own.cached]
        order += [
            cached.ask.partition for cached in session.cached if cached.ask.partition not in order
        ]
        session = replace(
            session,
            cached=tuple(
                sorted(session.cached, key=lambda cached: order.index(cached.ask.partition))
            ),
        )
    return answer, session, held_ms


@answering
def _stuck(given: Given) -> Answered:
    answer, session, held_ms = answer_fetch(*given)
    if given.own is not None and session is not None and given.fetch.epoch > 0:
        session = replace(session, epoch=given.own.epoch)
    return answer, session, held_ms


@answering
def _keep_closed_open(given: Given) -> Answered:
    answer, session, held_ms = answer_fetch(*given)
    return answer, given.own if session is None and given.own is not None else session, held_ms


@answering
def _no_session(given: Given) -> Answered:
    answer, session, held_ms = answer_fetch(*given)
    return (
        (replace(answer, session=0), None, held_ms)
        if answer.session == 2
        else (answer, session, held_ms)
    )


@answering
def _refusing_late(given: Given) -> Answered:
    answer, session, held_ms = answer_fetch(*given)
    refused = answer.error == Error.INVALID_FETCH_SESSION_EPOCH
    return answer, session, min(REFUSAL_MS, float(given.fetch.max_wait_ms)) if refused else held_ms


@answering
def _close_on_wrong_epoch(given: Given) -> Answered:
    answer, session, held_ms = answer_fetch(*given)
    refused = answer.error == Error.INVALID_FETCH_SESSION_EPOCH
    return answer, None if refused else session, held_ms


def _refuse_with_content(fetch: Fetch, answer: FetchAnswer) -> FetchAnswer:
    if (
        answer.error not in {Error.INVALID_FETCH_SESSION_EPOCH, Error.FETCH_SESSION_ID_NOT_FOUND}
        or not fetch.partitions
    ):
        return answer
    return replace(
        answer, partitions=(PartitionAnswer(fetch.partitions[0].partition, answer.error),)
    )


@answering
def _keep_emptied_open(given: Given) -> Answered:
    answer, session, held_ms = answer_fetch(*given)
    if given.own is not None and admit(given.fetch, given.own).mode is Mode.EMPTIED:
        answer = replace(answer, session=1, partitions=())
        session = replace(given.own, epoch=given.own.epoch + 1, cached=())
    return answer, session, held_ms


def _forgets_first(fetch: Fetch, own: Session | None) -> tuple[Fetch, Session | None]:
    if own is None or fetch.epoch != own.epoch:
        return fetch, own
    cached = tuple([one for one in own.cached if one.ask.partition not in fetch.forgotten])
    return replace(fetch, forgotten=()), replace(own, cached=cached)


@answering
def _advance_epoch(given: Given) -> Answered:
    answer, session, held_ms = answer_fetch(*given)
    following = {
        got.partition: got.batches[-1].last + 1 for got in answer.partitions if got.batches
    }
    if session is not None and admit(given.fetch, given.own).mode in {Mode.FULL, Mode.INCREMENTAL}:
        cached = [
            replace(
                one, ask=replace(one.ask, offset=following.get(one.ask.partition, one.ask.offset))
            )
            for one in session.cached
        ]
        session = replace(session, cached=tuple(cached))
    return answer, session, held_ms


def _one_always_last(fetch: Fetch, own: Session | None) -> tuple[Fetch, Session | None]:
    if own is None or not own.cached:
        return fetch, own
    last = max(own.cached, key=lambda cached: cached.ask.partition)
    return fetch, replace(
        own, cached=(*[cached for cached in own.cached if cached is not last], last)
    )


def _answer_not_found(_: Fetch, answer: FetchAnswer) -> FetchAnswer:
    return _outside(answer, Error.FETCH_SESSION_ID_NOT_FOUND)


def _wrong_epoch(_: Fetch, answer: FetchAnswer) -> FetchAnswer:
    return _outside(answer, Error.INVALID_FETCH_SESSION_EPOCH)


def _outside(answer: FetchAnswer, error: Error) -> FetchAnswer:
    """The answer with this error at the top alone, where its session id is outside the shards."""
    outside = answer.error == Error.UNKNOWN_SERVER_ERROR and answer.session == -1
    return replace(answer, error=error, session=0, partitions=()) if outside else answer


FAULTS = (
    Fault(
        "session-forgets-nothing",
        "FET-073",
        Expected.VIOLATES,
        "Partitions that a request takes out of the session stay in it.",
        misread(lambda fetch: replace(fetch, forgotten=())),
    ),
    Fault(
        "forgotten-partition-answered",
        "FET-034",
        Expected.VIOLATES,
        "The request that takes a partition out of the session is still answered for it.",
        change_answer(_answer_forgotten),
    ),
    Fault(
        "session-ignores-changed-limits",
        "FET-001",
        Expected.VIOLATES,
        "A partition's new limit is not taken over into the session.",
        _of_old("max_bytes"),
    ),
    Fault(
        "session-ignores-changed-offsets",
        "FET-021",
        Expected.VIOLATES,
        "A partition's new fetch offset is not taken over into the session.",
        _of_old("offset"),
    ),
    Fault(
        "session-keeps-no-higher-limits",
        "FET-101",
        Expected.DEVIATES,
        "A partition's limit that is raised counts for the request that raises it alone.",
        _of_old_afterwards("max_bytes", lt),
    ),
    Fault(
        "session-keeps-no-lower-limits",
        "FET-001",
        Expected.VIOLATES,
        "A partition's limit that is lowered counts for the request that lowers it alone.",
        _of_old_afterwards("max_bytes", gt),
    ),
    Fault(
        "session-keeps-no-later-offsets",
        "FET-038",
        Expected.VIOLATES,
        "A partition's fetch offset that goes forward counts for one request alone.",
        _of_old_afterwards("offset", lt),
    ),
    Fault(
        "session-keeps-no-earlier-offsets",
        "FET-038",
        Expected.VIOLATES,
        "A partition's fetch offset that goes back counts for one request alone.",
        _of_old_afterwards("offset", gt),
    ),
    Fault(
        "session-keeps-no-leader-epochs",
        "FET-045",
        Expected.VIOLATES,
        "A partition's leader epoch counts for one request alone where the session has another.",
        _of_old_afterwards("leader_epoch", ne),
    ),
    Fault(
        "session-epoch-not-checked",
        "FET-032",
        Expected.VIOLATES,
        "Any epoch is taken for the next one.",
        mistaken(_any_epoch),
    ),
    Fault(
        "session-epoch-stands-still",
        "FET-032",
        Expected.VIOLATES,
        "The epoch that is expected never counts up.",
        _stuck,
    ),
    Fault(
        "session-mixes-names-and-ids",
        "FET-035",
        Expected.VIOLATES,
        "A session made by topic names continues by topic ids.",
        mistaken(_any_kind),
    ),
    Fault(
        "session-tells-what-is-known",
        "FET-031",
        Expected.VIOLATES,
        "An incremental answer holds partitions of which nothing is new.",
        mistaken(_everything_new),
    ),
    Fault(
        "session-hides-moved-offsets",
        "FET-031",
        Expected.VIOLATES,
        "An incremental answer leaves out partitions whose offsets have moved, where there is no "
        "data.",
        change_answer(_nothing_without_data),
    ),
    Fault(
        "session-hides-new-partitions",
        "FET-031",
        Expected.VIOLATES,
        "A partition that an incremental request adds is left out until it has data, so that its "
        "offsets are not reported.",
        _nothing_new_without_data,
    ),
    Fault(
        "session-serves-only-what-is-named",
        "FET-031",
        Expected.VIOLATES,
        "An incremental answer leaves out partitions that the request does not name.",
        _answer_only_named,
    ),
    Fault(
        "session-never-rotates",
        "FET-033",
        Expected.DEVIATES,
        "A partition that was served does not go to the end of the session.",
        _same_order,
    ),
    Fault(
        "session-outlives-its-end",
        "FET-137",
        Expected.VIOLATES,
        "A session that a request ends stays usable.",
        _keep_closed_open,
    ),
    Fault(
        "refused-with-content",
        "FET-136",
        Expected.DEVIATES,
        "A request with a wrong epoch is refused, yet partitions are answered.",
        change_answer(_refuse_with_content),
    ),
    Fault(
        "wrong-epoch-closes-the-session",
        "FET-138",
        Expected.DEVIATES,
        "A request with a wrong epoch closes the session.",
        _close_on_wrong_epoch,
    ),
    Fault(
        "emptied-session-stays-open",
        "FET-135",
        Expected.DEVIATES,
        "A session whose last partition a request takes out stays open, without partitions.",
        _keep_emptied_open,
    ),
    Fault(
        "forgets-before-it-updates",
        "FET-134",
        Expected.DEVIATES,
        "A partition that a request both names and forgets stays in the session.",
        mistaken(_forgets_first),
    ),
    Fault(
        "session-advances-positions",
        "FET-038",
        Expected.VIOLATES,
        "A session moves a partition's fetch offset on by what it sent.",
        _advance_epoch,
    ),
    Fault(
        "session-starves-one",
        "FET-133",
        Expected.DEVIATES,
        "One partition of a session is always served last.",
        mistaken(_one_always_last),
    ),
    Fault(
        "session-outside-the-shards-wrong-epoch",
        "FET-036",
        Expected.DEVIATES,
        "A session id that no shard holds is INVALID_FETCH_SESSION_EPOCH.",
        change_answer(_wrong_epoch),
    ),
    Fault(
        "session-moves-with-the-answer",
        "FET-032",
        Expected.VIOLATES,
        "A session takes a request on when it answers it, so that a repeat of one that waits is "
        "served too.",
        answer_fetch,
        taking_on=lambda _, own: own,
    ),
)

VARIANTS = (
    Fault(
        "session-outside-the-shards-not-found",
        "",
        Expected.CONFORMS,
        "A session id that no shard holds is FETCH_SESSION_ID_NOT_FOUND, as any other that does "
        "not exist.",
        change_answer(_answer_not_found),
    ),
    Fault(
        "never-a-session",
        "",
        Expected.CONFORMS,
        "No full fetch ever gets a session: no slot is free.",
        _no_session,
    ),
    Fault(
        "refusal-takes-its-time",
        "",
        Expected.CONFORMS,
        "A request whose session refuses it is answered after 40 ms, or after its max_wait.",
        _refusing_late,
    ),
)
