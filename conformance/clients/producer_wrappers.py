"""Wrappers that make a producer wrong, or unusual, in one way."""

from __future__ import annotations

from conformance.clients.wrapped import Message, Wrapped

Result = int | str | None
"""What a producer reports of a record: its offset, -1 where that is not known, an error, or nothing
yet.
"""


class ReportsOtherwise(Wrapped):
    """Another result of each record is reported than the client has."""

    def result(self, one: Result) -> Result:
        """What is reported in place of this."""
        return one

    def produce(self, command: Message) -> Message:
        """With other results."""
        answer = self.ask(command)
        if "error" in answer:
            return answer
        return {"ok": {"results": [self.result(one) for one in answer["ok"]["results"]]}}


class DropsUnwritten(Wrapped):
    """The last record of a producer is reported as written, and never given to it."""

    def produce(self, command: Message) -> Message:
        """All but the last, and success for that."""
        *records, _ = command["records"]
        answer = self.ask({**command, "records": records})
        if "error" in answer:
            return answer
        return {"ok": {"results": [*answer["ok"]["results"], -1]}}


class HidesErrors(ReportsOtherwise):
    """A record that a producer could not write is reported as written."""

    def result(self, one: Result) -> Result:
        """With success for every error."""
        return -1 if isinstance(one, str) else one


class ForgetsResults(ReportsOtherwise):
    """A producer reports nothing of a record that it could not write."""

    def result(self, one: Result) -> Result:
        """Without the errors."""
        return None if isinstance(one, str) else one


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


class NamesNoOffset(ReportsOtherwise):
    """A producer does not say at which offset a record was written."""

    def result(self, one: Result) -> Result:
        """Success alone."""
        return -1 if isinstance(one, int) else one
