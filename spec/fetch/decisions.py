"""Which clause decided how much each partition of a fetch returns: the words behind `fencepost
explain`.
"""

from spec.fetch.turn import Served, Turn
from spec.frozen import frozen
from spec.kafka import READ_COMMITTED, Error, error_name
from spec.log import bytes_of


@frozen
class Decision:
    """The decisions behind one partition's part of an answer.

    Attributes:
        partition: its number.
        size: bytes returned, by the reference.
        clause: the deciding clause.
        because: why, in a sentence.
    """

    partition: int
    size: int
    clause: str
    because: str


_FAULTS = {
    Error.UNKNOWN_TOPIC_OR_PARTITION: "FET-041",
    Error.UNKNOWN_TOPIC_ID: "FET-041",
    Error.NOT_LEADER_OR_FOLLOWER: "FET-043",
    Error.FENCED_LEADER_EPOCH: "FET-045",
    Error.UNKNOWN_LEADER_EPOCH: "FET-045",
    Error.UNKNOWN_SERVER_ERROR: "FET-044",
}


def decisions(turn: Turn) -> tuple[Decision, ...]:
    """The decisions for each partition, in service order, if the reference answers."""
    found: list[Decision] = []
    left = min(turn.fetch.max_bytes, turn.semantics.fetch_max_bytes)
    for served in turn.served:
        read = turn.reads.get(served.ask.partition)
        size = 0 if read is None or served.fault else read.size
        clause, because = _deciding_limit(
            turn, served, size, left, first=not any(decision.size for decision in found)
        )
        found.append(Decision(served.ask.partition, size, clause, because))
        left = max(0, left - size)
    return tuple(found)


def _deciding_limit(
    turn: Turn, served: Served, size: int, left: int, *, first: bool
) -> tuple[str, str]:
    log, offset = served.log, served.ask.offset
    if served.fault == Error.OFFSET_OUT_OF_RANGE and log is not None:
        below = offset < log.start
        return (
            "FET-021" if below else "FET-020"
        ), f"offset {offset} is outside {log.start} to {log.end}: OFFSET_OUT_OF_RANGE"
    if served.fault or log is None:
        return _FAULTS.get(Error(served.fault), "FET-071"), error_name(served.fault)
    if not served.run:
        stable = turn.fetch.isolation == READ_COMMITTED and offset < log.end
        return (
            ("FET-054", f"last stable offset {log.stable}")
            if stable
            else ("FET-020", f"offset {offset} is the end")
        )
    cap, head = min(served.ask.max_bytes, left), served.run[0].size
    if cap < 0:
        return "FET-010", f"a limit of {cap} fails where there is data"
    if size == 0:
        return "FET-104", f"{cap} bytes are left, the first batch has {head}"
    if cap < head and first:
        return "FET-004", f"the limit {cap} is below the first batch, which is returned whole"
    if size < bytes_of(served.run):
        return _limit_words(turn, served, left, cap)
    behind = log.batch_number(served.run[-1].last + 1)
    if behind < len(log.batches) and log.batches[behind].base < log.bound(turn.fetch.isolation):
        return "FET-013", "the segment ends there"
    if log.bound(turn.fetch.isolation) < log.end:
        return "FET-054", f"the last stable offset {log.stable} is there"
    return "FET-070", "that is all there is, up to the high watermark"


def _limit_words(turn: Turn, served: Served, left: int, cap: int) -> tuple[str, str]:
    if cap == served.ask.max_bytes:
        return "FET-001", f"the partition's limit {cap} is filled to the byte"
    if left < turn.fetch.max_bytes and turn.semantics.fetch_max_bytes < turn.fetch.max_bytes:
        if turn.fetch.quota is not None:
            return (
                "FET-017",
                (
                    f"of the {turn.semantics.fetch_max_bytes} bytes that the client's quota lets "
                    f"through, {cap} were left"
                ),
            )
        return (
            "FET-018",
            f"of the broker's fetch.max.bytes {turn.semantics.fetch_max_bytes}, {cap} were left",
        )
    return "FET-003", f"of the request's limit {turn.fetch.max_bytes}, {cap} were left"
