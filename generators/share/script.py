"""A share group's history while it is drawn: the model plays each step at once, so that the next
can be about what is held by then.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TypeVar

from hypothesis import strategies as st

from generators.numbers import below
from generators.weighted import chance, weighted
from spec.frozen import replace
from spec.kafka import Error
from spec.log import bytes_of
from spec.observation import Exchange
from spec.scenario import Scenario
from spec.share.dry_run import SharePlay
from spec.share.model.partition import ShareState
from spec.share.model.settings import Settings
from spec.share.outcomes import ShareAcknowledgeAnswer, ShareFetchAnswer
from spec.share.steps import (
    ACQUIRE_MODE_SINCE,
    FINAL_EPOCH,
    AcknowledgementBatch,
    AlterGroupConfig,
    ShareAcknowledge,
    ShareFetch,
    SharePartition,
)
from spec.steps import Step

PATIENCE_MS = 4000
"""How long a fetch is repeated where the model acquires something: a broker may still be loading,
or giving back.
"""
READ_COMMITTED = ("share.isolation.level", "read_committed")
"""The group config under which aborted records are filtered out."""
MEMBERS = 2
EVERYTHING = 500
FEW = 100
"""The lowest limit of record locks."""
MOST_SINGLE = 12
"""The longest run of offsets that is acknowledged with a type for each."""

BIT = st.integers(0, 1)
_kinds = weighted((2, 3), (1, 1), (3, 1), (0, 1))
"""Acknowledge types: what is released is delivered again, so that more can be done with it."""
_neighbours = weighted((0, 1), (-1, 1), (1, 1))
_usual = weighted((EVERYTHING, 1), (1, 1))

T = TypeVar("T")


def _has_failed(exchange: Exchange) -> bool:
    """Whether a request failed as a whole, so that what it did before is in doubt (DIV-07)."""
    outcome = exchange.outcome
    return (
        isinstance(outcome, ShareFetchAnswer | ShareAcknowledgeAnswer)
        and outcome.error == Error.UNKNOWN_SERVER_ERROR
    )


@dataclass
class ShareScript:
    """A history under way.

    Attributes:
        draw: Hypothesis's.
        play: the model, as far as the steps have led it.
        version: of the requests.
        mode: the acquire mode of most fetches.
        steps: what is done so far.
        gone: a member whose connection was dropped. It stays away: a broker that notices the loss
            late closes the session that it has opened on its next connection (seen on 4.3.1).
        ended: nothing more is done, since the broker may have acquired records that no answer
            showed of.
    """

    draw: st.DrawFn
    play: SharePlay
    version: int
    mode: int
    steps: list[Step] = field(default_factory=list)
    gone: int | None = None
    ended: bool = False

    def number(self, bound: int) -> int:
        """A number from 0 to `bound - 1`."""
        return self.draw(below(bound))

    def one_of(self, values: Sequence[T]) -> T:
        """One of some values, each as often."""
        return values[self.number(len(values))]

    def chance(self, yes: int, no: int) -> bool:
        """Whether something happens: in `yes` of `yes + no` cases."""
        return self.draw(chance(yes, no))

    def bit(self) -> int:
        """0 or 1, each as often."""
        return self.draw(BIT)

    def member(self) -> int:
        """One of the two members, but not one that is gone."""
        drawn: int = self.draw(BIT)
        return drawn if drawn != self.gone else 1 - drawn

    def other_member(self, member: int) -> int:
        """The other member, unless it is gone."""
        return member if self.gone == 1 - member else 1 - member

    def has(self, kind: type[Step]) -> bool:
        """Whether some step is of this kind."""
        return any(isinstance(step, kind) for step in self.steps)

    @property
    def closes(self) -> int:
        """How many sessions were closed so far."""
        return sum(
            isinstance(step, ShareFetch | ShareAcknowledge) and step.epoch == FINAL_EPOCH
            for step in self.steps
        )

    @property
    def has_aborted_to_filter(self) -> bool:
        """Whether the group reads committed records only, of a log with an aborted transaction.

        Such a fetch with a BatchSize below 1 can keep a request handler of Kafka 4.1 to 4.4 busy
        for ever, under a lock that its network threads wait for: no history comes near it, since
        none after it could be played.
        """
        committed = any(
            isinstance(step, AlterGroupConfig) and READ_COMMITTED in step.settings
            for step in self.steps
        )
        return committed and any(log.aborted for log in self.play.state.logs)

    @property
    def appends(self) -> bool:
        """Whether records can come: the segments of a log that was placed as files are as they
        are.
        """
        return not self.play.scenario.layout.is_crafted

    @property
    def settings(self) -> Settings:
        """The group's settings by now."""
        return self.play.state.settings(self.play.semantics, dict(self.play.scenario.config))

    @property
    def readable_bytes(self) -> int:
        """The bytes of the first partition that a fetch would read by now."""
        state, log = self.records(0), self.play.state.logs[0]
        offset = state.next_fetch_offset if state is not None else log.start
        return bytes_of(log.readable(offset, self.settings.isolation))

    def free_locks(self, number: int) -> int:
        """How many records of a partition may still be locked."""
        state = self.records(number)
        return self.settings.max_record_locks - (state.in_flight if state is not None else 0)

    @property
    def count(self) -> int:
        """How many partitions the layout has."""
        return len(self.play.state.logs)

    @property
    def every_partition(self) -> tuple[SharePartition, ...]:
        """All partitions of the layout."""
        return tuple([SharePartition(number) for number in range(self.count)])

    def add(self, step: Step) -> None:
        """Do a step; a fetch that acquires something on the model is patient."""
        exchanges = self.play.take(len(self.steps), step)
        if isinstance(step, ShareFetch) and not step.parked:
            outcomes = [one.outcome for one in exchanges if one.step == len(self.steps)]
            if any(
                isinstance(one, ShareFetchAnswer) and any(part.acquired for part in one.partitions)
                for one in outcomes
            ):
                step = replace(step, patience_ms=PATIENCE_MS)
        if isinstance(step, ShareFetch | ShareAcknowledge) and any(
            part.acknowledgements for part in step.partitions
        ):
            self.ended = self.ended or any(
                _has_failed(one) for one in exchanges if one.step == len(self.steps)
            )
        self.steps.append(step)

    def opens(self, member: int) -> bool:
        """Whether the member has no session yet, so that its next fetch opens one."""
        return self.play.state.session(member) is None

    def fetch(self, member: int, **fields: int) -> ShareFetch:
        """A fetch of the session as it is, or of everything where it opens one."""
        asked = self.every_partition if self.opens(member) else ()
        mode = self.mode if self.version >= ACQUIRE_MODE_SINCE else 0
        return replace(
            ShareFetch(asked, mode=mode, version=self.version, actor=member, batch_size=EVERYTHING),
            **fields,  # type: ignore[arg-type]
        )

    def records(self, number: int) -> ShareState | None:
        """The model's state of a share partition."""
        return self.play.state.partitions[number].records

    def held_runs(self, member: int) -> list[tuple[int, int, int]]:
        """(partition, first, last) of each run of offsets that a member holds."""
        found: list[tuple[int, int, int]] = []
        for number, offset in self._held_offsets(member):
            if found and found[-1][0] == number and found[-1][2] == offset - 1:
                found[-1] = (number, found[-1][1], offset)
            else:
                found.append((number, offset, offset))
        return found

    def _held_offsets(self, member: int) -> Iterator[tuple[int, int]]:
        for number, slot in enumerate(self.play.state.partitions):
            for batch in slot.records.cached if slot.records is not None else ():
                yield from (
                    (number, offset) for offset, record in batch.offsets() if record.held_by(member)
                )

    def fence(self) -> int:
        """A MaxRecords or BatchSize: at, below or above the end of a batch, counted from what is
        fetched next, or the locks that are left where these are few; or a usual one, or 1.
        """
        number = self.number(self.count)
        left = self.free_locks(number)
        if 0 < left <= FEW and self.settings.max_record_locks <= FEW and self.bit():
            return max(1, left + self.draw(_neighbours))
        state, log = self.records(number), self.play.state.logs[number]
        begin = state.next_fetch_offset if state is not None else log.start
        sizes = [
            batch.last - max(batch.base, begin) + 1 for batch in log.batches if batch.last >= begin
        ]
        ends = list(accumulate(sizes))[:3]
        if not ends or self.chance(1, 5):
            return self.draw(_usual)
        return max(1, self.one_of(ends) + self.draw(_neighbours))

    def part(self, run: tuple[int, int, int]) -> tuple[int, int]:
        """A part of a run of offsets: all of it, its head, its tail, or its middle."""
        _, first, last = run
        at = first + self.number(last - first + 1)
        return self.one_of(((first, last), (first, at), (at, last), (at, at)))

    def kinds(self, size: int) -> tuple[int, ...]:
        """Acknowledge types of so many offsets: one for all, or one each."""
        single = self.bit() and size <= MOST_SINGLE
        return tuple([self.draw(_kinds) for _ in range(size if single else 1)])

    def confirm(
        self, member: int, *batches: tuple[int, AcknowledgementBatch], renew: bool = False
    ) -> ShareAcknowledge:
        """Acknowledgements of some (partition, batch), those of one partition together."""
        parts: dict[int, tuple[AcknowledgementBatch, ...]] = {}
        for number, batch in batches:
            parts[number] = (*parts.get(number, ()), batch)
        named = tuple([SharePartition(number, own) for number, own in parts.items()])
        return ShareAcknowledge(named, renew=renew, version=self.version, actor=member)

    def scenario(self) -> Scenario:
        """The drawn scenario."""
        return replace(self.play.scenario, steps=tuple(self.steps))
