"""Children of our own import our modules, whatever lies in the current folder."""

import subprocess
from pathlib import Path

import pytest

from conformance.own_process import own_command, own_environment
from conformance.systems.model import Model

pytestmark = pytest.mark.system


def test_a_file_in_the_current_folder_is_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("spec", "results", "json", "msgspec", "conformance"):
        (tmp_path / f"{name}.py").write_text(
            f"raise SystemExit('imported {name} of the current folder')"
        )
    monkeypatch.chdir(tmp_path)
    with Model() as model:
        assert model.address[0] == "127.0.0.1"


def test_it_finds_our_modules_without_an_installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    done = subprocess.run(
        own_command("conformance.cli", "--version"),
        env=own_environment(),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "fencepost" in done.stdout
