"""Brokers under test, and the errors of those that can't be had."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self, runtime_checkable

from spec.frozen import frozen

if TYPE_CHECKING:
    from types import TracebackType

    from conformance.wire.security import Security


APACHE_KAFKA = "apache-kafka"
"""The `implementation` in `facts` where it is known to be Apache Kafka's own code."""


class SystemProblem(Exception):  # noqa: N818 - it describes the system
    """A system under test can't be used. The message says what was expected, what was found and
    what to do next.
    """


class NotAvailable(SystemProblem):
    """A prerequisite is missing: Java, the broker's jars, a Docker daemon, a library."""


class UnknownVersion(SystemProblem):
    """A Kafka version for which there is no lock file: wrong use."""


class NotSupported(SystemProblem):
    """Asked for something that this kind of system can't do."""


class Unreachable(SystemProblem):
    """Nothing that speaks Kafka's protocol answers at the address."""


class Refused(Unreachable):
    """A broker answers at the address and does not take the credentials."""


class StartFailed(SystemProblem):
    """A system was started and did not come up.

    Attributes:
        reason: the broker's own words, as far as they could be found.
        log: the broker's log, kept; None if there is none.
    """

    def __init__(
        self, what: str, reason: str, *, log: Path | None = None, tail: tuple[str, ...] = ()
    ) -> None:
        self.reason = reason
        self.log = log
        self.tail = tail
        lines = [f"{what} did not start: {reason}"]
        if tail:
            lines += ["the last lines of its log:", *(f"    {line}" for line in tail)]
        if log is not None:
            lines.append(f"the whole log: {log}")
        super().__init__("\n".join(lines))


class BrokerSystem(Protocol):
    """A broker under test: it can be started, found, described and stopped.

    `start` is called once, from any thread; after it `address` is a (host, port) that speaks
    Kafka's protocol. `stop` may be called any number of times and never raises because the broker
    is already gone. Used as a context manager it starts and stops itself.
    """

    @property
    def address(self) -> tuple[str, int]:
        """The (host, port) of the first broker to connect to."""
        ...

    @property
    def security(self) -> Security:
        """Whether it speaks TLS, and how connections are authenticated."""
        ...

    def start(self) -> None:
        """Bring it up; returns when it answers. Raises a SystemProblem."""
        ...

    def facts(self) -> Mapping[str, str]:
        """The description for the header of a result: never a secret, a path or an address."""
        ...

    def stop(self) -> None:
        """Let it go."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


@frozen
class SparseFile:
    """A file that is zeros but for some parts.

    Attributes:
        size: its bytes.
        parts: the parts, each with its position.
    """

    size: int
    parts: tuple[tuple[int, bytes], ...]


Files = Mapping[Path, bytes | SparseFile | None]
"""Files by their path in the data folder; None for one that must not be there."""


@runtime_checkable
class CanPlaceFiles(Protocol):
    """The optional power to put files among the broker's own while it is stopped."""

    def restart_with(self, files: Files, config: Mapping[str, str] | None = None) -> None:
        """Stop in good order, put the files into the data folder, and start with them; `config` as
        for `CanRestart.restart`.
        """
        ...


@runtime_checkable
class ShowsItsData(Protocol):
    """The optional power to have its files read while it runs."""

    @property
    def data_dir(self) -> Path:
        """The folder that holds the partitions' folders."""
        ...


@runtime_checkable
class CanRestart(Protocol):
    """The optional power to start again on the same data."""

    def restart(self, config: Mapping[str, str] | None = None) -> None:
        """Stop in good order and start with the same data; `config` replaces the settings given
        before, if not None.
        """
        ...


@runtime_checkable
class StopsBrokers(Protocol):
    """The optional power to stop one of several brokers while the others run."""

    def stop_broker(self, node: int) -> None:
        """Stop a broker in good order; what it wrote stays."""
        ...

    def crash(self, node: int) -> None:
        """Kill a broker's process; what it wrote stays, flushed or not."""
        ...

    def revive(self, node: int) -> None:
        """Start it again on that, and wait until all brokers know it.

        Raises:
            StartFailed: it did not come up.
        """
        ...


@runtime_checkable
class ReportsItsEnd(Protocol):
    """The optional power to say what became of a broker that can't be reached any more."""

    def end_reason(self) -> str | None:
        """How it ended and where its last words are, if it has; None while it runs. May wait a
        moment to be sure.
        """
        ...


@runtime_checkable
class CanBeKilled(Protocol):
    """The optional power of a system whose data nobody needs: to end at once."""

    def kill(self) -> None:
        """End it abruptly; `stop` is still called, and removes what is left of it."""
        ...


@runtime_checkable
class StatesLimits(Protocol):
    """The optional power to say limits that its broker has and does not report."""

    @property
    def limits(self) -> Mapping[str, int]:
        """The limits, by config name."""
        ...


@runtime_checkable
class HasBrokers(Protocol):
    """The optional power to have several brokers."""

    @property
    def brokers(self) -> int | None:
        """How many it has; None where that is not known before it is reached."""
        ...
