"""The model, served: the executable specification behind Kafka's wire protocol, as a child
process.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from typing import IO, TYPE_CHECKING

from conformance.lifetime import StartsAndStops
from conformance.misuse import BadConfiguration
from conformance.own_process import own_command, own_environment
from conformance.systems.base import APACHE_KAFKA, StartFailed, SystemProblem, UnknownVersion
from conformance.systems.jars import available_versions
from conformance.wire.security import PLAINTEXT

if TYPE_CHECKING:
    from collections.abc import Mapping

LAST_WORDS = 2000
"""Characters of its standard error that are kept for a message."""
PATIENCE_S = 5.0


class Model(StartsAndStops):
    """The reference of one Kafka release, or one with a planted fault.

    Args:
        kafka: the release it stands for, `4.3.1`.
        config: broker configs, of those it has.
        fault: the name of a planted fault; see `conformance.subjects.registry`.
        draft: a draft KIP that it has, with its profile, `max-records:stop=before`; None for a
            broker as released.
    """

    name = "model"
    security = PLAINTEXT

    def __init__(
        self,
        kafka: str = "4.3.1",
        *,
        config: Mapping[str, str] | None = None,
        fault: str | None = None,
        draft: str | None = None,
    ) -> None:
        if kafka not in available_versions():
            raise UnknownVersion(
                f"expected one of the releases {', '.join(available_versions())}, found {kafka!r}; "
                "name one of these"
            )
        self._kafka = kafka
        self._config = dict(config or {})
        self._fault = fault
        self._draft = draft
        self._words: IO[str] | None = None
        self._child: subprocess.Popen[str] | None = None
        self._address: tuple[str, int] | None = None

    def __repr__(self) -> str:
        return f"Model({self._kafka!r}, fault={self._fault!r})"

    @property
    def address(self) -> tuple[str, int]:
        """Where it listens. Raises BadConfiguration where it was not started."""
        if self._address is None:
            raise BadConfiguration("expected a served model that was started; call start() first")
        return self._address

    def facts(self) -> Mapping[str, str]:
        """Which release it stands for, and its fault."""
        return {
            "system": self.name,
            "implementation": APACHE_KAFKA,
            "kafka.version": self._kafka,
            **{
                name: value
                for name, value in (("fault", self._fault), ("draft", self._draft))
                if value
            },
        }

    def start(self) -> None:
        """Start the child and wait until it listens.

        Raises:
            StartFailed: it ended before that; with its last words.
        """
        given = {
            "kafka": self._kafka,
            "host": "127.0.0.1",
            "port": 0,
            "config": self._config,
            "fault": self._fault,
            "draft": self._draft,
        }
        self._words = tempfile.TemporaryFile("w+")  # noqa: SIM115 - it lives until stop
        self._child = subprocess.Popen(  # noqa: S603 - our own command
            self._command(json.dumps(given)),
            env=own_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._words,
            text=True,
            start_new_session=True,
        )
        self._await_ready()

    def _command(self, given: str) -> list[str]:
        """The command that serves it, given its settings as JSON."""
        return own_command("conformance.serve", given)

    def restart(self, config: Mapping[str, str] | None = None) -> None:
        """Close all connections and continue with the same topics under `config`."""
        child = self._child
        if child is None or child.stdin is None:
            raise SystemProblem("expected a served model that was started; call start() first")
        self._config = dict(self._config if config is None else config)
        try:
            child.stdin.write(json.dumps({"config": self._config}) + "\n")
            child.stdin.flush()
        except OSError:
            raise self._start_failure() from None
        self._await_ready()

    def kill(self) -> None:
        """End the child at once."""
        if self._child is not None:
            self._child.kill()

    def stop(self) -> None:
        """End the child; it ends when its input does."""
        child, self._child, self._address = self._child, None, None
        if child is not None:
            for stream in (child.stdin, child.stdout):
                if stream is not None:
                    stream.close()
            try:
                child.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        if self._words is not None:
            self._words.close()
            self._words = None

    def _await_ready(self) -> None:
        child = self._child
        assert child is not None
        assert child.stdout is not None
        line = child.stdout.readline()
        if not line:
            raise self._start_failure()
        address = json.loads(line)
        self._address = address["host"], address["port"]

    def _start_failure(self) -> StartFailed:
        words = ""
        if self._child is not None and self._words is not None:
            self._child.wait()
            self._words.seek(0)
            words = self._words.read()[-LAST_WORDS:]
        self.stop()
        last = next(
            (line for line in reversed(words.splitlines()) if line.strip()),
            "it ended and wrote nothing",
        )
        return StartFailed("the served model", last, tail=tuple(words.splitlines()[-5:]))
