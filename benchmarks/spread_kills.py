"""Runs that are spread over two workers of a Spark cluster, one of which is killed midway: no
scenario may be lost or counted twice.

Each repetition starts a cluster, a run of the served model with a seed of its own, waits for some
portions, kills a worker, and counts what the run's log has against the same run without Spark's
loss. Run from the root: python -m benchmarks.spread_kills [REPETITIONS] [SCENARIOS]
"""

import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from conformance.own_process import own_command, own_environment
from conformance.systems.child import Child
from results.log import LOG_NAME, scan
from spec.events import Judged
from tests.spark_cluster import Cluster, standalone_cluster

PORTION = 4
LOOK_EVERY_S = 0.1
MOST_S = 1800.0


def main() -> int:
    """Repeat, and print a line for each; 0 where none lost or doubled a scenario."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    given = dict(enumerate(sys.argv))
    repetitions, scenarios = int(given.get(1, "10")), int(given.get(2, "40"))
    counted = [repeated(seed, scenarios) for seed in range(1, repetitions + 1)]
    return 0 if all(counted) else 1


def repeated(seed: int, scenarios: int) -> bool:
    """One repetition; whether nothing was lost or counted twice."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="fencepost-kills-") as folder:
        place = Path(folder)
        with standalone_cluster(place / "cluster") as cluster:
            killed = spread(cluster, place / "killed", seed, scenarios, kill=seed % 2)
            whole = spread(cluster, place / "whole", seed, scenarios)
    lost, twice = sum((whole - killed).values()), sum((killed - whole).values())
    print(
        f"seed {seed}: {sum(killed.values())} scenarios, {lost} lost, {twice} counted twice, "
        f"{time.monotonic() - began:.0f} s",
        flush=True,
    )
    return bool(killed) and not lost and not twice


def spread(
    cluster: Cluster, out: Path, seed: int, scenarios: int, kill: int | None = None
) -> Counter[str]:
    """How often a run judged each scenario; a worker is killed after two portions."""
    words = ["run", "model", "--scenarios", str(scenarios), "--portion", str(PORTION)]
    words += ["--seed", str(seed), "--no-corpus", "--no-report", "--no-restart", "--out", str(out)]
    words += ["--spark-master", cluster.master, "--workers", "2"]
    out.mkdir()
    run = Child(
        own_command("conformance.cli", *words),
        log=out / "said",
        pid_file=out / "pid",
        environment=own_environment(),
    )
    try:
        while kill is not None and run.exit_code is None:
            if len([*out.glob(f"*/portions/[0-9]*/{LOG_NAME}")]) >= 2:
                cluster.kill(kill)
                break
            time.sleep(LOOK_EVERY_S)
        run.wait(MOST_S)
    finally:
        run.kill()
    (log,) = out.glob(f"*/{LOG_NAME}")
    return Counter(event.scenario for event in scan(log) if isinstance(event, Judged))


if __name__ == "__main__":
    sys.exit(main())
