"""CrossHair distinguishes two stop rules by itself, and finds no difference between the two
formulations of one.
"""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.system

ROOT = Path(__file__).parents[3]
MODULE = "drafts.max_records.counting"


def difference(one: str, other: str) -> str:
    command = [
        sys.executable,
        "-m",
        "crosshair",
        "diffbehavior",
        "--per_condition_timeout=30",
        f"{MODULE}.{one}",
        f"{MODULE}.{other}",
    ]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=200, check=False
    ).stdout


def test_stopping_before_differs_from_stopping_but_for_the_first() -> None:
    assert "returns 1" in difference("stopping_before", "stopping_before_but_for_the_first")


def test_two_formulations_do_not_differ_on_any_path() -> None:
    assert "All paths exhausted" in difference("stopping_before", "stopping_before_by_partial_sums")
