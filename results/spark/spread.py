"""Work that is spread over the executors of a Spark cluster, one item a task."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from threading import Event, Thread
from typing import Any, Self

from results.spark.session import spark_session

PYTHON_SETTING = "PYSPARK_PYTHON"


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
    """Items that are being worked off by the executors; leaving the block ends what is left.

    An executor that is lost takes its item with it: Spark gives that to another one.

    Args:
        session: of a cluster.
        place: what is done with an item, as `package.module:function`; found on the executors.
        items: what can be pickled.

    Attributes:
        problem: why the work ended early; empty where it did not.
    """

    def __init__(self, session: Any, place: str, items: Sequence[object]) -> None:
        self._context = session.sparkContext
        self._place = place
        self._items = items
        self._ended = Event()
        self._thread = Thread(target=self._work, daemon=True)
        self.problem = ""

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if not self._ended.is_set():
            with suppress(Exception):
                self._context.cancelAllJobs()
        self._thread.join()

    def ended(self, within_s: float) -> bool:
        """Whether all is done, or was given up; waits for that at most so many seconds."""
        return self._ended.wait(within_s)

    def _work(self) -> None:
        try:
            spread = self._context.parallelize(self._items, len(self._items))
            spread.foreach(partial(_do, self._place))
        except Exception as error:  # noqa: BLE001  whatever ended it is said by who waits
            self.problem = _reason(error)
        finally:
            self._ended.set()


def _do(place: str, item: object) -> None:
    module, _, name = place.partition(":")
    getattr(import_module(module), name)(item)


def _reason(error: Exception) -> str:
    """The last error that a Python process of an executor raised, or the first line of ours."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    raised = [line for line in lines if ": expected " in line]
    return (raised or lines or [type(error).__name__])[0][:400]
