"""Apache Kafka in a container: the official image by tag, or any image with its layout, through
testcontainers.

The broker must advertise an address that we can reach, so the port on the host is chosen before the
start and handed over with the other settings: the image's own command runs unchanged, and no script
has to be copied into a container that is already running. A port that is taken in between, or a
start that fails for another reason of the daemon's, is tried again.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
import time
import urllib.parse
from typing import TYPE_CHECKING, Any

from conformance.cluster import NODE_ID
from conformance.lifetime import StartsAndStops
from conformance.systems.base import APACHE_KAFKA, NotAvailable, StartFailed, Unreachable
from conformance.systems.broker_config import HOST, ONE_NODE, QUICK, UNDISTURBED, shareable
from conformance.systems.leftovers import is_gone, owner_of
from conformance.systems.probe import await_broker
from conformance.systems.storage import new_id
from conformance.wire.security import PLAINTEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.systems.image_settings import ImageSettings

_LOCAL_DAEMON = "unix:///var/run/docker.sock"
_LABEL = "fencepost.owner"
_APACHE_IMAGES = frozenset({"apache/kafka", "apache/kafka-native"})
"""Images that Apache Kafka publishes."""
_PORT = 9092
_TRIES = 3
_START_S = 120.0
_MAPPING_S = 10.0
_PAUSE_S = 0.05
_SHOWN_LINES = 20
_SEARCHED_LINES = 2_000


def environment_name(setting: str) -> str:
    """The variable that the official image turns into a broker setting: `.` is `_`, `_` is `__`,
    `-` is `___`.
    """
    return "KAFKA_" + setting.replace("_", "__").replace("-", "___").replace(".", "_").upper()


def settings(advertised: tuple[str, int], overrides: Mapping[str, str]) -> dict[str, str]:
    """All settings of the broker: as soon as one is given the image drops its own."""
    host, port = advertised
    return {
        "process.roles": "broker,controller",
        "node.id": str(NODE_ID),
        "listeners": f"PLAINTEXT://:{_PORT},BROKER://:9093,CONTROLLER://:9094",
        "advertised.listeners": f"PLAINTEXT://{host}:{port},BROKER://localhost:9093",
        "listener.security.protocol.map": ",".join(
            f"{listener}:PLAINTEXT" for listener in ("PLAINTEXT", "BROKER", "CONTROLLER")
        ),
        "inter.broker.listener.name": "BROKER",
        "controller.listener.names": "CONTROLLER",
        "controller.quorum.voters": f"{NODE_ID}@localhost:9094",
        **ONE_NODE,
        **QUICK,
        **UNDISTURBED,
        **overrides,
    }


def daemon_problem() -> str | None:
    """Why no container can be started here; None if one can."""
    try:
        client = _docker_client()
    except NotAvailable as missing:
        return str(missing)
    client.close()
    return None


def _docker_client() -> Any:
    os.environ.setdefault("TESTCONTAINERS_RYUK_DISABLED", "true")
    try:
        import docker  # noqa: PLC0415  optional
        import testcontainers.core.container  # noqa: F401, PLC0415  optional
    except ImportError as missing:
        raise NotAvailable(
            f"expected the library testcontainers, found none ({missing.name}); pip install "
            "'fencepost[container]'"
        ) from missing
    try:
        _knock()
        client = docker.from_env()
        client.ping()
    except (docker.errors.DockerException, OSError) as failed:
        raise NotAvailable(
            f"expected a Docker daemon that answers, found: {_short(failed)}; "
            "start one, or point DOCKER_HOST at one, or leave --image out to run the embedded "
            "broker"
        ) from failed
    return client


def _knock() -> None:
    """Fails early where the daemon's local socket does; the library would leave the socket open."""
    daemon = urllib.parse.urlsplit(os.environ.get("DOCKER_HOST") or _LOCAL_DAEMON)
    if daemon.scheme == "unix":
        with socket.socket(socket.AF_UNIX) as door:
            door.connect(daemon.path)


def _short(failed: BaseException) -> str:
    return (
        str(failed).strip().splitlines()[0][:300] if str(failed).strip() else type(failed).__name__
    )


def _host() -> str:
    """The host on which the daemon publishes ports, as we see it."""
    override = os.environ.get("TESTCONTAINERS_HOST_OVERRIDE")
    if override:
        return override
    daemon = urllib.parse.urlsplit(os.environ.get("DOCKER_HOST", ""))
    return daemon.hostname or HOST if daemon.scheme in {"tcp", "http", "https", "ssh"} else HOST


def _free_port() -> int:
    with socket.socket() as candidate:
        candidate.bind((HOST, 0))
        return int(candidate.getsockname()[1])


def remove_leftovers(client: Any) -> int:
    """Removes containers whose owner, a process on this host, is gone; how many."""
    removed = 0
    for left in client.containers.list(all=True, filters={"label": _LABEL}, ignore_removed=True):
        if is_gone(str(left.labels.get(_LABEL, ""))):
            with contextlib.suppress(Exception):  # another process removes it too
                left.remove(force=True, v=True)
                removed += 1
    return removed


def _provide(client: Any, image: str) -> None:
    """Pulls the image unless the daemon has it."""
    import docker.errors  # noqa: PLC0415  optional

    try:
        client.images.get(image)
    except docker.errors.ImageNotFound:
        try:
            client.images.pull(image)
        except docker.errors.APIError as refused:
            raise NotAvailable(
                f"expected the image {image}, found none here and could not pull it "
                f"({_short(refused)}); "
                "check its name and tag and the daemon's way to the registry, or build it here"
            ) from refused


class Container(StartsAndStops):
    """One Apache Kafka broker in a container.

    Args:
        image: an image with the layout of `apache/kafka`, for example `apache/kafka:4.3.1`.
        config: broker settings that go before the defaults in `broker_config`.
        ports: gives the host port to publish the broker on.
        how: how an image of another layout is started; None for one of that layout.
    """

    name = "container"
    security = PLAINTEXT

    def __init__(
        self,
        image: str,
        *,
        config: Mapping[str, str] | None = None,
        ports: Callable[[], int] = _free_port,
        how: ImageSettings | None = None,
    ) -> None:
        self.image = image
        self._how = how
        self._config = dict(config or {})
        self._ports = ports
        self._container: Any = None
        self._address: tuple[str, int] | None = None
        self._retried: list[str] = []

    def __repr__(self) -> str:
        return f"Container({self.image!r})"

    @property
    def address(self) -> tuple[str, int]:
        """(host, port), once started.

        Raises:
            Unreachable: it isn't started.
        """
        if self._address is None:
            raise Unreachable(
                f"expected a started container, found {self.image} not started; call start() first"
            )
        return self._address

    @property
    def alive(self) -> bool:
        """Whether the container runs."""
        return self._container is not None and self._state() == "running"

    def start(self) -> None:
        """Brings it up (10 s, and a pull before that if the daemon lacks the image); returns when
        it answers.

        Raises:
            NotAvailable: no library, no daemon, or no such image.
            StartFailed: three starts failed, or two for the same reason; with the reasons.
        """
        client = _docker_client()
        try:
            remove_leftovers(client)
            _provide(client, self.image)
        finally:
            client.close()
        reasons = self._retried = []
        tail: tuple[str, ...] = ()
        while len(reasons) < _TRIES:
            try:
                return self._start_once()
            except StartFailed as failed:
                self.stop()
                tail = failed.tail
                if failed.reason in reasons:
                    break
                reasons.append(failed.reason)
            except BaseException:
                self.stop()
                raise
        raise StartFailed(f"the container {self.image}", "; then: ".join(reasons), tail=tail)

    def _start_once(self) -> None:
        import docker.errors  # noqa: PLC0415  optional
        from testcontainers.core.container import DockerContainer  # noqa: PLC0415  optional

        host, port, cluster = _host(), self._ports(), new_id()
        bound_to = HOST if host == HOST else "0.0.0.0"  # noqa: S104  a daemon on another host publishes there
        container = DockerContainer(self.image, labels={_LABEL: owner_of(os.getpid())})
        ports: Any = {
            f"{self._port}/tcp": (bound_to, port)
        }  # docker takes an address too, which testcontainers' types don't say
        container.ports = ports
        if self._how is None:
            container.with_env("CLUSTER_ID", cluster)
            for setting, value in settings((host, port), self._config).items():
                container.with_env(environment_name(setting), value)
        else:
            how = self._how.at(host, port)
            container.with_envs(**how.environment)
            if how.command:
                container.with_command(list(how.command))
        self._container = container
        try:
            container.start()
        except docker.errors.APIError as refused:
            raise StartFailed(f"the container {self.image}", _short(refused)) from refused
        self._await_mapping(port)
        limit_s = _START_S if self._how is None else float(self._how.ready_seconds)
        self._await_line(limit_s)
        try:
            found = await_broker((host, port), timeout=limit_s, give_up=lambda: not self.alive)
        except Unreachable as failed:
            raise self._failure(f"no answer within {limit_s:.0f} s ({failed})") from failed
        if found is None:
            raise self._failure(None)
        if self._how is None and found.cluster_id != cluster:
            raise self._failure(f"another broker answers on port {port}")
        self._address = (host, port)

    @property
    def _port(self) -> int:
        """Where the broker listens in the container."""
        return _PORT if self._how is None else self._how.port

    def _await_line(self, limit_s: float) -> None:
        """Wait for the line by which the broker says that it is ready, where its settings have
        one.
        """
        if self._how is None or self._how.ready is None:
            return
        ready, deadline = re.compile(self._how.ready), time.monotonic() + limit_s
        while not any(ready.search(line) for line in self.log_tail(_SEARCHED_LINES)):
            if not self.alive:
                raise self._failure(None)
            if time.monotonic() > deadline:
                raise self._failure(
                    f"no line of its log matched {self._how.ready!r} within {limit_s:.0f} s"
                )
            time.sleep(_PAUSE_S)

    def _await_mapping(self, port: int) -> None:
        """Waits until the daemon says that the port is published: it may be a moment after the
        start.
        """
        deadline = time.monotonic() + _MAPPING_S
        while time.monotonic() < deadline:
            wrapped = self._container.get_wrapped_container()
            wrapped.reload()
            published = wrapped.ports.get(f"{self._port}/tcp") or []
            if any(int(entry["HostPort"]) == port for entry in published):
                return
            if wrapped.status not in {"created", "running"}:
                raise self._failure(None)
            time.sleep(_PAUSE_S)
        raise self._failure(f"the daemon did not publish port {port} within {_MAPPING_S:.0f} s")

    def facts(self) -> Mapping[str, str]:
        """The image, the settings that may be shown, and why a start had to be tried again."""
        shown = {} if self._how is not None else shareable(settings((HOST, _PORT), self._config))
        facts = {
            "system": self.name,
            "image": self.image,
            **{f"config.{key}": value for key, value in shown.items()},
        }
        if self._how is not None and self._how.implementation:
            facts["implementation"] = self._how.implementation
        elif self.image.partition(":")[0] in _APACHE_IMAGES:
            facts["implementation"] = APACHE_KAFKA
        if self._retried:
            facts["start.retried"] = "; then: ".join(self._retried)
        if self._container is not None:
            facts["image.id"] = str(self._container.get_wrapped_container().image.id)
        return facts

    def log_tail(self, lines: int = _SHOWN_LINES) -> tuple[str, ...]:
        """The last lines of the container's log."""
        if self._container is None or lines <= 0:
            return ()
        text = self._container.get_wrapped_container().logs(tail=lines)
        return tuple(text.decode(errors="replace").splitlines())

    def stop(self) -> None:
        """Removes the container."""
        self._address = None
        container, self._container = self._container, None
        if container is not None:
            with contextlib.suppress(Exception):  # it may be gone already
                container.stop()

    def _state(self) -> str:
        wrapped = self._container.get_wrapped_container()
        wrapped.reload()
        return str(wrapped.status)

    def _failure(self, known: str | None) -> StartFailed:
        from conformance.systems import broker_log  # noqa: PLC0415  only when it failed

        lines = self.log_tail(_SEARCHED_LINES)
        code = self._container.get_wrapped_container().attrs["State"]["ExitCode"]
        reason = known or broker_log.reason(lines) or f"it ended with exit code {code}"
        return StartFailed(f"the container {self.image}", reason, tail=lines[-_SHOWN_LINES:])
