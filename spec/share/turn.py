"""One request of a member and its answer side by side with what the share partitions held: what
every relation here looks at.
"""

from collections.abc import Mapping, Sequence

from spec.fact import fact
from spec.frozen import frozen
from spec.kafka import INT32_MAX
from spec.log import Log
from spec.outcomes import Outcome
from spec.semantics import Semantics
from spec.share.model.acknowledge import Acknowledged, ShapeFault
from spec.share.model.acquire import Acquisition
from spec.share.model.partition import ShareState
from spec.share.model.records import Record
from spec.share.model.session import Admission, Mode, ShareRequest
from spec.share.model.settings import Settings
from spec.share.model.state import PartitionState
from spec.share.outcomes import (
    Acquired,
    ShareAcknowledgeAnswer,
    ShareAnswerPartition,
    ShareFetchAnswer,
)
from spec.share.releases import ShareSemantics
from spec.share.situation import situation
from spec.share.steps import (
    ACQUIRE_MODE_SINCE,
    BATCH_OPTIMIZED,
    MAX_RECORDS_SINCE,
    AcknowledgementBatch,
    DropConnection,
    GroupQuestion,
    ShareFetch,
)
from spec.share.wake import UNKNOWN, Wake
from spec.waiting import with_delay

SETTLE_MS = 2000.0
"""Within so many milliseconds a broker surely gives back what a closed session held (SHR-008), and
notices that a lock has run out.
"""
SLACK_MS = 2000.0
"""The time by which an answer may be later than its max_wait: load delays it, and this is about
waits that have no end.
"""
MOST_OFFSETS = 100_000
"""Offsets of one acquired range that are looked at one by one."""


@frozen(slots=False)
class Confirmed:
    """The acknowledgements of one partition in a turn.

    Attributes:
        partition: its number.
        batches: what was acknowledged.
        before: the share partition that they met; None where there is none, or it can't be
            followed.
        fault: what is wrong with their shape.
        expected: what the reference makes of them; None where that can't be said.
        got: the error code that was answered; None where the partition was left out.
        loaded: the share partition is known to have been loaded; until then any error may come.
        log_start: the first offset of the partition's log; 0 where there is none.
    """

    partition: int
    batches: tuple[AcknowledgementBatch, ...]
    before: ShareState | None
    fault: ShapeFault | None
    expected: Acknowledged | None
    got: int | None
    loaded: bool = True
    log_start: int = 0


@frozen(slots=False)
class Served:
    """One partition of a share fetch.

    Attributes:
        partition: its number.
        log: its log; None where it does not exist.
        slot: the share partition as the broker has it.
        before: its state as the fetch met it, after the acknowledgements sent along; None where it
            can't be followed.
        got: what was answered; None where it was left out.
        fault: the error that it must give; 0 where it is to be served.
        begins: where a read may begin instead of at the next fetch offset of that state.
        left: what the partitions before it left of MaxRecords, in the order that explains the
            answer best.
        expected: what the reference lets the member acquire.
    """

    partition: int
    log: Log | None
    slot: PartitionState
    before: ShareState | None
    got: ShareAnswerPartition | None
    fault: int
    begins: tuple[int, ...] = ()
    left: int = 0
    expected: Acquisition | None = None

    @fact
    def acquired_ranges(self) -> tuple[Acquired, ...]:
        """The ranges answered."""
        return self.got.acquired if self.got is not None else ()

    @fact
    def has_inverted_range(self) -> bool:
        """Whether a range ends before it begins (SHR-127)."""
        return any(one.last < one.first for one in self.acquired_ranges)

    @fact
    def counts(self) -> Mapping[int, int]:
        """Each offset answered as acquired, with its delivery count."""
        return counts_of(self.acquired_ranges)

    @fact
    def matches(self) -> bool:
        """Whether exactly the offsets were acquired, with the counts, that the reference gives."""
        return self.expected is not None and counts_of(self.expected.ranges) == self.counts


@frozen(slots=False)
class Configured:
    """One group config that was set.

    Attributes:
        key, value: by Kafka's names.
        bounds: the least and the greatest value that are taken; None where it takes words, or is
            not known.
        expected: whether it must be taken; None where the catalogue does not say.
    """

    key: str
    value: str
    bounds: tuple[int, int] | None
    expected: bool | None


@frozen(slots=False)
class Turn:
    """One request of a member, or of an administrator, how it was taken, and what came back.

    Attributes:
        step: the request, with the epoch that it carried.
        admission: how the session handler takes it.
        semantics, settings: the decisions and the group's settings in force.
        outcome: what came back.
        served: the partitions of the session, for a fetch.
        confirmed: the partitions that something was acknowledged in.
        configured: the group configs that were set.
        elapsed_ms: from sending to the outcome.
        quiet: nothing hidden can have changed what the request met: no lock about to run out, no
            other request under way.
        patience_over: the fetch was sent for the last time: it is sent again until it acquires
            something or its `patience_ms` have passed.
        partitions: how many partitions the layout has.
        group_prefix: the text that the group's name begins with, where a `NameGroup` step gave one.
        applied_in_part: acknowledgements that were answered with an error are taken to have had an
            effect on the member's own records (SHR-408).
        session_kept: a member's session is taken to have outlived its connection (SHR-026).
        settle_ms: `SETTLE_MS`, or more if the broker answers slowly.
        asked_ms: from the first sending of a patient fetch to the outcome; 0 for what is asked
            once.
        progress_ms: how long records that can be acquired may take to come (SHR-155).
        delay_ms: the longest delay that was measured meanwhile, see `Observation`.
        wake: what could end the wait of a fetch that is parked.
    """

    step: ShareRequest | GroupQuestion | DropConnection
    admission: Admission
    semantics: Semantics
    settings: Settings
    outcome: Outcome
    served: tuple[Served, ...] = ()
    confirmed: tuple[Confirmed, ...] = ()
    configured: tuple[Configured, ...] = ()
    elapsed_ms: float = 0.0
    quiet: bool = True
    patience_over: bool = False
    partitions: int = 0
    group_prefix: str = ""
    settle_ms: float = SETTLE_MS
    asked_ms: float = 0.0
    progress_ms: float = SETTLE_MS
    delay_ms: float = 0.0
    applied_in_part: bool = False
    session_kept: bool = False
    wake: Wake = UNKNOWN

    @fact
    def request(self) -> ShareRequest | None:
        """The request, where it is a member's."""
        return None if isinstance(self.step, GroupQuestion | DropConnection) else self.step

    @fact
    def known_version(self) -> bool:
        """Whether the broker answers this version of the request."""
        request = self.request
        return (
            request is None
            or self.semantics.of(ShareSemantics).oldest_fetch
            <= request.version
            <= self.semantics.of(ShareSemantics).newest_fetch
        )

    @fact
    def fetch(self) -> ShareFetch | None:
        """The request, where it is a fetch."""
        return self.step if isinstance(self.step, ShareFetch) else None

    @fact
    def answer(self) -> ShareFetchAnswer | ShareAcknowledgeAnswer | None:
        """The answer, where one came that fits the request."""
        kind = ShareFetchAnswer if isinstance(self.step, ShareFetch) else ShareAcknowledgeAnswer
        return self.outcome if isinstance(self.outcome, kind) else None

    @fact
    def fetch_answer(self) -> ShareFetchAnswer | None:
        """The answer to a fetch, where one came."""
        return self.answer if isinstance(self.answer, ShareFetchAnswer) else None

    @fact
    def is_answered_fetch(self) -> bool:
        """Whether it is a fetch that was answered without a top-level error, and was meant to
        fetch.
        """
        return (
            isinstance(self.step, ShareFetch)
            and self.answer is not None
            and self.answer.error == 0
            and self.admission.mode in {Mode.OPENING, Mode.CONTINUING}
        )

    @fact
    def max_records(self) -> int:
        """MaxRecords of a fetch; unbounded before the field was there."""
        return (
            self.step.max_records
            if isinstance(self.step, ShareFetch) and self.step.version >= MAX_RECORDS_SINCE
            else INT32_MAX
        )

    @fact
    def mode(self) -> int:
        """The acquire mode in force: before the field was there, batch_optimized."""
        return (
            self.step.mode
            if isinstance(self.step, ShareFetch) and self.step.version >= ACQUIRE_MODE_SINCE
            else BATCH_OPTIMIZED
        )

    @fact
    def followed_partitions(self) -> tuple[Served, ...]:
        """The partitions of an answered fetch whose state is known, and that answered without
        error, and with ranges that are ranges.

        Beside a range that ends before it begins (SHR-127) others name what is held, deleted or
        done with: one defect, reported once.
        """
        if not self.is_answered_fetch:
            return ()
        answered = [
            one
            for one in self.served
            if one.before is not None and not one.fault and not one.has_inverted_range
        ]
        return tuple([one for one in answered if one.got is None or one.got.error == 0])

    @fact
    def compared_partitions(self) -> tuple[tuple[Served, str], ...]:
        """Of these, those that are held against the reference, each with its `situation`."""
        return tuple(
            [
                (served, situation(self, served))
                for served in self.followed_partitions
                if served.expected is not None
                and served.log is not None
                and (served.counts or (served.slot.loaded and self.quiet))
            ]
        )

    @fact
    def acquired_offsets(self) -> tuple[tuple[Served, int, Record | None, int], ...]:
        """Each offset that was acquired in these, at or past the start offset: its partition, what
        was known of it, and its delivery count.
        """
        return tuple(
            [
                (served, offset, served.before.record(offset), count)
                for served in self.followed_partitions
                if served.before is not None
                for offset, count in served.counts.items()
                if offset >= served.before.start
            ]
        )

    @property
    def as_reference(self) -> bool:
        """Whether partitions were served, and acknowledgements answered, exactly as the reference
        does in what the request met.
        """
        served = all(one.expected is None or one.matches for one in self.followed_partitions)
        return served and all(
            one.expected is None or one.got == one.expected.error for one in self.confirmed
        )

    @property
    def slack_ms(self) -> float:
        """The time by which an answer may be later than a fast broker gives it."""
        return with_delay(SLACK_MS, self.delay_ms)

    @fact
    def total(self) -> int:
        """Offsets acquired in all partitions."""
        return sum([len(one.counts) for one in self.served])


def counts_of(ranges: Sequence[Acquired]) -> dict[int, int]:
    """Each offset of some ranges with its delivery count; of one that is named twice, the last.

    Of a range, `MOST_OFFSETS` are looked at: one past any log's end is reported by SHR-129, and
    must not fill the memory.
    """
    ends = [(one, min(one.last, one.first + MOST_OFFSETS - 1)) for one in ranges]
    return {offset: one.count for one, last in ends for offset in range(one.first, last + 1)}
