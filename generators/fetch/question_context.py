"""The context of the questions about one layout: its logs, their partial sums, and the frame
that all questions share.
"""

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import TypeVar

from generators.fetch.relations import SIDES
from spec.fetch.releases import FetchSemantics
from spec.fetch.steps import Fetch, FetchPartition
from spec.frozen import frozen
from spec.kafka import CURRENT_MAGIC, INT32_MAX, READ_COMMITTED, READ_UNCOMMITTED, SESSIONLESS_EPOCH
from spec.layout import Layout
from spec.log import Log, Stored, bytes_of, log_of
from spec.semantics import Semantics

T = TypeVar("T")

VERSION_STRIDE = 11
"""Neighbouring questions are asked in versions so far apart; it has no factor in common with any
number of versions from 12 to 21.
"""
COMMITTED_EVERY = 3
"""One question in so many is asked with read_committed, where nothing else decides it."""

ISOLATIONS = {
    READ_UNCOMMITTED: "isolation=read_uncommitted",
    READ_COMMITTED: "isolation=read_committed",
}
QUOTAS_EVERY = 4
"""In one sample of so many there are questions about quotas, so that those of several layouts share
the time they take.
"""
VERSIONS = tuple([f"version={version}" for version in range(128)])


@frozen
class Question:
    """One stateless fetch, and the relations it has to its layout's fences (see
    `generators.fetch.relations`).
    """

    fetch: Fetch
    relations: tuple[str, ...]


@frozen
class PossibleRead:
    """The possible result of one read: partition, offset and isolation, the batches there and their
    partial sums (never empty).
    """

    partition: int
    offset: int
    isolation: int
    batches: tuple[Stored, ...]
    sums: tuple[int, ...]

    @property
    def total(self) -> int:
        """Bytes of all of it."""
        return self.sums[-1]

    def served_bytes(self, limit: int, *, progress: bool = True) -> int:
        """Bytes that the reference serves of it within a limit of 0 or more (FET-001, FET-004)."""
        first = self.sums[0]
        if not progress and limit < first:
            return 0
        return min(max(limit, first), self.total)


def place(number: int, count: int) -> str:
    """Whether a fence is the first, a middle or the last of several."""
    return "first" if number == 0 else "last" if number == count - 1 else "middle"


def limits_around(sums: Sequence[int], what: str) -> list[tuple[int, str]]:
    """A limit one below, at and one above each partial sum, with its relation."""
    return [
        (total + step, f"{what}={where}:{place(number, len(sums))}")
        for number, total in enumerate(sums)
        for step, where in zip((-1, 0, 1), SIDES, strict=True)
    ]


def ends_with_segment(log: Log, reach: PossibleRead) -> bool:
    """Whether more could be read but for the end of the segment (FET-013)."""
    behind = log.batch_number(reach.batches[-1].last + 1)
    return behind < len(log.batches) and log.batches[behind].base < log.bound(reach.isolation)


def reads_older_segment(log: Log, offset: int, isolation: int) -> bool:
    """Whether a read with something to return starts on an older segment than its bound lies on
    (FET-016).
    """
    bound = log.bound(isolation)
    if not log.start <= offset < bound:
        return False
    return log.segment_of(offset) < log.segment_of(bound)


class QuestionContext:
    """A layout, ready to be asked about.

    Args:
        layout: what is asked about.
        semantics: the versions and limits of the broker.
        version, isolation: where given, all questions have it; otherwise they go through all.
        complete: ask everything, not a sample.
        older_epochs: whether the partitions have had a leader epoch before the current one, to be
            asked with.
        turn: where the sample begins; layouts differ in it so that each gives another sample.
    """

    def __init__(
        self,
        layout: Layout,
        semantics: Semantics,
        *,
        version: int | None,
        isolation: int | None,
        complete: bool,
        turn: int = 0,
        older_epochs: bool = True,
    ) -> None:
        self.logs: tuple[Log, ...] = tuple([log_of(partition) for partition in layout.partitions])
        self.count = len(self.logs)
        self.decisions = semantics.of(FetchSemantics)
        self.version = version
        self.isolation = isolation
        self.complete = complete
        self.older_epochs = older_epochs
        self.quotas = self.decisions.knows_quota_window and (complete or not turn % QUOTAS_EVERY)
        self.turn = turn + sum(
            [log.end + 7 * len(log.batches) + bytes_of(log.batches) for log in self.logs]
        )
        self.asked: list[Question] = []
        self._span = self.decisions.newest_fetch - self.decisions.oldest_fetch + 1
        self._reaches: dict[tuple[int, int, int], PossibleRead | None] = {}
        self._tags: dict[tuple[int, int, int], tuple[str, ...]] = {}

    def thin(self, items: Sequence[T], most: int) -> Sequence[T]:
        """`most` of the items, evenly spread from a changing start; all of them in a complete
        enumeration.
        """
        count = len(items)
        if self.complete or count <= most:
            return items
        self.turn += 1
        return [items[(self.turn + index * count // most) % count] for index in range(most)]

    def isolations(self) -> Sequence[int]:
        """The isolation levels to ask with: both, the given one, or (in a sample) one of them by
        turns.
        """
        if self.isolation is not None:
            return (self.isolation,)
        if self.complete:
            return (READ_UNCOMMITTED, READ_COMMITTED)
        self.turn += 1
        return (READ_UNCOMMITTED if self.turn % COMMITTED_EVERY else READ_COMMITTED,)

    def wants(self, isolation: int) -> bool:
        """Whether a question that is about one isolation level may be asked."""
        return self.isolation is None or self.isolation == isolation

    def reach(self, partition: int, offset: int, isolation: int) -> PossibleRead | None:
        """The possible result of a read; None where that is nothing."""
        key = (partition, offset, isolation)
        if key not in self._reaches:
            batches = self.logs[partition].readable(offset, isolation)
            sums = tuple(accumulate([batch.size for batch in batches]))
            self._reaches[key] = (
                PossibleRead(partition, offset, isolation, batches, sums) if batches else None
            )
        return self._reaches[key]

    def reaches(self, isolation: int) -> list[PossibleRead]:
        """The possible read of each partition with data at its log start, in order."""
        found = [self.reach(number, log.start, isolation) for number, log in enumerate(self.logs)]
        return [each for each in found if each is not None]

    def starts(self, partition: int) -> list[int]:
        """Offsets to read from: the log start, and of each batch the base, a middle offset, and the
        first one missing in front of it.
        """
        log = self.logs[partition]
        found = {log.start: None}
        for number, batch in enumerate(log.batches):
            for offset in (*log.hole(number)[:1], batch.base, (batch.base + batch.last + 1) // 2):
                if log.start <= offset:
                    found[offset] = None
        return list(found)

    def ask(
        self,
        partitions: Sequence[FetchPartition],
        relations: tuple[str, ...],
        *,
        isolation: int,
        max_bytes: int = INT32_MAX,
        min_bytes: int = 0,
        max_wait_ms: int = 0,
        since: int = 0,
        replica_id: int = -1,
        unknown_tag: int | None = None,
        version: int | None = None,
        session: int = 0,
        quota: int | None = None,
    ) -> None:
        """Add a question, incremental where it names a session; left out where a given version is
        older than `since`.
        """
        if version is None:
            version = self._next_version(since)
            if version is None:
                return
            relations = (*relations, VERSIONS[version])
        tags = self._about(partitions, isolation)
        fetch = Fetch(
            tuple(partitions),
            max_bytes,
            min_bytes,
            max_wait_ms,
            isolation,
            version,
            replica_id,
            session,
            epoch=1 if session else SESSIONLESS_EPOCH,
            unknown_tag=unknown_tag,
            quota=quota,
        )
        self.asked.append(Question(fetch, relations + tags))

    def _next_version(self, since: int) -> int | None:
        oldest, newest = self.decisions.oldest_fetch, self.decisions.newest_fetch
        if self.version is not None:
            return self.version if self.version >= since else None
        self.turn += 1
        version = oldest + self.turn * VERSION_STRIDE % self._span
        if version >= since:
            return version
        return since + self.turn % (newest - since + 1) if since <= newest else None

    def _about(self, partitions: Sequence[FetchPartition], isolation: int) -> tuple[str, ...]:
        """What the question has to do with by the first batch that it could be served; nothing of
        it where it is served none.
        """
        if isolation not in ISOLATIONS:
            return ()
        for ask in partitions:
            key = (ask.partition, ask.offset, isolation)
            tags = self._tags.get(key)
            if tags is None:
                known = ask.partition < self.count and not ask.absolute
                reach = self.reach(*key) if known else None
                tags = (
                    (ISOLATIONS[isolation], *_tags(self.logs[ask.partition], reach))
                    if reach
                    else ()
                )
                self._tags[key] = tags
            if tags:
                return tags
        return (ISOLATIONS[isolation],)


def _tags(log: Log, reach: PossibleRead) -> tuple[str, ...]:
    first, last = reach.batches[0], reach.batches[-1]
    found = [] if first.control else [f"codec={first.codec.value}"]
    if first.control:
        found.append("first=marker")
    elif first.txn is not None:
        found.append("first=transactional")
    elif first.records <= first.last - first.base:
        found.append("first=thinned" if first.records else "first=emptied")
    elif first.magic < CURRENT_MAGIC:
        found.append(f"magic={first.magic}")
    if last.last + 1 < log.end:
        follower = log.batches[log.batch_number(last.last + 1)]
        found.append("stops=stable" if follower.segment == last.segment else "stops=segment")
    if log.start:
        inside = first.base < log.start <= first.last
        missing = log.start in log.hole(log.batch_number(log.start))
        found.append(
            "log_start=inside-batch"
            if inside
            else "log_start=in-hole"
            if missing
            else "log_start=moved"
        )
        if log.start > log.undecided:
            found.append(
                "log_start=past-open:inside-batch" if inside else "log_start=past-open:base"
            )
    return tuple(found)


Strategy = Callable[[QuestionContext], None]
"""Asks the questions around one kind of fence."""
