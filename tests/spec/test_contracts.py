"""The contracts of counting functions hold for all whole numbers, as far as CrossHair can decide:
it says so for every path.
"""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.system

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("module", "contracts"),
    [("spec/fetch/model/slicing.py", 4), ("spec/share/model/counting.py", 12)],
)
def test_crosshair_confirms_the_contracts_over_all_paths(module: str, contracts: int) -> None:
    command = [
        sys.executable,
        "-m",
        "crosshair",
        "check",
        "--analysis_kind=PEP316",
        "--report_all",
        "--per_condition_timeout=60",
    ]
    found = subprocess.run(
        [*command, module], cwd=ROOT, capture_output=True, text=True, timeout=400, check=False
    )
    assert found.returncode == 0, found.stdout + found.stderr
    assert found.stdout.count("Confirmed over all paths") == contracts, found.stdout
