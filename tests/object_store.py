"""An S3-compatible server on this machine, and the jars by which Spark speaks with it."""

import json
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

from conformance.systems.child import Child
from conformance.systems.jars import Jar, provide

LOCK = Path(__file__).parent / "s3a_jars.json"
"""Written by `python -m tools.lock_jars s3a`."""
START_S = 300.0
LOOK_EVERY_S = 0.05


def s3a_jars() -> tuple[Path, ...]:
    """The jars, in the user's cache folder."""
    locked = json.loads(LOCK.read_text(encoding="utf-8"))
    return provide("s3a", tuple(Jar(**one) for one in locked))


@contextmanager
def object_store(folder: Path, bucket: str) -> Iterator[str]:
    """The address of a server with one empty bucket; it keeps what it is given in memory."""
    log = folder / "moto.log"
    command = [sys.executable, "-m", "moto.server", "--host", "127.0.0.1", "--port", "0"]
    server = Child(command, log=log, pid_file=folder / "moto.pid")
    try:
        address = _address(server, log)
        with urlopen(Request(f"{address}/{bucket}", method="PUT")) as answer:
            assert answer.status == 200
        yield address
    finally:
        server.kill()


def _address(server: Child, log: Path) -> str:
    until = time.monotonic() + START_S
    while time.monotonic() < until and server.exit_code is None:
        if found := re.search(r"Running on (http://127\.0\.0\.1:\d+)", log.read_text()):
            return found[1]
        time.sleep(LOOK_EVERY_S)
    raise AssertionError(f"expected the address of the server in its log, found: {log.read_text()}")
