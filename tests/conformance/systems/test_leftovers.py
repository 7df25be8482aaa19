"""Folders of brokers whose process is gone are removed at the next start, and no others."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from conformance.systems.leftovers import (
    KEPT_S,
    OWNER,
    is_gone,
    make_folder,
    owner_of,
    remove_leftovers,
)

MAKING = """
import os
from conformance.systems.leftovers import make_folder
made = make_folder(os.getpid())
(made / "data").mkdir()
(made / "data" / "log").write_text("records")
(made / "broker.log").write_text("why")
print(made, flush=True)
os.kill(os.getpid(), 9)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders go."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def left_by_a_killed_process() -> Path:
    """The folder of a process that was killed."""
    command = [sys.executable, "-c", MAKING]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == -9, done.stderr
    return Path(done.stdout.strip())


@pytest.mark.system
def test_the_data_of_a_killed_process_goes_and_its_log_a_day_later(place: Path) -> None:
    folder = left_by_a_killed_process()
    assert folder.parent == place
    assert (folder / "data" / "log").exists()
    assert remove_leftovers() == 1
    assert not (folder / "data").exists()
    assert (folder / "broker.log").read_text() == "why"
    assert remove_leftovers(now=time.time() + KEPT_S + 60) == 1
    assert not folder.exists()


@pytest.mark.system
def test_folders_of_processes_that_run_and_of_others_stay(place: Path) -> None:
    ours = make_folder(os.getpid())
    without_owner, of_others = place / "fencepost-spark-1", place / "other"
    elsewhere = place / "fencepost-elsewhere"
    for folder in (without_owner, of_others, elsewhere):
        folder.mkdir()
    (of_others / OWNER).write_text((left_by_a_killed_process() / OWNER).read_text())
    (elsewhere / OWNER).write_text("another-host/1/1")
    for folder in (ours, without_owner, of_others, elsewhere):
        (folder / "data").mkdir()
    assert remove_leftovers(now=time.time() + 2 * KEPT_S) == 1
    for folder in (ours, without_owner, of_others, elsewhere):
        assert (folder / "data").is_dir()


def test_a_process_number_that_was_given_again_is_another_process() -> None:
    host, process, began = owner_of(os.getpid()).split("/")
    assert not is_gone(f"{host}/{process}/{began}")
    assert is_gone(f"{host}/{process}/{int(began) - 1}")
    assert not is_gone("nonsense")
