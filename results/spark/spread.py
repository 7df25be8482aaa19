"""Work that is spread over the executors of a Spark cluster, one item a task."""

import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from threading import Lock, Thread
from typing import Any, Self

from results.spark.session import spark_session

PYTHON_SETTING = "PYSPARK_PYTHON"
_LOOK_EVERY_S = 0.25


@contextmanager
def spread_session(master: str, workers: int, environment: Mapping[str, str]) -> Iterator[Any]:
    """A session with so many executors of one core each, so that an executor plays one item at a
    time, in one Python process that is used for all its items.

    Args:
        master: the cluster's address.
        workers: how many executors.
        environment: where an executor finds our packages (PYTHONPATH).

    Raises:
        ReportError: as `spark_session`.
    """
    settings = {
        "spark.app.name": "fencepost-run",
        "spark.cores.max": str(workers),
        "spark.executor.instances": str(workers),
        "spark.executor.cores": "1",
        "spark.executor.memory": "512m",
        "spark.executorEnv.PYTHONPATH": environment["PYTHONPATH"],
        "spark.locality.wait": "0",
    }
    before = os.environ.get(PYTHON_SETTING)
    os.environ.setdefault(PYTHON_SETTING, sys.executable)
    try:
        with spark_session(master=master, memory="512m", settings=settings) as session:
            yield session
    finally:
        if before is None:
            del os.environ[PYTHON_SETTING]


class Spreading:
    """Items that are being worked off by the executors, in their order; leaving the block ends what
    is left.

    An executor that is lost takes its item with it: Spark gives that to another one. Where an item
    fails as often as Spark tries it, no further one is begun.

    Args:
        session: of a cluster.
        place: what is done with an item, as `package.module:function`; found on the executors.
        items: what can be pickled. The next one is asked for when an executor is free for it.
        at_once: how many executors there are.

    Attributes:
        problem: why the work ended early; empty where it did not.
    """

    def __init__(self, session: Any, place: str, items: Iterator[object], at_once: int) -> None:
        self._context = session.sparkContext
        self._place = place
        self._items = items
        self._next = Lock()
        self._stopped = False
        self._threads = [Thread(target=self._work, daemon=True) for _ in range(at_once)]
        self.problem = ""

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped = True
        while not self.ended(_LOOK_EVERY_S):
            with suppress(Exception):
                self._context.cancelAllJobs()

    def ended(self, within_s: float) -> bool:
        """Whether all is done, or was given up; waits for that at most so many seconds."""
        until = time.monotonic() + within_s
        for thread in self._threads:
            thread.join(max(until - time.monotonic(), 0))
        return not any(thread.is_alive() for thread in self._threads)

    def _work(self) -> None:
        for item in self._taken():
            try:
                self._context.parallelize([item], 1).foreach(partial(_do, self._place))
            except Exception as error:  # noqa: BLE001  whatever ended it is said by who waits
                self.problem = self.problem or _reason(error)
                self._stopped = True

    def _taken(self) -> Iterator[object]:
        """The items that this thread takes, as long as there are some."""
        while not self._stopped:
            with self._next:
                item = next(self._items, None)
            if item is None:
                return
            yield item


def _do(place: str, item: object) -> None:
    module, _, name = place.partition(":")
    getattr(import_module(module), name)(item)


def _reason(error: Exception) -> str:
    """The last error that a Python process of an executor raised, or the first line of ours."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    raised = [line for line in lines if ": expected " in line]
    return (raised or lines or [type(error).__name__])[0][:400]
