"""The real Apache Kafka broker, one node in KRaft mode, as a child process."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.cluster import NODE_ID
from conformance.lifetime import StartsAndStops
from conformance.systems import broker_log, storage
from conformance.systems.base import APACHE_KAFKA, StartFailed, Unreachable
from conformance.systems.broker_config import (
    HOST,
    render,
    server_properties,
    settings_of,
    shareable,
)
from conformance.systems.cds import COMPACT, Archive
from conformance.systems.child import Child
from conformance.systems.jars import Progress, class_path
from conformance.systems.java import Java, find_java
from conformance.systems.leftovers import make_folder, remove_later, remove_leftovers
from conformance.systems.probe import await_broker
from conformance.wire.security import PLAINTEXT
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.systems.base import Files

NEWEST = "4.4.0"
_PORT_TRIES = 5
_START_S = 120.0
_STOP_S = 30.0
_ENDING_S = 2.0
"""How long after a broker's connections its process may still be there."""
_SHOWN_LINES = 20
_SEARCHED_LINES = 2_000

_FEATURES = {"4.1": {"share.version": 1}}
"""Features that a line of Kafka has but doesn't turn on by itself: share groups were a preview in
4.1 (KIP-932).
"""


def free_ports() -> tuple[int, int]:
    """Two TCP ports of the loopback address that were free a moment ago."""
    with socket.socket() as first, socket.socket() as second:
        first.bind((HOST, 0))
        second.bind((HOST, 0))
        return int(first.getsockname()[1]), int(second.getsockname()[1])


@frozen
class Member:
    """A node of a cluster.

    Attributes:
        node: its id.
        cluster_id: the cluster's id; None for a fresh one.
    """

    node: int
    cluster_id: str | None


class Embedded(StartsAndStops):
    """One Apache Kafka broker of a locked version, started as a child process on the loopback
    address.

    It has a fresh cluster id at each start with new data, and is believed to be up only when a
    broker with that id answers. Whatever becomes of this process, the broker goes with it.

    Args:
        version: one of `jars.available_versions()`.
        config: broker settings that go before the defaults in `broker_config`.
        work_dir: where data and log are kept; if None, a temporary folder that goes when the broker
            has stopped in good order and stays when it failed; a later start removes it once this
            process is gone, its log after a day.
        heap: Java's `-Xmx`: what ten thousand share groups take (of 256 MB little is left, and Java
            does nothing but collect).
        features: feature levels to format the storage with, before those of the version itself.
        progress: called as jars are downloaded.
        ports: gives the ports to try, of the broker and of the controller.
        member: the node of a cluster that it is, whose settings `config` has; None for a cluster of
            its own.
    """

    name = "embedded"
    security = PLAINTEXT

    def __init__(
        self,
        version: str = NEWEST,
        *,
        config: Mapping[str, str] | None = None,
        work_dir: Path | None = None,
        heap: str = "1g",
        features: Mapping[str, int] | None = None,
        progress: Progress | None = None,
        ports: Callable[[], tuple[int, int]] = free_ports,
        member: Member | None = None,
    ) -> None:
        self.version = version
        self._config = dict(config or {})
        self._given_dir = work_dir
        self._work_dir: Path | None = None
        self._heap = heap
        self._features = {**_FEATURES.get(version.rpartition(".")[0], {}), **(features or {})}
        self._progress = progress
        self._ports = ports
        self._member = member or Member(NODE_ID, None)
        self._java: Java | None = None
        self._archive: Archive | None = None
        self._child: Child | None = None
        self._address: tuple[str, int] | None = None
        self._bound: tuple[int, int] | None = None
        self._failed = False

    def __repr__(self) -> str:
        return f"Embedded({self.version!r})"

    @property
    def _settings(self) -> Mapping[str, str]:
        return settings_of(self.version.rpartition(".")[0], self._config)

    @property
    def work_dir(self) -> Path:
        """The folder with the broker's data, settings and log."""
        if self._work_dir is None:
            if self._given_dir is None:
                self._work_dir = make_folder(os.getpid())
            else:
                self._given_dir.mkdir(parents=True, exist_ok=True)
                self._work_dir = self._given_dir
        return self._work_dir

    @property
    def data_dir(self) -> Path:
        """The folder that holds the partitions' folders; files may be placed there before the
        start.
        """
        return self.work_dir / "data"

    @property
    def log(self) -> Path:
        """The broker's log."""
        return self.work_dir / "broker.log"

    @property
    def address(self) -> tuple[str, int]:
        """(host, port), once started.

        Raises:
            Unreachable: it isn't started.
        """
        if self._address is None:
            raise Unreachable(
                f"expected a started broker, found Kafka {self.version} not started; call start() "
                "first"
            )
        return self._address

    @property
    def alive(self) -> bool:
        """Whether the broker's process runs."""
        return self._child is not None and self._child.exit_code is None

    @property
    def pid(self) -> int | None:
        """The process id of the broker's Java; None when it doesn't run."""
        return self._child.pid if self._child is not None and self.alive else None

    def end_reason(self) -> str | None:
        """The exit code of a process that ended unasked, and its log, which stays; None while it
        runs.
        """
        if self._child is None or not self._child.wait(_ENDING_S):
            return None
        return (
            f"the broker's process ended with exit code {self._child.exit_code}, its log is "
            f"{self.log}"
        )

    def log_tail(self, lines: int = _SHOWN_LINES) -> tuple[str, ...]:
        """The last lines of the broker's log."""
        return broker_log.tail(self.log, lines)

    def start(self) -> None:
        """Brings the broker up; returns when it answers. Takes some 2 s, 5 s the first time, and a
        download before that.

        Raises:
            UnknownVersion: the version has no lock.
            NotAvailable: Java or a jar is missing.
            StartFailed: the broker ended or did not answer in time; with its reason.
        """
        if self.alive:
            return
        remove_leftovers()
        jars = class_path(self.version, self._progress)
        self._java = self._java or find_java()
        self._archive = Archive.of(self.version, self._java, jars)
        try:
            cluster_id = self._prepare()
            for _ in range(_PORT_TRIES):
                ports = self._bound or self._ports()
                if self._run(ports, cluster_id):
                    return
                self._bound = None
            raise self._failure(
                f"all of {_PORT_TRIES} pairs of ports were taken by other processes; try again"
            )
        except BaseException as error:
            if self._child is not None:
                self._child.kill()
            if isinstance(error, Exception):
                self._failed = True
            else:  # an interrupt: nothing is wrong with the broker, so nothing of it is kept
                self._child = None
            raise

    def facts(self) -> Mapping[str, str]:
        """Version of Kafka and Java, and the settings that differ from Kafka's own and may be
        shown.
        """
        java = self._java or find_java()
        settings = server_properties(Path(), (0, 0), self._settings)
        return {
            "system": self.name,
            "implementation": APACHE_KAFKA,
            "kafka.version": self.version,
            "java.version": java.version,
            "java.vendor": java.vendor,
            **{
                f"feature.{feature}": str(level)
                for feature, level in sorted(self._features.items())
            },
            **{f"config.{key}": value for key, value in shareable(settings).items()},
        }

    def stop(self, *, archive: bool = True) -> None:
        """Stops the broker in good order (0.5 s), or kills it after 30 s.

        The first stop of a version also makes its class data archive, which takes some 10 s and
        halves the time of every later start; `archive=False` leaves that to another time.
        """
        self.end()
        try:
            if archive and self._archive is not None and not self._failed:
                self._archive.make(self._class_list, self._run_short)
        finally:
            if self._given_dir is None and self._work_dir is not None and not self._failed:
                shutil.rmtree(self._work_dir, ignore_errors=True)
                self._work_dir = None
                self._bound = None

    def kill(self) -> None:
        """End the broker at once; its data goes a moment later, and its class data archive is left
        to another time.
        """
        folder = self._kill()
        if folder is not None:
            remove_later(folder)

    def discard(self) -> None:
        """End the broker at once, and remove its data."""
        folder = self._kill()
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)

    def _kill(self) -> Path | None:
        """End the process; the folder that is to be removed."""
        if self._child is not None:
            self._child.kill()
            self._child = None
        folder = self._work_dir if self._given_dir is None else None
        if folder is not None:
            self._work_dir = None
        self._address, self._archive, self._bound = None, None, None
        return folder

    def restart(self, config: Mapping[str, str] | None = None) -> None:
        """Stops in good order and starts again with the same data, on the same port if it is still
        free.

        `config` replaces the settings given before; None keeps them.

        Raises:
            StartFailed: as for `start`.
        """
        self.restart_with({}, config)

    def restart_with(self, files: Files, config: Mapping[str, str] | None = None) -> None:
        """The same, with files put into the data folder while the broker is stopped.

        A segment's file (`<topic>-<partition>/%020d.log`) takes the place of one of that name, or
        goes behind the last; the broker scans one that has no index files and believes what it
        finds.

        Raises:
            StartFailed: as for `start`.
        """
        self.end()
        for path, content in files.items():
            if content is None:
                (self.data_dir / path).unlink(missing_ok=True)
            elif isinstance(content, bytes):
                (self.data_dir / path).write_bytes(content)
            else:
                with (self.data_dir / path).open("wb") as file:
                    for position, part in content.parts:
                        file.seek(position)
                        file.write(part)
                    file.truncate(content.size)
        if config is not None:
            self._config = dict(config)
        self.start()

    @property
    def _class_list(self) -> Path:
        return self.work_dir / "classes"

    @property
    def _removed_if_orphaned(self) -> Path | None:
        return self.work_dir if self._given_dir is None else None

    def end(self) -> None:
        """Stop in good order; what it wrote stays, and `start` starts it again on that."""
        if self._child is not None:
            died = self._child.exit_code is not None
            self._failed = self._failed or died
            self._child.stop(_STOP_S)
            self._child = None
        self._address = None

    def _command(self, *arguments: str) -> list[str]:
        assert self._java is not None
        assert self._archive is not None
        return [
            str(self._java.executable),
            f"-Xmx{self._heap}",
            *COMPACT,
            *broker_log.LOGGING,
            "-Djava.awt.headless=true",
            *self._archive.options(self._class_list),
            "-cp",
            self._archive.class_path,
            *arguments,
        ]

    def _run_short(self, command: list[str], timeout: float) -> bool:
        child = Child(
            command,
            log=self.work_dir / "java.log",
            pid_file=self.work_dir / "java.pid",
            remove=self._removed_if_orphaned,
        )
        try:
            return child.wait(timeout) and child.exit_code == 0
        finally:
            child.kill()

    def _prepare(self) -> str:
        """Gives the data folder its identity, unless it has one; the cluster id."""
        known = storage.cluster_id(self.data_dir)
        if known is not None:
            return known
        log = self.work_dir / "java.log"
        formatted = storage.formatted_folder(
            self.version,
            self._features,
            log,
            lambda main, timeout: self._run_short(self._command(*main), timeout),
        )
        return storage.initialize(
            self.data_dir, formatted, self._member.node, self._member.cluster_id
        )

    def _run(self, ports: tuple[int, int], cluster_id: str) -> bool:
        """Starts the process and waits until it answers; False if one of the ports was taken."""
        settings = self.work_dir / "server.properties"
        settings.write_text(render(server_properties(self.data_dir, ports, self._settings)))
        before = self.log.stat().st_size if self.log.exists() else 0
        child = self._child = Child(
            self._command("kafka.Kafka", str(settings)),
            log=self.log,
            pid_file=self.work_dir / "broker.pid",
            remove=self._removed_if_orphaned,
        )
        try:
            found = await_broker(
                (HOST, ports[0]), timeout=_START_S, give_up=lambda: child.exit_code is not None
            )
        except Unreachable as failed:
            raise self._failure(f"no answer within {_START_S:.0f} s ({failed})") from failed
        if found is None or found.cluster_id != cluster_id:
            if found is None and not broker_log.address_in_use(broker_log.since(self.log, before)):
                raise self._failure(None)
            child.kill()
            return False
        self._bound = ports
        self._address = (HOST, ports[0])
        return True

    def _failure(self, known: str | None) -> StartFailed:
        lines = self.log_tail(_SEARCHED_LINES)
        code = self._child.exit_code if self._child is not None else None
        reason = (
            known
            or broker_log.reason(lines)
            or f"its process ended with exit code {code} and wrote nothing"
        )
        return StartFailed(
            f"Kafka {self.version}", reason, log=self.log, tail=lines[-_SHOWN_LINES:]
        )
