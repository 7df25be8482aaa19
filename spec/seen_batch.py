"""Record batches as they were seen in an answer."""

from spec.frozen import frozen


@frozen
class SeenBatch:
    """One complete batch in the records of an answer.

    Attributes:
        base, last: its first and last offset, relative.
        size: its bytes, the 12-byte prefix included.
        records: the record count of its header.
        intact: its checksum holds and its content is what was placed there.
    """

    base: int
    last: int
    size: int
    records: int
    intact: bool = True
