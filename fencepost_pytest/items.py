"""The tests that the plugin adds: one for each clause of a subject, and one for its run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fencepost_pytest.runs import NotRun, clauses_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    from fencepost_pytest.runs import Difference, Run, Runs

ADDRESS = "fencepost_bootstrap_server"
RUN = "run"
"""The name of the test of a whole run."""


class Broken(Exception):  # noqa: N818 - it describes the broker
    """A test of Fencepost failed; the message is all there is to show."""


class Clauses(pytest.Collector):
    """The clauses of one subject, in the folder from which the user's own fixture is seen."""

    def collect(self) -> Iterator[pytest.Item]:
        """Nothing: the tests are added once all others are collected."""
        return iter(())


class Test(pytest.Function):
    """A test that the plugin adds: one clause, or the run as a whole."""

    subject: str
    clause: str

    def reportinfo(self) -> tuple[PathLike[str] | str, int | None, str]:
        """Where it is: nowhere in the user's files."""
        return self.config.rootpath, None, f"fencepost {self.subject} {self.clause}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The message alone, without a trace of the plugin."""
        if isinstance(excinfo.value, Broken | NotRun):
            return str(excinfo.value)
        del style  # which is that of the command line, as for every test
        return super().repr_failure(excinfo)


def collect_tests(
    session: pytest.Session,
    items: Sequence[pytest.Item],
    command: tuple[str, ...],
    subjects: tuple[str, ...],
) -> Iterator[pytest.Item]:
    """The tests of some subjects, beside the items that were collected.

    Raises:
        UsageError: there is no such subject, or Fencepost can't be called.
    """
    place = _place(session, items)
    for subject in subjects:
        try:
            clauses = clauses_of(command, subject)
        except NotRun as failed:
            raise pytest.UsageError(str(failed)) from failed
        parent = Clauses.from_parent(place, name=subject, nodeid=f"fencepost::{subject}")
        for clause, statement in clauses.items():
            yield _test(parent, subject, clause, clause_check(subject, clause, statement))
        yield _test(parent, subject, RUN, run_check(subject))


def _place(session: pytest.Session, items: Sequence[pytest.Item]) -> pytest.Collector:
    """The collected folder from whose conftest.py the user's own fixture comes, so that the tests
    see it; all tests where there is none.
    """
    folders = {
        Path(plugin.__file__).parent
        for plugin in session.config.pluginmanager.get_plugins()
        if hasattr(plugin, ADDRESS) and Path(getattr(plugin, "__file__", "")).name == "conftest.py"
    }
    nodes = {node for item in items for node in item.listchain()}
    found = [one for one in nodes if isinstance(one, pytest.Directory) and one.path in folders]
    return max(found, key=lambda one: len(one.path.parts), default=session)


def _test(parent: pytest.Collector, subject: str, clause: str, check: Any) -> Test:
    test: Test = Test.from_parent(parent, name=clause, callobj=check)
    test.subject, test.clause = subject, clause
    if parent.config.pluginmanager.hasplugin("xdist"):  # which registers the mark
        test.add_marker(pytest.mark.xdist_group("fencepost"))
    return test


def clause_check(subject: str, clause: str, statement: str) -> Any:
    """The function of the test of one clause."""

    def check(fencepost_runs: Runs) -> None:
        run = fencepost_runs.of(subject)
        if run.folder is None:
            pytest.skip(f"the run came to nothing, see fencepost::{subject}::{RUN}")
        found = run.clauses.get(clause)
        if found is None:
            pytest.skip("it does not count for the release that the broker is judged as")
        counted = {"violates", "deviates"} if fencepost_runs.strict else {"violates"}
        broken = [one for one in found.differences if one.known is None and one.outcome in counted]
        if broken:
            raise Broken(
                "\n\n".join([f"{clause}  {statement}", *map(_text, broken), _reproduction(run)])
            )
        for one in found.differences:
            if one.known is not None:
                pytest.xfail(f"known: {one.known}")
        if not found.exercised:
            pytest.skip(f"not exercised: {found.why_not or 'its condition did not arise'}")

    return check


def _text(one: Difference) -> str:
    kept = f"\nscenario file: {one.case}" if one.case is not None else ""
    return f"{one.outcome} ({one.signature}): {one.text}{kept}"


def _reproduction(run: Run) -> str:
    return f"again: {run.command}"


def run_check(subject: str) -> Any:
    """The function of the test of a whole run."""

    def check(fencepost_runs: Runs) -> None:
        run = fencepost_runs.of(subject)
        if run.undecided:
            raise Broken(run.undecided)
        unlisted = any(
            one.known is None for found in run.clauses.values() for one in found.differences
        )
        if run.exit_code and not unlisted:
            raise Broken(f"{run.verdict}\n{run.output[-3000:]}")

    return check
