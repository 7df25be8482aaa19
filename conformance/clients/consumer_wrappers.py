"""Wrappers that make a consumer, or a share consumer, wrong or unusual in one way."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from conformance.clients.wrapped import Message, Record, Wrapped

if TYPE_CHECKING:
    from collections.abc import Callable

NEVER_S = 3600.0
LATE_S = 0.05


class Skips(Wrapped):
    """The second record of a poll is lost."""

    def deliver(self, records: list[Record]) -> list[Record]:
        """Without the second of three."""
        return records[:1] + records[2:] if len(records) > 2 else records


class Repeats(Wrapped):
    """The first record of each second poll comes once more."""

    def deliver(self, records: list[Record]) -> list[Record]:
        """With the first one at the end again."""
        room = not self.limit or len(records) < self.limit
        return [*records, records[0]] if records and room and self.polls % 2 else records


class Reorders(Wrapped):
    """The last two records of a poll change places."""

    def deliver(self, records: list[Record]) -> list[Record]:
        """With the last two exchanged."""
        return [*records[:-2], *records[:-3:-1]] if len(records) > 1 else records


class Overfills(Wrapped):
    """A poll returns what two polls do."""

    def poll(self, command: Message) -> Message:
        """Poll twice."""
        first, second = super().poll(command), super().poll({**command, "timeout_ms": 0})
        if "error" in first or "error" in second:
            return first
        return {"ok": {"records": [*first["ok"]["records"], *second["ok"]["records"]]}}


class Loses(Wrapped):
    """More than `max.poll.records` is taken, and what is over the limit is lost."""

    def options(self, options: dict[str, str]) -> dict[str, str]:
        """With twice the limit."""
        return {**options, "max.poll.records": str(2 * self.limit)} if self.limit else options

    def deliver(self, records: list[Record]) -> list[Record]:
        """As many as the limit allows."""
        return records[: self.limit] if self.limit else records


class Corrupts(Wrapped):
    """One value in a poll is otherwise than it was written."""

    def deliver(self, records: list[Record]) -> list[Record]:
        """With another value at the end."""
        if not records:
            return records
        *before, (topic, partition, offset, key, _, *count) = records
        return [*before, [topic, partition, offset, key, "0" * 16, *count]]


class Mislabels(Wrapped):
    """Records are delivered under an offset that is one too high."""

    def deliver(self, records: list[Record]) -> list[Record]:
        """With the offset after each."""
        return [[topic, at, offset + 1, *rest] for topic, at, offset, *rest in records]


class Starves(Wrapped):
    """Nothing is ever delivered of the last partition."""

    def deliver(self, records: list[Record]) -> list[Record]:
        """Without those of the last partition."""
        last = max([one[1] for one in self.partitions], default=0)
        return [one for one in records if one[1] != last]


class Withholds(Wrapped):
    """What was fetched is not delivered after the third poll with records."""

    def deliver(self, records: list[Record]) -> list[Record]:
        """Nothing from then on."""
        return records if self.polls < 3 else []


class Hangs(Wrapped):
    """The third poll with records never returns."""

    def deliver(self, records: list[Record]) -> list[Record]:
        """Wait."""
        if self.polls == 3:
            time.sleep(NEVER_S)
        return records


class Dies(Wrapped):
    """The process ends where an error is to be reported."""

    def answer_error(self, answer: Message) -> Message:
        """End."""
        sys.exit(f"an error: {answer['error']}")


class Spins(Wrapped):
    """An error is never reported: from then on polls return nothing."""

    def __init__(self, ask: Callable[[Message], Message]) -> None:
        super().__init__(ask)
        self._spinning = False

    def open_consumer(self) -> None:
        """A consumer is made, which has met no error."""
        super().open_consumer()
        self._spinning = False

    def poll(self, command: Message) -> Message:
        """Nothing, once there was an error."""
        if self._spinning:
            time.sleep(command["timeout_ms"] / 1000)
            return {"ok": {"records": []}}
        return super().poll(command)

    def answer_error(self, answer: Message) -> Message:
        """Report nothing."""
        del answer
        self._spinning = True
        return {"ok": {"records": []}}


class Uncommitted(Wrapped):
    """Records of aborted transactions are delivered under read_committed."""

    def options(self, options: dict[str, str]) -> dict[str, str]:
        """With read_uncommitted."""
        return {**options, "isolation.level": "read_uncommitted"}


class IgnoresPause(Wrapped):
    """Records of paused partitions are delivered."""

    def pause(self, command: Message) -> Message:
        """Do nothing."""
        del command
        return {"ok": {}}


class IgnoresSeek(Wrapped):
    """A seek moves nothing."""

    def seek(self, command: Message) -> Message:
        """Do nothing."""
        del command
        return {"ok": {}}


class RunsAhead(Wrapped):
    """The position that is reported lies past a record that was not delivered."""

    def position(self, command: Message) -> Message:
        """One more."""
        answer = self.ask(command)
        return {"ok": {"offset": answer["ok"]["offset"] + 1}} if "ok" in answer else answer


class CommitsAhead(Wrapped):
    """The offsets that are committed are one too far."""

    def poll(self, command: Message) -> Message:
        """Remember which partitions were delivered from."""
        answer = super().poll(command)
        for topic, partition, *_ in answer.get("ok", {}).get("records", ()):
            if [topic, partition] not in self.partitions:
                self.partitions.append([topic, partition])
        return answer

    def commit(self, command: Message) -> Message:
        """Commit one more than each position."""
        found = [self.ask({"do": "position", "partition": one}) for one in self.partitions]
        offsets = [
            [*one, at["ok"]["offset"] + 1]
            for one, at in zip(self.partitions, found, strict=True)
            if "ok" in at
        ]
        return self.ask({**command, "offsets": offsets})


class MixesLimits(Wrapped):
    """The limit for a partition also becomes the limit of the whole fetch."""

    def options(self, options: dict[str, str]) -> dict[str, str]:
        """With both."""
        limit = options.get("max.partition.fetch.bytes")
        return options if limit is None else {**options, "fetch.max.bytes": limit}


class AcceptsReleased(Wrapped):
    """What the application of a share consumer releases is accepted."""

    def acknowledge(self, command: Message) -> Message:
        """Accept it."""
        return self.ask({**command, "way": "accept"})


class ForgetsAcknowledgement(Wrapped):
    """The last record that is acknowledged is forgotten."""

    def acknowledge(self, command: Message) -> Message:
        """All but the last."""
        return self.ask({**command, "records": command["records"][:-1]})


class HidesRefusals(Wrapped):
    """An acknowledgement that was refused is reported as success."""

    def acknowledge(self, command: Message) -> Message:
        """Success."""
        self.ask(command)
        return {"ok": {}}


class NamesRefusals(Wrapped):
    """A refused acknowledgement is reported by an exception of another name."""

    def acknowledge(self, command: Message) -> Message:
        """The error, by another name."""
        answer = self.ask(command)
        return {**answer, "error": "AcknowledgementFailed"} if "error" in answer else answer


class CountsOnce(Wrapped):
    """Each record of a share consumer comes as delivered for the first time."""

    def deliver(self, records: list[Record]) -> list[Record]:
        """With a count of one."""
        return [[*one[:5], 1] for one in records]


class HangsAtMarker(Wrapped):
    """A poll never returns once nothing but a marker lies before the end: it waits for a record."""

    def __init__(self, ask: Callable[[Message], Message]) -> None:
        super().__init__(ask)
        self._next: dict[tuple[str, int], int] = {}

    def open_consumer(self) -> None:
        """A consumer is made, which has delivered nothing."""
        super().open_consumer()
        self._next = {}

    def deliver(self, records: list[Record]) -> list[Record]:
        """Wait, where a position has passed what no record was."""
        for topic, partition, offset, *_ in records:
            self._next[topic, partition] = offset + 1
        if not records:
            for (topic, partition), following in self._next.items():
                answer = self.ask({"do": "position", "partition": [topic, partition]})
                if answer.get("ok", {}).get("offset", 0) > following:
                    time.sleep(NEVER_S)
        return records


class Groups(Wrapped):
    """A poll's records are grouped by partition, as Kafka's Java client does."""

    def deliver(self, records: list[Record]) -> list[Record]:
        """In the order of partitions."""
        return sorted(records, key=lambda one: -one[1])


class ReturnsNothingAtTimes(Wrapped):
    """Every second poll returns nothing at once."""

    def __init__(self, ask: Callable[[Message], Message]) -> None:
        super().__init__(ask)
        self._called = 0

    def poll(self, command: Message) -> Message:
        """Nothing, or what the client delivers."""
        self._called += 1
        return {"ok": {"records": []}} if self._called % 2 else super().poll(command)


class Late(Wrapped):
    """Every poll takes a moment longer."""

    def poll(self, command: Message) -> Message:
        """Wait first."""
        time.sleep(LATE_S)
        return super().poll(command)


class ReturnsOneRecord(Wrapped):
    """A poll returns one record, whatever more it may."""

    def options(self, options: dict[str, str]) -> dict[str, str]:
        """With a limit of one."""
        return {**options, "max.poll.records": "1"}
