"""Fetch sessions (KIP-227): what the broker remembers of a consumer between its requests.

State of a session: the next epoch it expects, whether it goes by topic names or ids, and the
partitions in order, each with its fetch position and limits and with the high watermark and log
start offset last reported.
"""

from collections.abc import Iterator
from enum import StrEnum

from spec.fetch.model.request import Ask, fold_asks, possible_folds
from spec.fetch.outcomes import PartitionAnswer
from spec.fetch.steps import OWN, DraftField, Fetch
from spec.frozen import frozen, replace
from spec.kafka import FULL_EPOCH, INT32_MAX, SESSIONLESS_EPOCH, TOPIC_IDS_SINCE, Error


@frozen
class Cached:
    """A partition in a session. High watermark and log start are None before they were reported,
    and after an error.

    Where the answer to the full fetch left it out, `unseen`, nothing is known of what the broker
    takes for reported, nor of its place.
    """

    ask: Ask
    high_watermark: int | None = None
    log_start: int | None = None
    unseen: bool = False


@frozen
class Session:
    """A session as the consumer knows it.

    Attributes:
        epoch: the epoch it expects next.
        by_id: it was made with topic ids (v13+).
        cached: its partitions in service order.
        unserved: for each partition that had data and got none, for how many answers running.
        extra: the fields of a draft, each with the value that was sent last.
    """

    epoch: int
    by_id: bool
    cached: tuple[Cached, ...]
    unserved: tuple[tuple[int, int], ...] = ()
    extra: tuple[DraftField, ...] = ()


class Mode(StrEnum):
    """The kinds of requests that the session handler knows."""

    SESSIONLESS = "sessionless"
    FULL = "full"
    INCREMENTAL = "incremental"
    EMPTIED = "emptied"
    """Incremental, and it took the last partition out: the session is closed, and what the request
    names is read without one.
    """
    REFUSED = "refused"


@frozen
class Admission:
    """The session handler's decision on a request.

    Attributes:
        mode: see `Mode`.
        asks: what is to be read, in service order, with what the session remembers filled in.
        error: the top-level error of a refused request.
        before: the session that the request met; None where it met none.
        forgot: partitions that it took out.
        kept: partitions read though the request does not name them.
        by_last: of a partition named twice the last mention counts, in the place of the first
            (FET-009).
        forgets_last: a partition that it both names and forgets leaves the session (FET-134).
        closes_empty: a session left without partitions is closed, and what the request names is
            read without one (FET-135).
        overtaken: while it waited the session took the next request on, so that its own answer is
            INVALID_FETCH_SESSION_EPOCH.
    """

    mode: Mode
    asks: tuple[Ask, ...]
    error: int = 0
    before: Session | None = None
    forgot: frozenset[int] = frozenset()
    kept: frozenset[int] = frozenset()
    by_last: bool = True
    forgets_last: bool = True
    closes_empty: bool = True
    overtaken: bool = False


SESSIONLESS, FULL = Mode.SESSIONLESS, Mode.FULL
"""By names of this module: on Python 3.11 each look-up in an enum costs more than a comparison."""

LAST_SHARD_ID = 2147483639
FIRST_SHARD_ID = -268435454
"""Session ids outside these two are outside the broker's eight shards and raise an internal error
(FET-036).
"""

EVICTABLE_AFTER_S = 120
"""A session that was not used for longer may lose its slot
(`min.incremental.fetch.session.eviction.ms`, FET-037).
"""


def admit(fetch: Fetch, own: Session | None) -> Admission:
    """Decide what a request is to the session handler of Apache Kafka.

    Args:
        fetch: the request.
        own: the scenario's session.

    Source: KIP-227, FetchManager.java:58-119.
    """
    return _admission(fetch, own, fold_asks(fetch.partitions, fetch.version))


def admissions(fetch: Fetch, own: Session | None) -> Iterator[Admission]:
    """Each way to take a request that no promise rules out, that of Apache Kafka first: see
    `Admission.by_last`, `forgets_last` and `closes_empty`.
    """
    for number, named in enumerate(possible_folds(fetch.partitions, fetch.version)):
        first = replace(_admission(fetch, own, named), by_last=not number)
        yield first
        if first.forgot & {ask.partition for ask in named}:
            yield replace(
                _admission(fetch, own, named, forget_first=True),
                by_last=not number,
                forgets_last=False,
            )
        if first.mode is Mode.EMPTIED:
            yield replace(first, mode=Mode.INCREMENTAL, asks=(), closes_empty=False)
            if first.asks:
                yield replace(first, asks=(), closes_empty=False)


def _admission(
    fetch: Fetch, own: Session | None, named: tuple[Ask, ...], *, forget_first: bool = False
) -> Admission:
    met = own if fetch.session == OWN else None
    if fetch.epoch == SESSIONLESS_EPOCH:
        return Admission(SESSIONLESS, named, before=met)
    if fetch.epoch == FULL_EPOCH:
        return Admission(FULL, named, before=met)
    if isinstance(fetch.session, int) and not FIRST_SHARD_ID <= fetch.session <= LAST_SHARD_ID:
        return Admission(Mode.REFUSED, (), Error.UNKNOWN_SERVER_ERROR)
    if met is None:
        return Admission(Mode.REFUSED, (), Error.FETCH_SESSION_ID_NOT_FOUND)
    if fetch.epoch != met.epoch:
        return Admission(Mode.REFUSED, (), Error.INVALID_FETCH_SESSION_EPOCH, before=met)
    if met.by_id != (fetch.version >= TOPIC_IDS_SINCE):
        return Admission(Mode.REFUSED, (), Error.FETCH_SESSION_TOPIC_ID_ERROR, before=met)
    return _going_on(fetch, met, named, forget_first=forget_first)


def _going_on(
    fetch: Fetch, met: Session, named: tuple[Ask, ...], *, forget_first: bool
) -> Admission:
    """How a request that its session takes changes the session's partitions."""
    asks = {cached.ask.partition: cached.ask for cached in met.cached}
    kept = frozenset(asks) - {ask.partition for ask in named} - set(fetch.forgotten)
    forgot: frozenset[int] = frozenset()
    if forget_first:
        forgot = frozenset([number for number in fetch.forgotten if asks.pop(number, None)])
        cached = tuple([one for one in met.cached if one.ask.partition not in forgot])
        met = replace(met, cached=cached)
    for ask in named:
        asks[ask.partition] = ask
    if not forget_first:
        forgot = frozenset([number for number in fetch.forgotten if asks.pop(number, None)])
    if not asks:
        return Admission(Mode.EMPTIED, named, before=met, forgot=forgot)
    return Admission(Mode.INCREMENTAL, tuple(asks.values()), before=met, forgot=forgot, kept=kept)


def on_arrival(fetch: Fetch, own: Session | None) -> Session | None:
    """The session once it has taken a request on, which it does before the request is answered: its
    epoch and its partitions are those after the request, what was reported of them is as before.

    A session that the request closes is gone; a new one comes with the answer.

    Source: FetchManager.java:58-119, FetchSession.java of Kafka 4.3.1, `update`.
    """
    admission = admit(fetch, own)
    if admission.mode is Mode.REFUSED or admission.before is None:
        return own
    if admission.mode is not Mode.INCREMENTAL:
        return None
    return _next_session(admission.before, admission.asks, ())


def is_overtaken(taken: Session | None, met: Session | None, now: Session | None) -> bool:
    """Whether a session has taken another request on since one that still waits.

    Args:
        taken: the session after it had taken the waiting request on.
        met: the session before that.
        now: the session as it is now.

    Source: FetchContext of Kafka 4.3.1, IncrementalFetchContext.updateAndGenerateResponseData.
    """
    if taken is None or met is None or now is None or taken.epoch == met.epoch:
        return False
    return now.epoch != taken.epoch


def session_after(
    admission: Admission, fetch: Fetch, session_kind: int, answered: tuple[PartitionAnswer, ...]
) -> Session | None:
    """The session after the answer, from what was seen: `session_kind` as in
    FetchAnswer.session.
    """
    if admission.mode is Mode.FULL:
        if session_kind <= 0:
            return None
        by_partition = {got.partition: got for got in answered}
        order = [got.partition for got in answered]
        asks = {ask.partition: ask for ask in admission.asks}
        seen = [
            _with_reported_offsets(Cached(asks[number]), by_partition[number])
            for number in order
            if number in asks
        ]
        unseen = [
            Cached(ask, unseen=True) for ask in admission.asks if ask.partition not in by_partition
        ]
        cached = (*seen, *unseen)
        return Session(
            epoch=1, by_id=fetch.version >= TOPIC_IDS_SINCE, cached=cached, extra=fetch.extra
        )
    if admission.mode is Mode.REFUSED:
        return admission.before
    if admission.mode is not Mode.INCREMENTAL or admission.before is None:
        return None
    advanced = _next_session(admission.before, admission.asks, answered)
    kept = [old for old in advanced.extra if all(old.name != new.name for new in fetch.extra)]
    return replace(advanced, extra=(*kept, *fetch.extra)) if fetch.extra else advanced


def _next_session(
    session: Session, asks: tuple[Ask, ...], answered: tuple[PartitionAnswer, ...]
) -> Session:
    known = {cached.ask.partition: cached for cached in session.cached}
    by_partition = {got.partition: got for got in answered}
    stay: list[Cached] = []
    moved: list[Cached] = []
    for ask in asks:
        cached = replace(known[ask.partition], ask=ask) if ask.partition in known else Cached(ask)
        got = by_partition.get(ask.partition)
        if got is None:
            stay.append(cached)
        else:
            (moved if got.size else stay).append(_with_reported_offsets(cached, got))
    served = [got.partition for got in answered]
    moved.sort(key=lambda cached: served.index(cached.ask.partition))
    epoch = 1 if session.epoch == INT32_MAX else session.epoch + 1
    return Session(
        epoch=epoch,
        by_id=session.by_id,
        cached=(*stay, *moved),
        unserved=session.unserved,
        extra=session.extra,
    )


def _with_reported_offsets(cached: Cached, got: PartitionAnswer) -> Cached:
    high_watermark = None if got.error else got.high_watermark
    return replace(
        cached, high_watermark=high_watermark, log_start=got.log_start_offset, unseen=False
    )
