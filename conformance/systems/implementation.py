"""Implementations of Kafka's protocol by others, each run as a child process that ends with this
one.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import time
from dataclasses import field
from typing import TYPE_CHECKING

from conformance.lifetime import StartsAndStops
from conformance.own_process import own_environment
from conformance.systems.base import StartFailed, Unreachable
from conformance.systems.broker_config import HOST
from conformance.systems.child import Child
from conformance.systems.leftovers import make_folder, remove_later, remove_leftovers
from conformance.systems.probe import await_broker
from conformance.wire.security import PLAINTEXT
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_TRIES = 3
_START_S = 30.0
_STOP_S = 10.0
_LAST_LINES = 20
_PAUSE_S = 0.01
_LISTENS = re.compile(r"^listens on (127\.0\.0\.1):(\d+)$", re.MULTILINE)


def _free_port() -> int:
    with socket.socket() as candidate:
        candidate.bind((HOST, 0))
        return int(candidate.getsockname()[1])


@frozen
class Program:
    """A program that is a broker on one address of this machine.

    Attributes:
        command: the command line that starts it, given the port to listen on, the folder that
            keeps its data, and its broker configs.
        version: of the implementation.
        announces: whether it takes port 0 for a free one, and writes the line
            `listens on 127.0.0.1:PORT` as soon as it listens.
    """

    command: Callable[[int, Path, Mapping[str, str]], list[str]]
    version: str
    announces: bool = True


@frozen
class Make:
    """A kind of broker that is somebody else's implementation.

    Attributes:
        name: how it is chosen, and its `implementation` in facts.
        program: finds or builds the program. Raises NotAvailable.
        limits: the limits that the implementation has and does not report, by config name.
        keeps_data: whether it has its data again after a restart.
    """

    name: str
    program: Callable[[], Program]
    limits: Mapping[str, int] = field(default_factory=dict)
    keeps_data: bool = False


class Implementation(StartsAndStops):
    """One broker of an implementation, as a child process.

    Args:
        make: which implementation.
        config: broker configs, of those that it has.
    """

    security = PLAINTEXT

    def __init__(self, make: Make, *, config: Mapping[str, str] | None = None) -> None:
        self._make = make
        self._config = dict(config or {})
        self._program: Program | None = None
        self._folder: Path | None = None
        self._child: Child | None = None
        self._address: tuple[str, int] | None = None

    def __repr__(self) -> str:
        return f"Implementation({self.name!r})"

    @property
    def name(self) -> str:
        """The implementation's name."""
        return self._make.name

    @property
    def limits(self) -> Mapping[str, int]:
        """The limits that it has and does not report, by config name."""
        return self._make.limits

    @property
    def address(self) -> tuple[str, int]:
        """Where it listens. Raises Unreachable where it was not started."""
        if self._address is None:
            raise Unreachable(f"expected {self.name} to be started, found it is not; call start()")
        return self._address

    def start(self) -> None:
        """Start it and wait until it answers.

        Raises:
            NotAvailable: its program can't be had here.
            StartFailed: it ended, or did not answer in time; with its last words.
        """
        if self._folder is None:
            remove_leftovers()
            self._folder = make_folder(os.getpid())
        self._program = self._program or self._make.program()
        tries = 1 if self._program.announces else _TRIES  # another may take the port meanwhile
        while True:
            try:
                self._start_once()
            except BaseException as failed:
                self._end(0)
                tries -= 1
                if not tries or not isinstance(failed, StartFailed):
                    raise
            else:
                return

    def _start_once(self) -> None:
        assert self._folder is not None
        assert self._program is not None
        port = 0 if self._address is None else self._address[1]
        if not port and not self._program.announces:
            port = _free_port()
        (self._folder / "data").mkdir(exist_ok=True)
        before = len(self._log())
        child = self._child = Child(
            self._program.command(port, self._folder / "data", self._config),
            log=self._folder / "log",
            pid_file=self._folder / "pid",
            remove=self._folder,
            environment=own_environment(),
        )
        address = (
            self._announced_address(child, before) if self._program.announces else (HOST, port)
        )
        try:
            found = await_broker(
                address, timeout=_START_S, give_up=lambda: child.exit_code is not None
            )
        except Unreachable as failed:
            raise self._failure(str(failed)) from failed
        if found is None:
            raise self._failure(f"its process ended with exit code {child.exit_code}")
        self._address = address

    def _announced_address(self, child: Child, before: int) -> tuple[str, int]:
        """Where it says that it listens, in its log from the position `before` on."""
        deadline = time.monotonic() + _START_S
        while (said := _LISTENS.search(self._log(), before)) is None:
            if child.exit_code is not None:
                raise self._failure(f"its process ended with exit code {child.exit_code}")
            if time.monotonic() > deadline:
                raise self._failure(f"it did not listen within {_START_S:.0f} s")
            time.sleep(_PAUSE_S)
        return said[1], int(said[2])

    def facts(self) -> Mapping[str, str]:
        """The name and version of the implementation, and its configs."""
        version = self._program.version if self._program else ""
        return {
            "system": self.name,
            "implementation": self.name,
            **({"implementation.version": version} if version else {}),
            **{f"config.{key}": value for key, value in self._config.items()},
        }

    def end_reason(self) -> str | None:
        """How it ended, with its last words; None while it runs."""
        child = self._child
        if child is None or not child.wait(1.0):
            return None
        last = next((line for line in reversed(self._log().splitlines()) if line.strip()), "")
        return f"{self.name} ended with exit code {child.exit_code}{last and f' ({last:.200})'}"

    def kill(self) -> None:
        """End it at once; its folder goes a moment later."""
        self._end(0)
        if self._folder is not None:
            remove_later(self._folder)
            self._folder = None

    def stop(self) -> None:
        """End it and remove its data."""
        self._end(_STOP_S)
        self._address = None
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def _end(self, patience: float) -> None:
        child, self._child = self._child, None
        if child is not None and patience:
            child.stop(patience)
        elif child is not None:
            child.kill()

    def _log(self) -> str:
        assert self._folder is not None
        log = self._folder / "log"
        return log.read_text(errors="replace") if log.exists() else ""

    def _failure(self, reason: str) -> StartFailed:
        return StartFailed(self.name, reason, tail=tuple(self._log().splitlines()[-_LAST_LINES:]))


class RestartableImplementation(Implementation):
    """One that has its data again after a restart."""

    def restart(self, config: Mapping[str, str] | None = None) -> None:
        """Stop it in good order and start it on its data, with other configs if they are given.

        Raises:
            StartFailed: as for `start`.
        """
        self._end(_STOP_S)
        if config is not None:
            self._config = dict(config)
        self.start()


def implementation(make: Make, config: Mapping[str, str] | None = None) -> Implementation:
    """A broker of this implementation, not started yet."""
    kind = RestartableImplementation if make.keeps_data else Implementation
    return kind(make, config=config)
