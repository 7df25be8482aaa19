"""Share sessions (KIP-932): which partitions a member fetches from, and the epoch that its next
request must carry.

Source: SharePartitionManager.java:353-536 and KafkaApis.scala:3204-3316 of Kafka 4.3.1.
"""

from enum import StrEnum
from string import ascii_letters, digits

from spec.frozen import frozen, replace
from spec.kafka import INT32_MAX, Error
from spec.share.releases import MEMBER_ID_LENGTH, ShareSemantics, UnknownTopic
from spec.share.steps import (
    ACQUIRE_MODE_SINCE,
    ACQUIRE_MODES,
    FINAL_EPOCH,
    OPENING_EPOCH,
    OWN,
    RENEW_SINCE,
    ShareAcknowledge,
    ShareFetch,
)

ShareRequest = ShareFetch | ShareAcknowledge

UUID_LENGTH = 22
UUID_LETTERS = frozenset(ascii_letters + digits + "-_")


@frozen
class ShareSession:
    """A member's session on the broker.

    Attributes:
        epoch: the epoch it expects next.
        partitions: what it fetches from, in the order in which the next fetch serves them: as they
            were added, but one that gave records has moved to the end since.
        doubtful: the request before carried a valid epoch and failed: whether that epoch was
            counted is left open (SHR-006).
        announced: partitions that have an entry in the next answer even where it is empty: those
            that were added and had none yet, and those whose last entry was an error.
    """

    epoch: int
    partitions: tuple[int, ...]
    doubtful: bool = False
    announced: frozenset[int] = frozenset()


class Mode(StrEnum):
    """What the share session handler makes of a request."""

    OPENING = "opening"
    """It opens a session (epoch 0)."""
    CONTINUING = "continuing"
    """It carries the epoch that its session expects."""
    FINAL = "final"
    """It closes its session (epoch -1)."""
    REFUSED = "refused"
    """Refused before the session is touched: its epoch stays as it is."""
    FAILED = "failed"
    """Refused after the session has counted it: its epoch has moved (SHR-006)."""


@frozen
class Admission:
    """The session handler's decision on a request.

    Attributes:
        mode: see `Mode`.
        epoch: the epoch that it carried.
        before: the session that it met.
        after: the member's session after it.
        error: the top-level error of a request that is refused or fails.
        rule: the clause that refuses it.
    """

    mode: Mode
    epoch: int
    before: ShareSession | None
    after: ShareSession | None
    error: int = 0
    rule: str = ""


def next_epoch(session: ShareSession | None) -> int:
    """The epoch that a member's next request must carry: 0 where it has no session."""
    return session.epoch if session is not None else OPENING_EPOCH


def epoch_after(epoch: int) -> int:
    """The epoch that a session expects after a request with this one."""
    return 1 if epoch == INT32_MAX else epoch + 1


def carried_epoch(step: ShareRequest, session: ShareSession | None) -> int:
    """The epoch that a step puts on the wire, given the member's session: a number as it stands;
    for `NEXT` the epoch that the session expects, changed by `skew` to a wrong one.
    """
    return next_epoch(session) + step.skew if isinstance(step.epoch, str) else step.epoch


def admit(
    step: ShareRequest,
    epoch: int,
    session: ShareSession | None,
    partitions: int,
    semantics: ShareSemantics,
) -> Admission:
    """Decide on a request as the session handler does.

    Args:
        step: the request.
        epoch: the epoch that it carries.
        session: the member's session before; None where it has none.
        partitions: how many partitions the scenario's layout has.
        semantics: the decisions in force.

    Source: SHR-001 to SHR-007, SHR-012, SHR-013, SHR-405.
    """
    refusal = _refusal(step, epoch, session, semantics)
    if refusal is not None:
        error, rule = refusal
        return Admission(Mode.REFUSED, epoch, session, session, error, rule)
    if epoch == FINAL_EPOCH:
        return Admission(Mode.FINAL, epoch, session, None)
    return _admit_request(step, epoch, session, partitions, semantics)


def session_after(admission: Admission, error: int) -> ShareSession | None:
    """The member's session after its request was answered with this top-level error: what was
    observed counts, not the error that was expected.
    """
    if error == 0 and admission.mode is Mode.REFUSED:
        # the broker took a request that should have been refused: the session is as it says then
        kept = admission.before.partitions if admission.before is not None else ()
        return None if admission.epoch == FINAL_EPOCH else ShareSession(admission.epoch + 1, kept)
    if error == 0:
        return admission.after
    if admission.after is not None and (
        admission.mode is Mode.FAILED or error == Error.UNKNOWN_SERVER_ERROR
    ):
        return replace(admission.after, doubtful=admission.mode is not Mode.REFUSED)
    return admission.before


def _refusal(
    step: ShareRequest, epoch: int, session: ShareSession | None, semantics: ShareSemantics
) -> tuple[int, str] | None:
    """The error, and its clause, of a request that is refused before its session is touched."""
    if step.group is None:
        return Error.INVALID_REQUEST, "SHR-018"
    if (wrong := _member_error(step, semantics)) is not None:
        return wrong, "SHR-017"
    if (
        isinstance(step, ShareFetch)
        and _renews(step)
        and any((step.max_bytes, step.min_bytes, step.max_records, step.max_wait_ms))
    ):
        return Error.INVALID_REQUEST, "SHR-405"
    if epoch == OPENING_EPOCH:
        if isinstance(step, ShareAcknowledge):
            return Error.INVALID_SHARE_SESSION_EPOCH, "SHR-005"
        if any(part.acknowledgements for part in step.partitions):
            return Error.INVALID_REQUEST, "SHR-005"
        return None
    if session is None:
        closes_with_partitions = (
            epoch == FINAL_EPOCH and isinstance(step, ShareFetch) and bool(step.partitions)
        )
        if closes_with_partitions and not semantics.final_fetch_names_partitions:
            return Error.INVALID_REQUEST, "SHR-004"
        return Error.SHARE_SESSION_NOT_FOUND, "SHR-004"
    if epoch not in {FINAL_EPOCH, session.epoch}:
        return Error.INVALID_SHARE_SESSION_EPOCH, "SHR-004"
    return None


def _admit_request(
    step: ShareRequest,
    epoch: int,
    session: ShareSession | None,
    partitions: int,
    semantics: ShareSemantics,
) -> Admission:
    """The decision on a request that opens or continues a session."""
    opening = epoch == OPENING_EPOCH
    kept = () if opening or session is None else session.partitions
    announced = frozenset[int]() if opening or session is None else session.announced
    if isinstance(step, ShareFetch):
        added = dict.fromkeys(
            part.partition for part in step.partitions if part.partition not in kept
        )
        kept += tuple(added)
        if not opening:  # a new session has nothing to forget: Kafka does not look
            kept = tuple([number for number in kept if number not in step.forgotten])
            announced = (announced | set(added)) & set(kept)
    after = ShareSession(epoch_after(epoch), kept, announced=announced)
    mode = Mode.OPENING if opening else Mode.CONTINUING
    rule = _late_failure(step, kept, partitions, semantics)
    if rule is not None:
        return Admission(Mode.FAILED, epoch, session, after, Error.UNKNOWN_SERVER_ERROR, rule)
    return Admission(mode, epoch, session, after)


def _late_failure(
    step: ShareRequest, numbers: tuple[int, ...], partitions: int, semantics: ShareSemantics
) -> str | None:
    """The clause by which a fetch of a session with these partitions fails as a whole, after the
    session has counted it; None where it doesn't.

    The number `partitions` stands for a partition that its topic doesn't have, a greater one for
    a partition of a topic id that doesn't exist.
    """
    if not isinstance(step, ShareFetch):
        return None
    has_known = any(0 <= number < partitions for number in numbers)
    has_unknown_topic = any(number > partitions for number in numbers)
    unknown_mode = step.version >= ACQUIRE_MODE_SINCE and step.mode not in ACQUIRE_MODES.values()
    if unknown_mode and has_known:  # the mode is looked at where there is something to fetch
        return "SHR-012"
    if has_unknown_topic and semantics.unknown_topic is UnknownTopic.REQUEST:
        return "SHR-013"
    return None


def _member_error(step: ShareRequest, semantics: ShareSemantics) -> int | None:
    """The error of a request whose MemberId is not taken; the scenario's own ones always are."""
    if step.member == OWN:
        return None
    if semantics.any_member_id:
        is_taken = step.member is not None and 0 < len(step.member) <= MEMBER_ID_LENGTH
        return None if is_taken else Error.INVALID_REQUEST
    is_taken = step.member is not None and is_uuid(step.member)
    return None if is_taken else Error.UNKNOWN_SERVER_ERROR


def _renews(step: ShareRequest) -> bool:
    return step.renew and step.version >= RENEW_SINCE


def is_uuid(member_id: str) -> bool:
    """Whether an id is a Kafka Uuid: 16 bytes in base64 for URLs, with or without its padding.
    Source: Uuid.java of Kafka 4.3.1.
    """
    bare = member_id.removesuffix("==")
    return len(bare) == UUID_LENGTH and all(one in UUID_LETTERS for one in bare)
