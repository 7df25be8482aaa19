"""Planted faults of clients, and legal variants: `python -m conformance.clients.planted NAME
COMMAND...` runs any client behind a wrapper that makes it wrong, or unusual, in one way.
"""

from __future__ import annotations

import json
import subprocess
import sys
from enum import StrEnum
from typing import TYPE_CHECKING

from conformance.clients import consumer_wrappers as consumers
from conformance.clients import producer_wrappers as producers
from conformance.misuse import BadConfiguration
from conformance.own_process import own_command
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.clients.wrapped import Message, Wrapped


class Expected(StrEnum):
    """The verdict that must come of it."""

    VIOLATES = "violates"
    DEVIATES = "deviates"
    CONFORMS = "conforms"


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
    _fault("skips-a-record", consumers.Skips, "FAI-020", "FAI-063", "FAI-072"),
    _fault("repeats-a-record", consumers.Repeats, "FAI-021", "FAI-022", "FAI-061"),
    _fault("reorders-records", consumers.Reorders, "FAI-022", "FAI-062"),
    _fault("max-poll-records-ignored", consumers.Overfills, "FAI-014"),
    _fault("loses-what-is-over-the-limit", consumers.Loses, "FAI-020"),
    _fault("corrupts-a-value", consumers.Corrupts, "FAI-012"),
    _fault("offsets-one-too-high", consumers.Mislabels, "FAI-010", "FAI-012", "FAI-020"),
    _fault("starves-the-last-partition", consumers.Starves, "FAI-015"),
    _fault("withholds-records", consumers.Withholds, "FAI-015"),
    _fault("hangs", consumers.Hangs, "FAI-001"),
    _fault("hangs-at-a-marker", consumers.HangsAtMarker, "FAI-001"),
    _fault("dies-on-an-error", consumers.Dies, "FAI-002"),
    _fault("spins-on-an-error", consumers.Spins, "FAI-015", "FAI-016"),
    _fault("delivers-aborted-records", consumers.Uncommitted, "FAI-011"),
    _fault("pause-ignored", consumers.IgnoresPause, "FAI-013"),
    _fault("seek-ignored", consumers.IgnoresSeek, "FAI-020", "FAI-021"),
    _fault("position-too-far", consumers.RunsAhead, "FAI-030"),
    _fault("commits-too-far", consumers.CommitsAhead, "FAI-032"),
    _fault("accepts-what-is-released", consumers.AcceptsReleased, "FAI-066"),
    _fault("forgets-an-acknowledgement", consumers.ForgetsAcknowledgement, "FAI-067"),
    _fault("hides-refused-acknowledgements", consumers.HidesRefusals, "FAI-070"),
    _fault("counts-each-delivery-as-the-first", consumers.CountsOnce, "FAI-069"),
    _fault("drops-a-record-unwritten", producers.DropsUnwritten, "FAI-080"),
    _fault("hides-errors-of-records", producers.HidesErrors, "FAI-080"),
    _fault("forgets-results", producers.ForgetsResults, "FAI-081"),
    _fault("writes-a-record-twice", producers.WritesTwice, "FAI-082"),
    _fault("writes-backwards", producers.WritesBackwards, "FAI-083"),
    ClientFault(
        "partition-limit-limits-the-fetch",
        frozenset({"FAI-050"}),
        Expected.DEVIATES,
        consumers.MixesLimits,
    ),
    *[
        ClientFault(name, frozenset(), Expected.CONFORMS, wrapper)
        for name, wrapper in (
            ("grouped-by-partition", consumers.Groups),
            ("hesitates", consumers.ReturnsNothingAtTimes),
            ("late", consumers.Late),
            ("one-record-a-poll", consumers.ReturnsOneRecord),
            ("names-refusals-otherwise", consumers.NamesRefusals),
            ("flushes-each-record", producers.WritesOneByOne),
            ("names-no-offset", producers.NamesNoOffset),
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
