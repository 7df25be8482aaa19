"""A run under `--strict` on an embedded broker that is paused in its midst, some times.

A paused broker is fenced and comes back with newer leader epochs. That must break no clause:
expected are exit code 0, or 3 where something is inconclusive. Run:
python benchmarks/paused_broker.py [SUBJECT] [SCENARIOS] [PAUSES] [SECONDS OF EACH] [SEED]
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from conformance.exit_codes import OK, UNREACHABLE
from results.log import read_log
from spec.events import Judged
from spec.verdict import Outcome

RELEASE = "4.3.1"
BETWEEN_S = 8.0
"""Time between two pauses, seconds."""
STARTED_S = 120.0
POLL_S = 0.2


def main() -> int:
    """Pause the broker of a run, and say how the run ended; 0 where that is as expected."""
    given = dict(enumerate(sys.argv))
    subject, scenarios = given.get(1, "fetch"), given.get(2, "1500")
    pauses, seconds = int(given.get(3, "3")), float(given.get(4, "15"))
    seed = given.get(5, "1")
    with tempfile.TemporaryDirectory(prefix="fencepost-paused-") as folder:
        command = [sys.executable, "-m", "conformance.cli", "run", "--subject", subject]
        command += ["--kafka", RELEASE, "--scenarios", scenarios, "--seed", seed, "--strict"]
        command += ["--no-corpus", "--no-report", "--out", folder]
        run = subprocess.Popen(command)  # noqa: S603 - its own command line
        done = pause_often(run, Path(folder), pauses, seconds)
        code = run.wait()
        counts = Counter(
            verdict.outcome.value
            for log in Path(folder).rglob("events.jsonl")
            for event in read_log(log).events
            if isinstance(event, Judged)
            for verdict in event.verdicts
        )
    inconclusive = counts[Outcome.INCONCLUSIVE.value]
    print(
        f"{subject}: {done} pauses of {seconds:g} s, exit code {code}, {inconclusive} inconclusive"
    )
    return 0 if code in (OK, UNREACHABLE) and done == pauses else 1


def pause_often(run: subprocess.Popen[bytes], folder: Path, pauses: int, seconds: float) -> int:
    """Pause and continue the broker of a run as often as it lasts; how often that was."""
    began = time.monotonic()
    while not has_judged(folder) and run.poll() is None:
        if time.monotonic() - began > STARTED_S:
            return 0
        time.sleep(POLL_S)
    for done in range(pauses):
        time.sleep(BETWEEN_S if done else 1.0)
        broker = broker_of(run.pid)
        if run.poll() is not None or broker is None:
            return done
        os.kill(broker, signal.SIGSTOP)
        try:
            time.sleep(seconds)
        finally:
            os.kill(broker, signal.SIGCONT)
        print(f"paused {broker} for {seconds:g} s", flush=True)
    return pauses


def has_judged(folder: Path) -> bool:
    """Whether a run has judged its first scenario."""
    return any('"judged"' in log.read_text() for log in folder.rglob("events.jsonl"))


def broker_of(process: int) -> int | None:
    """The id of the broker that a process, or one that it started, runs; None where none does."""
    for child in children(process):
        arguments = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
        if arguments[0].endswith(b"java") and b"kafka.Kafka" in arguments:
            return child
        if (found := broker_of(child)) is not None:
            return found
    return None


def children(process: int) -> Iterator[int]:
    """The ids of the processes that a process started, and that run."""
    for tasks in Path(f"/proc/{process}/task").glob("*/children"):
        yield from map(int, tasks.read_text().split())


if __name__ == "__main__":
    sys.exit(main())
