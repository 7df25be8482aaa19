"""A Fetch request as the broker takes it: duplicates folded, sessions followed, unknown partitions
distinguished.
"""

from collections.abc import Iterable, Sequence

from spec.fetch.steps import FetchPartition
from spec.frozen import frozen
from spec.kafka import INT64_MAX, INT64_MIN, LEADER_EPOCH_SINCE, TOPIC_IDS_SINCE, Error


@frozen
class Ask:
    """The request of a fetch to one partition.

    Attributes:
        partition: its number in the layout.
        offset: fetch offset, relative.
        max_bytes: the partition's limit.
        leader_epoch: relative to the current one; None: not checked, as before the version that
            carries it.
    """

    partition: int
    offset: int
    max_bytes: int
    leader_epoch: int | None = None


def ask_of(part: FetchPartition, version: int) -> Ask:
    """The ask that an entry of a request of this version stands for; offsets past the ends of int64
    are clamped.
    """
    offset = part.offset
    if not INT64_MIN <= offset <= INT64_MAX:
        offset = INT64_MIN if offset < 0 else INT64_MAX
    leader_epoch = part.leader_epoch if version >= LEADER_EPOCH_SINCE else None
    return Ask(part.partition, offset, part.max_bytes, leader_epoch)


def fold_asks(parts: Iterable[FetchPartition], version: int) -> tuple[Ask, ...]:
    """The asks of a request: of a partition named twice, the first position and the last parameters
    (FET-009).
    """
    asks: dict[int, Ask] = {}
    for part in parts:
        asks[part.partition] = ask_of(part, version)
    return tuple(asks.values())


def possible_folds(parts: Sequence[FetchPartition], version: int) -> tuple[tuple[Ask, ...], ...]:
    """Each way to take a request that names partitions twice: `folded` first, as the reference
    does.

    The others: the first mention counts, the last one counts in its own place, the first one counts
    in the place of the last. No promise says which.
    """
    reference = fold_asks(parts, version)
    if len(reference) == len(parts):
        return (reference,)
    first = {ask.partition: ask for ask in fold_asks(parts[::-1], version)}
    last = {ask.partition: ask for ask in reference}
    firsts = tuple([first[ask.partition] for ask in reference])
    places = [
        part.partition
        for place, part in enumerate(parts)
        if part.partition not in {one.partition for one in parts[place + 1 :]}
    ]
    found = (
        reference,
        firsts,
        tuple([last[number] for number in places]),
        tuple([first[number] for number in places]),
    )
    return tuple(dict.fromkeys(found))


def unknown_error(extra: int, version: int) -> int:
    """The error of a partition that does not exist.

    Args:
        extra: how far its number is past the layout's last; odd: a partition its topic does not
            have, even: no such topic.
        version: the request version; from 13 on topics go by id (KIP-516).
    """
    if extra % 2 == 0 and version >= TOPIC_IDS_SINCE:
        return Error.UNKNOWN_TOPIC_ID
    return Error.UNKNOWN_TOPIC_OR_PARTITION
