"""A Spark standalone cluster on this machine: a master, and workers that can be killed."""

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from conformance.systems.child import Child
from results.spark.session import SHORT, find_java, java_command, spark_home

START_S = 600.0
LOOK_EVERY_S = 0.1


@dataclass
class Cluster:
    """A cluster that runs.

    Attributes:
        master: its address, as `--spark-master` takes it.
        workers: the processes of its workers, each in a group with its executors.
        folder: where their logs and work folders lie.
    """

    master: str
    workers: list[Child]
    folder: Path

    def kill(self, number: int) -> None:
        """End a worker with its executors at once, as a machine that loses its power."""
        self.workers[number].kill()

    def executors_of(self, number: int) -> list[Path]:
        """The folders of the executors that a worker has started."""
        return sorted((self.folder / f"worker-{number}" / "work").glob("*/*"))


@contextmanager
def standalone_cluster(folder: Path, workers: int = 2) -> Iterator[Cluster]:
    """A cluster of workers with one core each; nothing of it is left in the end, however this
    process ends.
    """
    java = find_java()
    started: list[Child] = []
    try:
        base = "org.apache.spark.deploy."
        loopback = ("--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        started.append(_start(java, folder / "master", f"{base}master.Master", *loopback))
        master = _said(started[0], folder / "master", r"Starting Spark master at (spark://\S+)")
        for number in range(workers):
            place = folder / f"worker-{number}"
            options = ("--cores", "1", "--memory", "1g", "--work-dir", str(place / "work"))
            words = (f"{base}worker.Worker", *loopback, *options, master)
            started.append(_start(java, place, *words))
        for number, worker in enumerate(started[1:]):
            _said(worker, folder / f"worker-{number}", r"(Successfully registered) with master")
        yield Cluster(master, started[1:], folder)
    finally:
        for process in started:
            process.kill()


def _start(java: Path, place: Path, *main: str) -> Child:
    place.mkdir(parents=True)
    environment = {
        **os.environ,
        "SPARK_HOME": str(spark_home()),
        "SPARK_SCALA_VERSION": "2.13",  # as its launching scripts set it
        "JAVA_HOME": str(java.resolve().parents[1]),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_PUBLIC_DNS": "127.0.0.1",
    }
    command = java_command(java, place, "200m", SHORT, main)
    return Child(command, log=place / "log", pid_file=place / "pid", environment=environment)


def _said(process: Child, place: Path, pattern: str) -> str:
    """What a process says of itself in its log."""
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        text = (place / "log").read_text(errors="replace")
        if found := re.search(pattern, text):
            return found[1]
        if process.exit_code is not None:
            break
        time.sleep(LOOK_EVERY_S)
    raise AssertionError(f"expected {pattern!r} in its log, found:\n{text[-2000:]}")
