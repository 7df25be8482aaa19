"""The number of bytes that one read returns: the fetch limit as one pure function of whole numbers,
with a contract that CrossHair proves.
"""


def length_of_read(first: int, there: int, cap: int, progress: bool) -> int:
    """Bytes returned of a partition that has `there` bytes to read, the first batch `first` of
    them, with `cap` bytes left to it.

    With `progress` the first batch is returned however small the cap (KIP-74). Source:
    LogSegment.java:431-459 of Kafka 4.3.1.

    pre: 0 < first <= there
    pre: cap >= 0
    post: _ <= max(cap, first if progress else 0)
    post: _ == 0 or first <= _ <= there
    post: not progress or _ >= first
    post: _ == there or _ == 0 or _ >= cap
    """
    limit = max(cap, first) if progress else cap
    return 0 if limit < first else min(limit, there)
