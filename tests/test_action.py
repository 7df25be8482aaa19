"""The GitHub action and the container image: the action's script does a run from an empty folder,
and both name what there is. Neither GitHub nor a Docker daemon is needed.
"""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "tools" / "action.sh"


def act(folder: Path, **inputs: str) -> tuple[int, str, dict[str, str]]:
    """Do what the action does in a folder; its exit code, what it prints, and its outputs."""
    command = folder.parent / "fencepost"
    command.write_text(f'#!/bin/bash\nexec {sys.executable} -P -m conformance.cli "$@"\n')
    command.chmod(0o755)
    outputs = folder.parent / "outputs"
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "FENCEPOST_COMMAND": str(command),
        "GITHUB_OUTPUT": str(outputs),
        "GITHUB_ACTIONS": "true",
        "GITHUB_STEP_SUMMARY": str(folder.parent / "summary.md"),
        **{f"INPUT_{name.upper()}": value for name, value in inputs.items()},
    }
    done = subprocess.run(
        ["bash", str(SCRIPT)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = outputs.read_text().splitlines() if outputs.exists() else []
    return (
        done.returncode,
        done.stdout + done.stderr,
        dict([line.split("=", 1) for line in lines]),
    )


@pytest.mark.system
def test_the_action_runs_from_an_empty_folder(tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    code, text, outputs = act(
        folder,
        subject="fetch",
        scenarios="20",
        options="model --fault no-progress --no-restart --shrink 0s --clause FET-004",
    )
    assert code == 1, text
    assert outputs["exit-code"] == "1"
    assert "::error title=violates FET-004 no first batch::" in text
    assert json.loads((folder / outputs["sarif"]).read_bytes())["version"] == "2.1.0"
    assert json.loads((folder / outputs["badge"]).read_bytes())["color"] == "red"
    assert (Path(outputs["folder"]) / "events.jsonl").exists()
    assert "Fencepost: VIOLATES" in (tmp_path / "summary.md").read_text()
    assert sorted(one.name for one in folder.iterdir()) == ["fencepost-runs"]


@pytest.mark.system
def test_wrong_inputs_of_the_action_are_wrong_use(tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    code, text, _ = act(folder, strict="yes")
    assert code == 2
    assert "expected strict to be true or false, found yes" in text


def test_the_action_gives_its_script_every_input_and_takes_every_output() -> None:
    action = (ROOT / "action.yml").read_text(encoding="utf-8")
    script = SCRIPT.read_text(encoding="utf-8")
    inputs = re.findall(r"\$\{\{ inputs\.([a-z-]+) \}\}", action)
    assert {f"INPUT_{name.replace('-', '_').upper()}" for name in inputs} == {
        *re.findall(r"INPUT_[A-Z_]+", script)
    }
    declared = action.partition("inputs:\n")[2].partition("outputs:\n")[0]
    assert re.findall(r"^  ([a-z-]+):$", declared, re.MULTILINE) == inputs
    outputs = re.findall(r"steps\.run\.outputs\.([a-z-]+)", action)
    assert re.findall(r'echo "([a-z-]+)=', script) == outputs


def test_the_image_holds_every_package_that_ships() -> None:
    copied = set(
        re.findall(r"^COPY (\w+) \1$", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    )
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    packages = set(project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"])
    assert copied == packages
    let_in = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert {f"!{name}" for name in packages} <= set(let_in)
    named = re.findall(r"^COPY (.+) \./$", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    for name in " ".join(named).split():
        assert (ROOT / name).is_file()
        assert f"!{name}" in let_in
