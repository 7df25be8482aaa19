"""The contract of the fetch limit holds for all whole numbers, as far as CrossHair can tell: it says so for every path."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_crosshair_confirms_the_fetch_limit_over_all_paths() -> None:
    command = [sys.executable, "-m", "crosshair", "check", "--analysis_kind=PEP316", "--report_all", "--per_condition_timeout=60"]
    found = subprocess.run([*command, "spec/fetch/slicing.py"], cwd=ROOT, capture_output=True, text=True, timeout=400, check=False)
    assert found.returncode == 0, found.stdout + found.stderr
    assert found.stdout.count("Confirmed over all paths") == 4, found.stdout
