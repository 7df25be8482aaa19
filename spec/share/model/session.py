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
        partitions: what it fetches from, in the order of insertion.
        doubtful: the request before failed, and whether it was counted is left open (SHR-006).
        announced: partitions that have an entry in the next answer though it be empty.
    """

    epoch: int
    partitions: tuple[int, ...]
    doubtful: bool = False
    announced: frozenset[int] = frozenset()


class Mode(StrEnum):
    """The kinds of requests that the share session handler knows."""

    OPENING = "opening"
    CONTINUING = "continuing"
    FINAL = "final"
    REFUSED = "refused"
    """Refused before the session is touched."""
    FAILED = "failed"
    """Refused after the session has counted it (SHR-006)."""


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
    """The epoch that a step puts on the wire, given the member's session."""
    return next_epoch(session) + step.skew if isinstance(step.epoch, str) else step.epoch


def admit(
    step: ShareRequest,
    epoch: int,
    session: ShareSession | None,
    partitions: int,
    semantics: ShareSemantics,
) -> Admission:
    """Take a request that carries this epoch, of a scenario with so many partitions.

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
    """The member's session after its request was answered with this top-level error; what was seen
    counts, not what was expected.
    """
    if error == 0 and admission.mode is Mode.REFUSED:
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
        return (
            (Error.INVALID_REQUEST, "SHR-005")
            if any(part.acknowledgements for part in step.partitions)
            else None
        )
    if session is None:
        misplaced = (
            epoch == FINAL_EPOCH
            and isinstance(step, ShareFetch)
            and step.partitions
            and not semantics.final_fetch_names_partitions
        )
        return Error.INVALID_REQUEST if misplaced else Error.SHARE_SESSION_NOT_FOUND, "SHR-004"
    return (
        None
        if epoch in {FINAL_EPOCH, session.epoch}
        else (Error.INVALID_SHARE_SESSION_EPOCH, "SHR-004")
    )


def _admit_request(
    step: ShareRequest,
    epoch: int,
    session: ShareSession | None,
    partitions: int,
    semantics: ShareSemantics,
) -> Admission:
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
    error, rule = 0, ""
    if isinstance(step, ShareFetch):
        known = any(
            0 <= number < partitions for number in kept
        )  # the mode is looked at where there is something to fetch
        if known and step.version >= ACQUIRE_MODE_SINCE and step.mode not in ACQUIRE_MODES.values():
            error, rule = Error.UNKNOWN_SERVER_ERROR, "SHR-012"
        elif semantics.unknown_topic is UnknownTopic.REQUEST and any(
            number > partitions for number in kept
        ):
            error, rule = Error.UNKNOWN_SERVER_ERROR, "SHR-013"
    return Admission(Mode.FAILED if error else mode, epoch, session, after, error, rule)


def _renews(step: ShareRequest) -> bool:
    return step.renew and step.version >= RENEW_SINCE


def is_uuid(member_id: str) -> bool:
    """Whether an id is a Kafka Uuid: 16 bytes in base64 for URLs, with or without its padding.
    Source: Uuid.java of Kafka 4.3.1.
    """
    bare = member_id.removesuffix("==")
    return len(bare) == UUID_LENGTH and all(one in UUID_LETTERS for one in bare)


def _member_error(step: ShareRequest, semantics: ShareSemantics) -> int | None:
    if step.member == OWN:
        return None
    if not semantics.any_member_id:
        return (
            None if step.member is not None and is_uuid(step.member) else Error.UNKNOWN_SERVER_ERROR
        )
    return Error.INVALID_REQUEST if not step.member or len(step.member) > MEMBER_ID_LENGTH else None
