"""The pytest plugin: a test for each clause, in a suite that has packages of the same names as
Fencepost's, with a broker that the suite's own fixture gives.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import fencepost_pytest
from conformance.systems.model import Model
from fencepost_pytest.items import Broken, clause_check
from fencepost_pytest.runs import (
    OWN_COMMAND,
    Clause,
    Difference,
    Run,
    Runs,
    clauses_of,
    read_clauses,
)
from results.export import write_summary
from results.junit import write_junit
from results.summary import summarise
from spec.catalogue import clauses_of as known_clauses
from tests.results.synthetic import CLAUSES, header, judged, layout, placed, violates

if TYPE_CHECKING:
    from spec.events import Event

ROOT = Path(__file__).resolve().parent.parent
CONFTEST = """
import os
import pytest
import spec

@pytest.fixture(scope="session")
def fencepost_bootstrap_server():
    assert spec.OURS
    yield os.environ["SERVED"]
"""
OWN = """
import conformance

def test_own():
    assert conformance.OURS
"""
NOTHING = """
import sys

print("a run that came to nothing")
sys.exit(3)
"""


def suite(folder: Path) -> Path:
    """A test suite with packages of its own that are called as Fencepost's are."""
    for name in ("spec", "conformance", "results"):
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text("OURS = True\n")
    tests = folder / "checks"
    tests.mkdir()
    (tests / "conftest.py").write_text(CONFTEST)
    (tests / "test_own.py").write_text(OWN)
    return folder


def pytest_output(folder: Path, options: tuple[str, ...], served: str) -> tuple[int, str]:
    """What pytest says in a folder, in a process of its own; the packages there come first."""
    script = (
        "import sys; sys.path[:0] = ['.', sys.argv.pop(1)]; "
        "import pytest; sys.exit(pytest.main(sys.argv[1:]))"
    )
    own = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST_")}
    own.pop("PYTHONPATH", None)
    done = subprocess.run(
        [
            *(sys.executable, "-P", "-c", script, str(ROOT)),
            *("-p", "fencepost_pytest", "-p", "no:cacheprovider", "--rootdir", ".", "-rsxf"),
            *options,
        ],
        cwd=folder,
        env={**own, "SERVED": served},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.system
def test_a_suite_with_a_fixture_of_its_own_has_a_test_for_each_clause(tmp_path: Path) -> None:
    (tmp_path / "suite").mkdir()
    with Model() as model:
        code, text = pytest_output(
            suite(tmp_path / "suite"),
            (
                *("--fencepost", "--fencepost-scenarios", "40", "-v", "checks"),
                *("-p", "no:xdist", "--strict-markers", "-W", "error"),
                *("--fencepost-options", "--no-restart --shrink 0s"),
            ),
            ":".join(map(str, model.address)),
        )
    assert code == 1, text
    assert "checks/test_own.py::test_own PASSED" in text
    assert "fencepost::fetch::FET-004 PASSED" in text
    assert "fencepost::fetch::FET-071 FAILED" in text
    assert "fencepost::fetch::run PASSED" in text
    assert "expected data or a defined error, found UNKNOWN_SERVER_ERROR" in text
    assert "scenarios/FET-071-negative-limit.json" in text
    assert "answered UNKNOWN_SERVER_ERROR, 0 bytes, 0 whole batches" in text
    assert "again: fencepost run --subject fetch --bootstrap-server" in text
    assert "not exercised: this broker has no AlterClientQuotas" in text
    testable = [one for one in known_clauses("fetch").values() if not one.excluded]
    assert text.count("fencepost::fetch::FET-") >= len(testable)


@pytest.mark.system
def test_wrong_use_is_said_before_anything_runs(tmp_path: Path) -> None:
    for more, said in (
        (("--fencepost-subject", "nothing"), "expected the clauses of the subject 'nothing'"),
        (("--fencepost-command", "no-such-command"), "name it by --fencepost-command"),
    ):
        code, text = pytest_output(tmp_path, ("--fencepost", *more), "")
        assert code == pytest.ExitCode.USAGE_ERROR
        assert said in text


def test_what_is_known_not_exercised_or_legal_does_not_fail() -> None:
    def check(clause: Clause | None, *, strict: bool = False) -> None:
        clauses = {} if clause is None else {"FET-004": clause}
        run = Run("fencepost run", 0, "CONFORMS", "", ROOT, clauses)
        runs = Runs((), (), ROOT, strict=strict, _done={"fetch": run})
        clause_check("fetch", "FET-004", "statement")(runs)

    listed = Difference("way", "violates", "our issue 12", "why", "text", None)
    legal = Difference("way", "deviates", None, "why", "text", None)
    check(Clause(3, "", ()))
    check(Clause(3, "", (legal,)))
    with pytest.raises(Broken, match="statement"):
        check(Clause(3, "", (legal,)), strict=True)
    with pytest.raises(pytest.xfail.Exception, match="known: our issue 12"):
        check(Clause(3, "", (listed,)))
    with pytest.raises(pytest.skip.Exception, match="not exercised: no quotas"):
        check(Clause(0, "no quotas", ()))
    with pytest.raises(pytest.skip.Exception, match="does not count for the release"):
        check(None)


@pytest.mark.system
def test_a_run_that_came_to_nothing_is_undecided(tmp_path: Path) -> None:
    script = tmp_path / "fencepost.py"
    script.write_text(NOTHING)
    runs = Runs((sys.executable, str(script)), ("--seed", "1"), tmp_path, strict=False)
    run = runs.of("fetch")
    assert run is runs.of("fetch")
    assert run.clauses == {}
    assert "exit code 3 of `fencepost run --subject fetch --seed 1" in run.undecided
    assert "a run that came to nothing" in run.undecided


def test_a_run_folder_says_what_became_of_each_clause(tmp_path: Path) -> None:
    one = layout((5070,))
    events: list[Event] = [header(), placed(one), judged(one, violates())]
    summary = summarise(events, CLAUSES)
    write_summary(summary, CLAUSES, tmp_path / "summary.json")
    write_junit(summary, tmp_path / "junit.xml")
    found = read_clauses(tmp_path)
    (broken,) = found["FET-001"].differences
    assert broken.outcome == "violates"
    assert broken.known is None
    assert "partition_max_bytes=1000" in broken.text
    assert found["FET-002"].exercised == 0


@pytest.mark.system
def test_the_clauses_of_a_subject_are_those_that_can_be_tried() -> None:
    found = clauses_of(OWN_COMMAND, "limits")
    assert found.keys() == {one.id for one in known_clauses("limits").values() if not one.excluded}
    assert all(found.values())


def test_the_plugin_is_an_entry_point_and_imports_none_of_our_packages() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (place,) = project["project"]["entry-points"]["pytest11"].values()
    assert import_module(place) is fencepost_pytest
    for file in (ROOT / "fencepost_pytest").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
            roots = {name.partition(".")[0] for name in names}
            assert roots <= {*sys.stdlib_module_names, "pytest", "fencepost_pytest"}, file
    assert json.dumps(project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]).count(
        "fencepost_pytest"
    )
