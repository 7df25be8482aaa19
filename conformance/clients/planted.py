"""Planted faults of clients, and legal variants: `python -m conformance.clients.planted NAME
COMMAND...` runs any client behind a wrapper that makes it wrong, or unusual, in one way.

The wrapper speaks the protocol on both sides: it changes commands on their way to the client, and
answers on their way back.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from conformance.misuse import BadConfiguration
from conformance.own_process import own_command
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Message = dict[str, Any]
Record = list[Any]
NEVER_S = 3600.0
LATE_S = 0.05


class Expected(StrEnum):
    """The verdict that must come of it."""

    VIOLATES = "violates"
    DEVIATES = "deviates"
    CONFORMS = "conforms"


class Wrapped:
    """A client behind a wrapper that changes nothing; a fault overrides what it changes.

    Args:
        ask: the client's own answer to a command.

    Attributes:
        limit: its `max.poll.records`; 0 where none is set.
        polls: how many polls returned records since it was opened.
        partitions: what is assigned.
    """

    def __init__(self, ask: Callable[[Message], Message]) -> None:
        self.ask = ask
        self.limit = 0
        self.polls = 0
        self.partitions: list[list[Any]] = []

    def answer(self, command: Message) -> Message:
        """What is answered to a command."""
        do = command["do"]
        if do == "open":
            self.open_consumer()
            self.limit = int(command["options"].get("max.poll.records", 0))
            command = {**command, "options": self.options(dict(command["options"]))}
        elif do == "assign":
            self.partitions = command["partitions"]
        if do == "poll":
            return self.poll(command)
        change: Callable[[Message], Message] = getattr(self, do, self.ask)
        return change(command)

    def open_consumer(self) -> None:
        """A consumer is made."""
        self.polls, self.partitions = 0, []

    def options(self, options: dict[str, str]) -> dict[str, str]:
        """The options that the client is given."""
        return options

    def poll(self, command: Message) -> Message:
        """The answer to a poll."""
        answer = self.ask(command)
        if "error" in answer:
            return self.answer_error(answer)
        records = answer["ok"]["records"]
        self.polls += bool(records)
        return {"ok": {"records": self.deliver(records)}}

    def answer_error(self, answer: Message) -> Message:
        """The answer to a poll that reports an error."""
        return answer

    def deliver(self, records: list[Record]) -> list[Record]:
        """What a poll delivers of what the client does."""
        return records


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


class DropsUnwritten(Wrapped):
    """The last record of a producer is reported as written, and never given to it."""

    def produce(self, command: Message) -> Message:
        """All but the last, and success for that."""
        *records, _ = command["records"]
        answer = self.ask({**command, "records": records})
        if "error" in answer:
            return answer
        return {"ok": {"results": [*answer["ok"]["results"], -1]}}


class HidesErrors(Wrapped):
    """A record that a producer could not write is reported as written."""

    def produce(self, command: Message) -> Message:
        """With success for every error."""
        answer = self.ask(command)
        if "error" in answer:
            return answer
        results = [-1 if isinstance(one, str) else one for one in answer["ok"]["results"]]
        return {"ok": {"results": results}}


class ForgetsResults(Wrapped):
    """A producer reports nothing of a record that it could not write."""

    def produce(self, command: Message) -> Message:
        """Without the errors."""
        answer = self.ask(command)
        if "error" in answer:
            return answer
        results = [None if isinstance(one, str) else one for one in answer["ok"]["results"]]
        return {"ok": {"results": results}}


class WritesTwice(Wrapped):
    """The first record of a producer is written twice."""

    def produce(self, command: Message) -> Message:
        """The first one alone before all of them."""
        self.ask({**command, "records": command["records"][:1]})
        return self.ask(command)


class WritesBackwards(Wrapped):
    """A producer writes its records in the reverse of their order."""

    def produce(self, command: Message) -> Message:
        """In reverse."""
        answer = self.ask({**command, "records": command["records"][::-1]})
        if "error" in answer:
            return answer
        return {"ok": {"results": answer["ok"]["results"][::-1]}}


class WritesOneByOne(Wrapped):
    """A producer is flushed after each record."""

    def produce(self, command: Message) -> Message:
        """One after the other."""
        results = []
        for record in command["records"]:
            answer = self.ask({**command, "records": [record]})
            if "error" in answer:
                return answer
            results += answer["ok"]["results"]
        return {"ok": {"results": results}}


class NamesNoOffset(Wrapped):
    """A producer does not say at which offset a record was written."""

    def produce(self, command: Message) -> Message:
        """Success alone."""
        answer = self.ask(command)
        if "error" in answer:
            return answer
        results = [-1 if isinstance(one, int) else one for one in answer["ok"]["results"]]
        return {"ok": {"results": results}}


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


class Hesitates(Wrapped):
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


class Sips(Wrapped):
    """A poll returns one record, whatever more it may."""

    def options(self, options: dict[str, str]) -> dict[str, str]:
        """With a limit of one."""
        return {**options, "max.poll.records": "1"}


@frozen
class ClientFault:
    """A way for a client to be wrong, or unusual.

    Attributes:
        name: how it is chosen.
        clauses: those of which one must name it; none for a legal variant.
        expected: the verdict.
        wrapper: what changes the client.
    """

    name: str
    clauses: frozenset[str]
    expected: Expected
    wrapper: type[Wrapped]

    @property
    def summary(self) -> str:
        """Its behaviour, in one sentence."""
        return (self.wrapper.__doc__ or "").strip().replace("\n    ", " ")


def _fault(name: str, wrapper: type[Wrapped], *clauses: str) -> ClientFault:
    return ClientFault(name, frozenset(clauses), Expected.VIOLATES, wrapper)


FAULTS = (
    _fault("skips-a-record", Skips, "FAI-020", "FAI-063", "FAI-066"),
    _fault("repeats-a-record", Repeats, "FAI-021", "FAI-022", "FAI-061"),
    _fault("reorders-records", Reorders, "FAI-022", "FAI-062"),
    _fault("max-poll-records-ignored", Overfills, "FAI-014"),
    _fault("loses-what-is-over-the-limit", Loses, "FAI-020"),
    _fault("corrupts-a-value", Corrupts, "FAI-012"),
    _fault("offsets-one-too-high", Mislabels, "FAI-010", "FAI-012", "FAI-020"),
    _fault("starves-the-last-partition", Starves, "FAI-015"),
    _fault("withholds-records", Withholds, "FAI-015"),
    _fault("hangs", Hangs, "FAI-001"),
    _fault("hangs-at-a-marker", HangsAtMarker, "FAI-001"),
    _fault("dies-on-an-error", Dies, "FAI-002"),
    _fault("spins-on-an-error", Spins, "FAI-015", "FAI-016"),
    _fault("delivers-aborted-records", Uncommitted, "FAI-011"),
    _fault("pause-ignored", IgnoresPause, "FAI-013"),
    _fault("seek-ignored", IgnoresSeek, "FAI-020", "FAI-021"),
    _fault("position-too-far", RunsAhead, "FAI-030"),
    _fault("commits-too-far", CommitsAhead, "FAI-032"),
    _fault("accepts-what-is-released", AcceptsReleased, "FAI-066"),
    _fault("forgets-an-acknowledgement", ForgetsAcknowledgement, "FAI-067"),
    _fault("hides-refused-acknowledgements", HidesRefusals, "FAI-070"),
    _fault("counts-each-delivery-as-the-first", CountsOnce, "FAI-069"),
    _fault("drops-a-record-unwritten", DropsUnwritten, "FAI-080"),
    _fault("hides-errors-of-records", HidesErrors, "FAI-080"),
    _fault("forgets-results", ForgetsResults, "FAI-081"),
    _fault("writes-a-record-twice", WritesTwice, "FAI-082"),
    _fault("writes-backwards", WritesBackwards, "FAI-083"),
    ClientFault(
        "partition-limit-limits-the-fetch",
        frozenset({"FAI-050"}),
        Expected.DEVIATES,
        MixesLimits,
    ),
    *[
        ClientFault(name, frozenset(), Expected.CONFORMS, wrapper)
        for name, wrapper in (
            ("grouped-by-partition", Groups),
            ("hesitates", Hesitates),
            ("late", Late),
            ("one-record-a-poll", Sips),
            ("names-refusals-otherwise", NamesRefusals),
            ("flushes-each-record", WritesOneByOne),
            ("names-no-offset", NamesNoOffset),
        )
    ],
)


def fault_named(name: str) -> ClientFault:
    """The fault of that name.

    Raises:
        BadConfiguration: there is none.
    """
    for fault in FAULTS:
        if fault.name == name:
            return fault
    known = ", ".join([fault.name for fault in FAULTS])
    raise BadConfiguration(f"expected one of the faults of clients {known}, found {name!r}")


def planted_command(name: str, command: Sequence[str]) -> list[str]:
    """The command that starts a client with a planted fault."""
    return own_command("conformance.clients.planted", name, *command)


class Child:
    """The client that is wrapped, as a child process.

    Args:
        command: starts it.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - the command is the user's own
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def read(self) -> Message:
        """The next line of the client; this process ends where the client has."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            sys.exit(self._process.wait())
        message: Message = json.loads(line)
        return message

    def ask(self, command: Message) -> Message:
        """Its answer to a command."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        return self.read()


def main() -> None:
    """Run the client of the command line behind its wrapper."""
    name, *command = sys.argv[1:]
    fault, child = fault_named(name), Child(command)
    greeting = child.read()
    wrapped = fault.wrapper(child.ask)
    _write({**greeting, "client": f"{greeting['client']} ({name})"})
    for line in sys.stdin:
        _write(wrapped.answer(json.loads(line)))


def _write(message: Message) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
