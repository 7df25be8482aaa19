"""A run that is killed (SIGKILL) at six moments and resumed, beside the uninterrupted run of its
seed.

Expected is that each scenario is judged as often as without the kill, and that a run that has ended
does not continue. Run:
python benchmarks/killed_run.py [SYSTEM OR RELEASE] [SUBJECT] [SCENARIOS] [SEED]
"""

import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from results.log import LOG_NAME, read_log
from spec.events import Judged

MOMENTS = (0.03, 0.3, 0.6, 0.82, 0.92, 0.98)
"""Parts of the judged scenarios after which a run is killed."""
POLL_S = 0.02


def main() -> int:
    """Kill and resume runs; 0 where all are exact."""
    given = dict(enumerate(sys.argv))
    system, subject = given.get(1, "model"), given.get(2, "fetch")
    scenarios, seed = given.get(3, "250"), given.get(4, "13")
    words = ["model"] if system == "model" else ["--kafka", system]
    words += ["--subject", subject, "--scenarios", scenarios, "--seed", seed, "--no-corpus"]
    exact = True
    with tempfile.TemporaryDirectory(prefix="fencepost-killed-") as folder:
        run(*words, "--out", f"{folder}/whole")
        whole = judged(only(Path(folder, "whole")))
        print(f"{whole.total()} judged by the uninterrupted run", flush=True)
        for number, moment in enumerate(MOMENTS):
            cut = killed(words, Path(folder, str(number)), int(moment * whole.total()))
            before = judged(cut).total()
            for again in ("resumed", "resumed once more"):
                code = run("--resume", str(cut))
                found = judged(cut)
                missing, more = (whole - found).total(), (found - whole).total()
                exact = exact and found == whole
                print(
                    f"killed after {before}, {again}: exit code {code}, {found.total()} judged, "
                    f"{missing} missing, {more} more than expected",
                    flush=True,
                )
    return 0 if exact else 1


def command(*words: str) -> list[str]:
    """The command line of a run."""
    return [sys.executable, "-m", "conformance.cli", "run", "--no-report", *words]


def run(*words: str) -> int:
    """The exit code of a run."""
    return subprocess.run(command(*words), stdout=subprocess.DEVNULL, check=False).returncode  # noqa: S603


def killed(words: list[str], out: Path, after: int) -> Path:
    """The folder of a run that was killed once it had judged so many scenarios."""
    process = subprocess.Popen(  # noqa: S603 - its own command line
        command(*words, "--out", str(out)), stdout=subprocess.DEVNULL, start_new_session=True
    )
    while process.poll() is None:
        logs = list(out.glob(f"*/{LOG_NAME}"))
        if logs and logs[0].read_bytes().count(b'"kind":"judged"') >= after:
            break
        time.sleep(POLL_S)
    process.kill()
    process.wait()
    return only(out)


def only(out: Path) -> Path:
    """The one run folder in a folder."""
    (found,) = out.iterdir()
    return found


def judged(folder: Path) -> Counter[str]:
    """How often each scenario was judged in a run."""
    return Counter(
        [one.scenario for one in read_log(folder / LOG_NAME).events if isinstance(one, Judged)]
    )


if __name__ == "__main__":
    sys.exit(main())
