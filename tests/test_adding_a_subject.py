"""The walk-through on adding a subject does what it says: a toy subject is added to a copy of the
project by it alone, and run.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "adding-a-subject.md"
ROOMS = ("spec", "generators", "conformance", "results", "drafts")
REGISTRIES = {"spec/subject_registry.py": "SUBJECTS", "conformance/subjects/registry.py": "RUNNERS"}
OWN_FOLDERS = ("spec/ends/", "generators/ends/", "conformance/subjects/ends/")
WITHIN_S = 300

DETECT = """
import json
from datetime import date

from conformance.engine.detecting import detect_planted
from conformance.subjects.registry import runner_of
from spec.canonical import to_json

runner = runner_of("ends")
for fault in runner.faults:
    for seed in (1, 2, 3):
        found = detect_planted(runner, fault, seed, date(2026, 11, 1))
        print(json.dumps([fault.name, found.as_expected, to_json(found.shrunk)]))
"""
SMALLEST = {
    "empty-partition-refused": {"partitions": [{}]},
    "log-start-ignored": {"partitions": [{"log_start": 1, "segments": [[{"size": 100}]]}]},
    "isolation-ignored": {"partitions": [{"segments": [[{"size": 100, "txn": 0}]]}]},
}
"""The layout that each planted fault is made small to, with one question about it."""


def files() -> Mapping[str, str]:
    """The files of the walk-through, by path."""
    return dict(
        re.findall(
            r"^`([\w/]+\.py)`:\n\n```python\n(.*?)```$",
            PAGE.read_text(encoding="utf-8"),
            re.MULTILINE | re.DOTALL,
        )
    )


def registrations() -> Mapping[str, tuple[str, str]]:
    """The import and the entry of each registry, by path."""
    found = re.findall(
        r"^In `([\w/]+\.py)`, the import and the line[^`]*:\n\n```python\n(\S[^\n]*)\n\n"
        r"\w+: [^\n]* = \(\s*\.\.\.,\s+([\w.]+),?\s*\)$",
        PAGE.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    return {path: (line, entry) for path, line, entry in found}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project to which the subject was added, as the page says and in no other
    way.
    """
    folder = tmp_path_factory.mktemp("project")
    for room in ROOMS:
        shutil.copytree(ROOT / room, folder / room, ignore=shutil.ignore_patterns("__pycache__"))
    for path, text in files().items():
        file = folder / path
        file.parent.mkdir(exist_ok=True)
        assert not file.exists()
        file.write_text(text, encoding="utf-8")
    for path, (line, entry) in registrations().items():
        text = (folder / path).read_text(encoding="utf-8")
        text, imports = re.subn(
            r"^(?=import spec\.|from conformance\.subjects\.)",
            f"{line}\n",
            text,
            count=1,
            flags=re.MULTILINE,
        )
        every = re.compile(
            rf"^({REGISTRIES[path]}: [^\n]* = \()(.*?),?\n?\)$", re.MULTILINE | re.DOTALL
        )
        text, entries = every.subn(rf"\1\2, {entry})", text, count=1)
        assert (imports, entries) == (1, 1)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def python(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python on the copy."""
    environment = {**os.environ, "PYTHONPATH": str(project)}
    return subprocess.run(
        [sys.executable, *words],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )


def test_the_page_writes_into_the_subjects_own_folders_and_registers_it_twice() -> None:
    assert len(files()) == 13
    assert all(path.startswith(OWN_FOLDERS) for path in files())
    assert registrations().keys() == REGISTRIES.keys()


@pytest.mark.system
def test_its_clauses_are_in_the_catalogue(project: Path) -> None:
    found = python(project, "-m", "conformance.cli", "spec", "END-003")
    assert found.returncode == 0, found.stderr
    assert "END-003  must, HARD" in found.stdout


@pytest.mark.system
def test_its_worked_examples_are_explained(project: Path) -> None:
    found = python(project, "-m", "conformance.cli", "explain", "END-003")
    assert found.returncode == 0, found.stderr
    assert "ask end partition=0 isolation=1\n  answered end offset=1" in found.stdout


@pytest.mark.system
def test_each_planted_fault_is_caught_and_made_small(project: Path) -> None:
    found = python(project, "-c", DETECT)
    assert found.returncode == 0, found.stderr
    lines = [json.loads(line) for line in found.stdout.splitlines()]
    assert len(lines) == 3 * len(SMALLEST)
    assert all(as_expected for _, as_expected, _ in lines)
    for name, layout in SMALLEST.items():
        shrunk = [json.loads(scenario) for fault, _, scenario in lines if fault == name]
        assert all(len(scenario["steps"]) == 1 for scenario in shrunk)
        assert layout in [scenario["layout"] for scenario in shrunk]


@pytest.mark.system
def test_it_is_played_on_the_served_model_judged_and_reported(project: Path) -> None:
    words = (
        "run",
        "model",
        "--subject",
        "ends",
        "--scenarios",
        "50",
        "--seed",
        "3",
        "--no-corpus",
        "--out",
        "runs",
    )
    found = python(project, "-m", "conformance.cli", *words)
    assert found.returncode == 0, found.stdout + found.stderr
    assert "CONFORMS" in found.stdout
    assert "--subject ends" in found.stdout
    (run,) = (project / "runs").iterdir()
    events = [
        json.loads(line) for line in (run / "events.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert (events[0]["subject"], events[0]["requirement_set"]) == ("ends", "ends-4.3@1")
    exercised = {
        verdict["clause"]
        for event in events
        if event["kind"] == "judged"
        for verdict in event["verdicts"]
    }
    assert exercised == {"END-001", "END-002", "END-003"}
    report = (run / "report.html").read_text(encoding="utf-8")
    assert all(clause in report for clause in exercised)
    assert "earliest=read_committed" in (run / "events.jsonl").read_text(encoding="utf-8")


def test_no_module_outside_its_folders_names_it(project: Path) -> None:
    own = tuple([str(project / folder) for folder in OWN_FOLDERS])
    others = [
        file
        for room in ROOMS
        for file in (project / room).rglob("*.py")
        if not str(file).startswith(own)
    ]
    name = re.compile(r"\bends\.(SUBJECT|RUNNER)\b")
    naming = {
        str(file.relative_to(project))
        for file in others
        if name.search(file.read_text(encoding="utf-8"))
    }
    assert naming == REGISTRIES.keys()
