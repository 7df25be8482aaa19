"""The writes of a history of fetches: in which orders they can have had their effect, and what a
fetch may show of them.
"""

from collections.abc import Iterator, Sequence
from math import inf

from spec import observer
from spec.fetch.steps import Fetch
from spec.frozen import frozen
from spec.log import Log
from spec.observation import Exchange, Observation
from spec.outcomes import AppendAnswer, NotSent
from spec.scenario import Scenario
from spec.steps import Append, DeleteRecords


@frozen
class Write:
    """One write.

    Attributes:
        place: the number of its step.
        step: what was written.
        sent: when it was sent, ms.
        done: when it surely was done, ms; infinite where its answer does not say so, and it may
            never be.
        offset: the base offset that the answer to an append names; None where it names none.
    """

    place: int
    step: Append | DeleteRecords
    sent: float
    done: float = inf
    offset: int | None = None

    @property
    def partition(self) -> int:
        """The partition that it was made to."""
        return self.step.partition

    def precedes(self, other: "Write") -> bool:
        """Whether it had its effect before the other one had."""
        same = self.step.actor == other.step.actor and self.place < other.place
        return self.done < inf and (same or self.done < other.sent)

    def is_shown(self, fetch: Fetch, exchange: Exchange) -> bool:
        """Whether a fetch must show it: it was done before that was sent."""
        if self.step.actor == fetch.actor:
            return self.done < inf and self.place < exchange.step
        return self.done < exchange.sent_ms

    def may_be_shown(self, fetch: Fetch, exchange: Exchange) -> bool:
        """Whether a fetch may show it: it was sent before that was answered."""
        if self.step.actor == fetch.actor:
            return self.place < exchange.step
        return self.sent <= exchange.answered_ms


@frozen
class LogVersion:
    """The version of a partition that a fetch shows.

    Attributes:
        applied: numbers of writes in the order of their effect.
        read: how many of them had it when the records were read.
        reported: how many had it when the first of the reported offsets was taken. They are taken
            one after the other, immediately before (Partition.scala, `readRecords`).
    """

    applied: tuple[int, ...]
    read: int
    reported: int


def writes_of(scenario: Scenario, observation: Observation) -> tuple[Write, ...]:
    """The writes that were sent, in the order of the steps. Any that was not answered as done may
    have been done, or not.
    """
    found = []
    for exchange in observation.exchanges:
        step, outcome = scenario.steps[exchange.step], exchange.outcome
        if not isinstance(step, Append | DeleteRecords) or isinstance(outcome, NotSent):
            continue
        if isinstance(outcome, AppendAnswer) and not outcome.error:
            offset = outcome.offset if isinstance(step, Append) else None
            found.append(Write(exchange.step, step, exchange.sent_ms, exchange.answered_ms, offset))
        else:
            found.append(Write(exchange.step, step, exchange.sent_ms))
    return tuple(found)


class Writes:
    """The writes to one partition.

    Args:
        log: before them.
        writes: in the order of the steps; a write's number is its place here.
    """

    def __init__(self, log: Log, writes: Sequence[Write]) -> None:
        self.partition = writes[0].partition
        self._writes = writes
        self._logs: dict[tuple[int, ...], Log] = {(): log}
        numbers = range(len(writes))
        self._before = [
            frozenset([one for one in numbers if writes[one].precedes(write)]) for write in writes
        ]

    def log(self, applied: tuple[int, ...]) -> Log:
        """The partition after these writes in this order."""
        if applied not in self._logs:
            log, step = self.log(applied[:-1]), self._writes[applied[-1]].step
            after = (
                log.with_batch(step.batch)
                if isinstance(step, Append)
                else log.deleted_to(step.offset)
            )
            self._logs[applied] = after
        return self._logs[applied]

    def moments(self, version: LogVersion) -> tuple[Log, ...]:
        """The partition from when its first offset was taken until it was read."""
        lengths = range(version.reported, version.read + 1)
        return tuple([self.log(version.applied[:length]) for length in lengths])

    def versions(
        self, applied: tuple[int, ...], floor: int, fetch: Fetch, exchange: Exchange
    ) -> list[LogVersion]:
        """The versions that a fetch may show.

        Args:
            applied: the writes that other fetches have shown, in their order.
            floor: how many of these it must show.
            fetch: the fetch.
            exchange: when it was sent and answered.

        Raises:
            TooManyStatesError: there are more than are followed.
        """
        shown = frozenset(
            [n for n, write in enumerate(self._writes) if write.is_shown(fetch, exchange)]
        )
        may_be = frozenset(
            [n for n, write in enumerate(self._writes) if write.may_be_shown(fetch, exchange)]
        )
        for by_offset in (True, False):
            found = []
            for order in self._orders(applied, may_be, by_offset=by_offset):
                lengths = [
                    length
                    for length in range(floor, len(order) + 1)
                    if shown <= set(order[:length]) and may_be.issuperset(order[:length])
                ]
                new = [length for length in lengths if length == len(order) or order == applied]
                found += [
                    LogVersion(order, read, reported)
                    for read in new
                    for reported in lengths
                    if reported <= read
                ]
                if len(found) > observer.MOST_STATES:
                    raise observer.TooManyStatesError
            if found:
                return found
        return [LogVersion(applied, floor, floor)]

    def _orders(
        self, applied: tuple[int, ...], may_be: frozenset[int], *, by_offset: bool
    ) -> Iterator[tuple[int, ...]]:
        """The orders that begin as those writes were shown: that one, and each longer one with
        further writes.

        Of appends that are answered with offsets, the one comes next whose offset is the log's end.
        """
        yield applied
        for number in sorted(may_be - set(applied)):
            write = self._writes[number]
            if not self._before[number] <= set(applied):
                continue
            if by_offset and write.offset is not None and write.offset != self.log(applied).end:
                continue
            yield from self._orders((*applied, number), may_be, by_offset=by_offset)
