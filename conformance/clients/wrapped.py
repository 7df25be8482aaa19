"""A wrapper around a client: it speaks the protocol on both sides, changes commands on their way to
the client, and answers on their way back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

Message = dict[str, Any]
Record = list[Any]


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
