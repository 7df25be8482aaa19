"""The bytes that a consumer with `max.poll.records=N` fetches and discards: today, and under a
profile of the draft.

The draft's motivation: such a consumer fetches by bytes, keeps what it can take, throws the rest
away and fetches that again from where it stopped. With a limit of records it fetches little more
than it takes.
"""

from collections.abc import Iterator

from drafts.max_records import walk
from drafts.max_records.profile import Profile
from spec.fetch.model import reference
from spec.fetch.model.read import Read
from spec.fetch.model.request import Ask
from spec.fetch.releases import FetchSemantics
from spec.frozen import frozen
from spec.log import Log

TODAY = "today"
"""The name of the cost without the draft among readings."""
FETCH_MAX_BYTES = 52428800
PARTITION_BYTES = 1048576
"""The consumer's defaults of `fetch.max.bytes` and `max.partition.fetch.bytes`."""


@frozen
class Cost:
    """The cost of reading one partition to its end.

    Attributes:
        fetches: requests that returned something.
        fetched: bytes returned.
        stored: bytes that lie there: each once.
        records: records taken.
    """

    fetches: int = 0
    fetched: int = 0
    stored: int = 0
    records: int = 0

    @property
    def thrown_away(self) -> int:
        """Bytes fetched beyond each batch once."""
        return max(0, self.fetched - self.stored)


def cost_of(
    log: Log, records: int, profile: Profile | None, partition_bytes: int = PARTITION_BYTES
) -> Cost:
    """Read a log from its start, `records` records at a time; None for today's fetches, without the
    draft.

    What is returned beyond those records is thrown away, and the next fetch begins after the last
    that was taken. Where an answer is empty (`oversize=refused`), the reading ends there.
    """
    position, fetches, fetched, taken = log.start, 0, 0, 0
    stored = sum(batch.size for batch in log.batches)
    while position < log.end:
        ask = Ask(0, position, partition_bytes)
        if profile is None:
            read = reference.read_one(
                log, ask, min(partition_bytes, FETCH_MAX_BYTES), 0, FetchSemantics(), progress=True
            )
        else:
            (read,) = walk.read_all(
                [ask], {0: log}, FETCH_MAX_BYTES, 0, FetchSemantics(), records, profile
            ).reads
        if not read.whole:
            break
        got = list(_offsets(log, read, position))[:records]
        fetches, fetched, taken = fetches + 1, fetched + read.size, taken + len(got)
        last = log.batches[read.first + read.whole - 1].last
        position = got[-1] + 1 if len(got) == records else last + 1
    return Cost(fetches, fetched, stored, taken)


def _offsets(log: Log, read: Read, position: int) -> Iterator[int]:
    """The offsets of the records from the position on in what was returned; those of a thinned
    batch are taken to be its first.
    """
    for batch in log.batches[read.first : read.first + read.whole]:
        if not batch.control:
            yield from range(max(batch.base, position), batch.base + batch.records)
