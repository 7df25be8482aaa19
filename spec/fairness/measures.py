"""How fair a sequence of deliveries was: measures with their definitions, all pure.

A sequence names the partition of each record in order of delivery. A partition is *backlogged* at a
place in it while a record of it is still to come.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import groupby

from spec.frozen import frozen


@frozen
class Fairness:
    """The measures of one sequence.

    Attributes:
        window: records until the first partition is exhausted.
        jain: Jain's index over the window, see `jain_index`.
        longest_run: see `longest_run`.
        longest_wait: see `longest_wait`.
        most_polls: see `max_polls_without`.
    """

    window: int
    jain: float
    longest_run: int
    longest_wait: int
    most_polls: int


def measure_fairness(polls: Sequence[Sequence[int]]) -> Fairness:
    """The measures of what polls returned: the partitions of their records, poll by poll."""
    sequence = [partition for poll in polls for partition in poll]
    window = first_exhausted(sequence)
    counts = Counter(sequence[:window])
    return Fairness(
        window=window,
        jain=jain_index([counts[partition] for partition in {*sequence}]),
        longest_run=longest_run(sequence),
        longest_wait=longest_wait(sequence),
        most_polls=max_polls_without(polls),
    )


def jain_index(counts: Sequence[int]) -> float:
    """Jain's index of some shares: `(sum x)^2 / (n * sum x^2)`.

    1 where all are equal, `1 / n` where one has everything; 1 where there is nothing to share.
    """
    squares = sum([count * count for count in counts])
    return sum(counts) ** 2 / (len(counts) * squares) if squares else 1.0


def first_exhausted(sequence: Sequence[Hashable]) -> int:
    """Records up to the last one of the partition that is exhausted first; all of them, where
    nothing is left out by that.
    """
    return min([at + 1 for at in _last_places(sequence).values()], default=0)


def longest_run(sequence: Sequence[Hashable]) -> int:
    """The longest run of one partition while another one is backlogged: records of it in a row."""
    end = _end_of_competition(sequence)
    return max([len([*run]) for _, run in groupby(sequence[:end])], default=0)


def longest_wait(sequence: Sequence[Hashable]) -> int:
    """The most records of others in a row that a backlogged partition waited for, from the
    beginning of the sequence or from its own record before.
    """
    before: dict[Hashable, int] = dict.fromkeys(sequence, -1)
    longest = 0
    for at, partition in enumerate(sequence):
        longest = max(longest, at - before[partition] - 1)
        before[partition] = at
    return longest


def max_polls_without(polls: Sequence[Sequence[Hashable]]) -> int:
    """The most polls in a row that returned records, and none of a partition that was backlogged
    all the time. It bounds starvation in polls.
    """
    full = [poll for poll in polls if poll]
    every = {partition for poll in full for partition in poll}
    longest = 0
    for partition in every:
        since = 0
        for poll in full:
            if partition in poll:
                longest, since = max(longest, since), 0
            else:
                since += 1
    return longest


def _last_places(sequence: Sequence[Hashable]) -> dict[Hashable, int]:
    """The place of each partition's last record."""
    return {partition: at for at, partition in enumerate(sequence)}


def _end_of_competition(sequence: Sequence[Hashable]) -> int:
    """Records until one partition alone is left: up to the last record of any but the last one."""
    places = sorted(_last_places(sequence).values())
    return places[-2] + 1 if len(places) > 1 else 0
