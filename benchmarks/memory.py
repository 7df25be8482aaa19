"""How much memory a long run takes: its resident set after each tenth of its scenarios.

A run holds what it works on, its tallies, and nothing of each layout or scenario, so that it takes
no more after a day than after an hour. The served model is a process of its own, whose logs grow,
and is printed beside it. Run:
python benchmarks/memory.py [SUBJECT] [SCENARIOS] [SYSTEM]
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

PARTS = 10
POLL_S = 0.25
KIB_PER_MIB = 1024


def main() -> int:
    """Run, and print a line for each tenth; 0 where the run ended well."""
    given = dict(enumerate(sys.argv))
    subject, scenarios = given.get(1, "fetch"), int(given.get(2, "20000"))
    system = given.get(3, "model")
    with tempfile.TemporaryDirectory(prefix="fencepost-memory-") as folder:
        command = [sys.executable, "-m", "conformance.cli", "run", system, "--subject", subject]
        command += ["--scenarios", str(scenarios), "--seed", "1", "--no-corpus", "--no-report"]
        run = subprocess.Popen([*command, "--out", folder], stdout=subprocess.DEVNULL)  # noqa: S603
        began, judged, part = time.monotonic(), 0, 1
        logs: dict[Path, int] = {}
        while run.poll() is None:
            time.sleep(POLL_S)
            judged += sum(newly_judged(log, logs) for log in Path(folder).rglob("events.jsonl"))
            if judged * PARTS >= part * scenarios:
                own, others = resident_mib(run.pid), sum(map(resident_mib, below(run.pid)))
                print(
                    f"{judged:>8,} scenarios  {time.monotonic() - began:6.0f} s  "
                    f"run {own:5.0f} MiB  its children {others:5.0f} MiB",
                    flush=True,
                )
                part = judged * PARTS // scenarios + 1
        return run.returncode


def newly_judged(log: Path, read: dict[Path, int]) -> int:
    """How many scenarios a log holds beyond what was read of it, by its size in `read`."""
    with log.open("rb") as file:
        file.seek(read.get(log, 0))
        data = file.read()
    whole = data[: data.rfind(b"\n") + 1]
    read[log] = read.get(log, 0) + len(whole)
    return whole.count(b'{"kind":"judged"')


def resident_mib(process: int) -> float:
    """The resident set of a process in MiB; 0 where it has ended."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0.0
    sizes = [line.split()[1] for line in lines if line.startswith("VmRSS:")]
    return int(sizes[0]) / KIB_PER_MIB if sizes else 0.0


def below(process: int) -> Iterator[int]:
    """The ids of all processes that a process started, and that those started."""
    for tasks in Path(f"/proc/{process}/task").glob("*/children"):
        for child in map(int, tasks.read_text().split()):
            yield child
            yield from below(child)


if __name__ == "__main__":
    sys.exit(main())
