"""A client under test as a child process: each answer has a deadline, and no process is left."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from conformance.clients.protocol import (
    BadMessage,
    Failure,
    Greeting,
    decode_answer,
    decode_greeting,
    encode,
)
from conformance.lifetime import StartsAndStops
from conformance.own_process import own_environment
from conformance.systems import guard
from conformance.systems.base import StartFailed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

START_S = 60.0
"""How long a client may take to greet, seconds: a JVM compiles its adapter first."""
END_S = 2.0
"""How long a client whose input has ended may take to end itself, seconds."""
MOST_LINE = 64 * 2**20
"""Bytes of one line of a client: more can't be a message."""
LAST_WORDS = 4000
"""Bytes of its standard error that are kept for a message."""


class ClientProblem(Exception):  # noqa: N818 - it describes the client
    """A client can't be asked any more: its process has to be replaced by another one."""


class ClientEnded(ClientProblem):
    """Its process ended, or closed its standard output."""


class ClientSilent(ClientProblem):
    """It did not answer within the deadline, and was killed."""


class ClientGarbled(ClientProblem):
    """It wrote something that is no message of the protocol."""


class ClientProcess(StartsAndStops):
    """A client that runs from `start` to `stop`, guarded: it ends with this process too, however
    that ends.

    Args:
        command: the command line that starts it.
        start_s: how long it may take to greet, seconds.
        environment: variables besides this process's own.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        start_s: float = START_S,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.command = tuple(command)
        self._start_s = start_s
        self._environment = dict(environment or {})
        self._guard: subprocess.Popen[bytes] | None = None
        self._words: IO[bytes] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._unread = b""
        self._greeting: Greeting | None = None

    @property
    def greeting(self) -> Greeting:
        """Its first line, once it is started."""
        assert self._greeting is not None, "expected a started client; call start() first"
        return self._greeting

    @property
    def pid(self) -> int | None:
        """The process id of the client itself; None where it was not started, or has not been
        yet.
        """
        if self._folder is None:
            return None
        with contextlib.suppress(OSError, ValueError):
            return int((Path(self._folder.name) / "pid").read_text())
        return None

    @property
    def running(self) -> bool:
        """Whether its process has been started and has not ended."""
        return self._guard is not None and self._guard.poll() is None

    def start(self) -> None:
        """Start it and read its greeting.

        Raises:
            StartFailed: it can't be started, ended, or said something else in time.
        """
        self._folder = tempfile.TemporaryDirectory(prefix="fencepost-client-")
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 - it lives until stop
        self._unread = b""
        watched = [sys.executable, "-I", "-S", guard.__file__]
        self._guard = subprocess.Popen(  # noqa: S603 - the command is the user's own
            [*watched, str(os.getpid()), str(Path(self._folder.name) / "pid"), "", *self.command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._words,
            bufsize=0,
            env={**own_environment(), **self._environment},
            start_new_session=True,
        )
        assert self._guard.stdin is not None
        os.set_blocking(self._guard.stdin.fileno(), False)
        try:
            self._greeting = decode_greeting(self._line(time.monotonic() + self._start_s))
        except (ClientProblem, BadMessage) as failed:
            words = self._last_words()
            self.stop()
            raise StartFailed(
                f"the client {self.command[0]}", str(failed), tail=tuple(words.splitlines()[-5:])
            ) from None
        except BaseException:
            self.stop()
            raise

    def ask(self, command: Mapping[str, Any], deadline_s: float) -> dict[str, Any] | Failure:
        """The answer to a command: what its `ok` holds, or the error that it reported.

        A client that does not answer in `deadline_s` seconds is killed.

        Raises:
            ClientEnded, ClientSilent, ClientGarbled: there is no answer, and there will be none.
        """
        assert self._guard is not None, "expected a started client; call start() first"
        until = time.monotonic() + deadline_s
        self._write(encode(command), until)
        line = self._line(until)
        try:
            return decode_answer(line)
        except BadMessage as bad:
            self.kill()
            raise ClientGarbled(str(bad)) from bad

    def kill(self) -> None:
        """End it at once, with its guard and all that it started in its session."""
        process = self._guard
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self) -> None:
        """End it: by the end of its input first, then by force; never raises since it is gone."""
        process, self._guard = self._guard, None
        if process is not None:
            assert process.stdin is not None
            assert process.stdout is not None
            with contextlib.suppress(OSError):
                process.stdin.close()
            try:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(END_S)
            finally:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                process.stdout.close()
        if self._words is not None:
            self._words.close()
            self._words = None
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def _write(self, data: bytes, until: float) -> None:
        """Write a line to it, by a moment of the monotonic clock."""
        assert self._guard is not None
        assert self._guard.stdin is not None
        commands = self._guard.stdin.fileno()
        while data:
            left = until - time.monotonic()
            if left <= 0 or not select.select([], [commands], [], left)[1]:
                self.kill()
                raise ClientSilent("expected it to read a command before the deadline")
            try:
                data = data[os.write(commands, data) :]
            except OSError:
                raise self._end_error() from None

    def _line(self, until: float) -> bytes:
        """The next line that it writes, by a moment of the monotonic clock."""
        assert self._guard is not None
        assert self._guard.stdout is not None
        output = self._guard.stdout.fileno()
        while b"\n" not in self._unread:
            left = until - time.monotonic()
            if left <= 0 or not select.select([output], [], [], left)[0]:
                self.kill()
                raise ClientSilent("expected an answer before the deadline, found none")
            data = os.read(output, 1 << 16)
            if not data:
                raise self._end_error()
            self._unread += data
            if len(self._unread) > MOST_LINE:
                self.kill()
                raise ClientGarbled(f"expected lines of at most {MOST_LINE} bytes, found a longer")
        line, _, self._unread = self._unread.partition(b"\n")
        return line

    def _end_error(self) -> ClientEnded:
        assert self._guard is not None
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._guard.wait(END_S)
        self.kill()
        last = next(
            (line for line in reversed(self._last_words().splitlines()) if line.strip()),
            "it wrote nothing to its standard error",
        )
        return ClientEnded(f"the client ended with exit code {self._guard.returncode}: {last}")

    def _last_words(self) -> str:
        if self._words is None:
            return ""
        size = self._words.seek(0, os.SEEK_END)
        self._words.seek(max(0, size - LAST_WORDS))
        return self._words.read().decode(errors="replace")
