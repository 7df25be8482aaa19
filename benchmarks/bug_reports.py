"""Whether the programs of bug reports show what they are about: `python benchmarks/bug_reports.py
RELEASE SCENARIO...`, such as `4.3.1 fencepost-runs/RUN/scenarios/*.json`.

Each scenario is replayed on the release with `--markdown`; its program is then run without
Fencepost on another broker of the same release, with the configs that the scenario names. A line
says what came of it: `shown` (the program's exit code is 1), `not shown`, `no program`, or `holds`
where the replay breaks nothing.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from click.testing import CliRunner

from conformance.cli import main as fencepost
from conformance.systems.embedded import Embedded
from spec.canonical import read_scenario


def outcome_of(release: str, file: Path, folder: Path) -> str:
    """What came of one scenario."""
    report = folder / f"{file.stem}.md"
    words = ["replay", str(file), "--kafka", release, "--markdown", str(report)]
    CliRunner().invoke(fencepost, words)
    if not report.is_file():
        return "holds"
    program = report.with_suffix(".py")
    if not program.is_file():
        return "no program"
    with Embedded(release, config=dict(read_scenario(file.read_bytes()).config)) as broker:
        address = "{}:{}".format(*broker.address)
        command = [sys.executable, "-I", str(program), address]
        found = subprocess.run(  # noqa: S603 - our own command
            command, capture_output=True, check=False, cwd=folder
        )
    return "shown" if found.returncode == 1 else f"not shown, exit code {found.returncode}"


def main(words: list[str]) -> int:
    """Try each scenario."""
    release, *files = words
    with tempfile.TemporaryDirectory() as folder:
        for file in map(Path, files):
            print(f"{file.name}: {outcome_of(release, file, Path(folder))}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
