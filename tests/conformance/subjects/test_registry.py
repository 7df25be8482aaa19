"""A subject is named in its own folders and in the registry; everywhere else the code iterates over
all of them.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from conformance.subjects.registry import (
    CLIENT_RUNNERS,
    RUNNERS,
    find_fault,
    runner_of,
    served_faults,
)
from conformance.systems.embedded_cluster import EmbeddedCluster
from conformance.systems.external import External
from conformance.systems.model import Model
from spec.releases import semantics_for
from spec.subject_registry import SUBJECTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.engine.runner import Runner

ROOT = Path(__file__).resolve().parents[3]
NAMES = frozenset([runner.subject for runner in RUNNERS])
SEARCHED = ("conformance", "results", "benchmarks", "tools")
OTHER_WORDS = (
    "conformance/serve/apis/",
    "conformance/clients/",
    "conformance/engine/emptying.py",
    "conformance/engine/permissions.py",
    "results/spark/ingest.py",
    "benchmarks/spark_scale.py",
)
"""Where these words are fields of Kafka's messages, its names of group protocols, or columns."""

COMMANDS = {
    "conformance/cli/__init__.py": ["limits"],
    "conformance/cli/limits.py": ["limits"],
}
"""By module: the subject's names in it that are names of commands and of their output."""


def searched() -> list[Path]:
    """The modules that may name no subject, relative to the root."""
    every = [
        path.relative_to(ROOT) for room in SEARCHED for path in sorted((ROOT / room).rglob("*.py"))
    ]
    own = [f"conformance/subjects/{name}/" for name in NAMES]
    return [path for path in every if not path.as_posix().startswith((*own, *OTHER_WORDS))]


def named(source: str) -> list[str]:
    """The subjects that are compared with, keys of a mapping, or choices of an option."""
    found: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare):
            found += _words([node.left, *node.comparators])
        elif isinstance(node, ast.Dict):
            found += _words([key for key in node.keys if isinstance(key, ast.Constant)])
        elif isinstance(node, ast.match_case):
            found += _words([node.pattern])
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("Choice"):
            found += _words(node.args)
    return found


def _words(nodes: Sequence[ast.AST]) -> Iterator[str]:
    for node in nodes:
        for one in ast.walk(node):
            if isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value in NAMES:
                yield one.value


@pytest.mark.parametrize("path", searched(), ids=str)
def test_no_module_outside_a_subjects_folder_names_one(path: Path) -> None:
    expected = COMMANDS.get(path.as_posix(), [])
    assert named((ROOT / path).read_text(encoding="utf-8")) == expected


@pytest.mark.parametrize(
    "source",
    [
        'if subject == "share": pass',
        'if subject in {"fetch", "max_records"}: pass',
        'of = {"groups": 1}',
        'click.option("--subject", type=click.Choice(["fetch"]))',
        'match subject:\n    case "fetch": pass',
    ],
)
def test_a_name_would_be_found(source: str) -> None:
    assert named(source)


def test_each_subject_of_the_catalogue_is_played_by_some_runner() -> None:
    assert {runner_of(subject.name).subject for subject in SUBJECTS} == NAMES
    assert CLIENT_RUNNERS.keys() <= NAMES
    with pytest.raises(LookupError):
        runner_of("nothing")


@pytest.mark.parametrize("runner", RUNNERS, ids=lambda runner: runner.subject)
def test_a_subject_is_played_dry_with_and_without_a_fault(runner: Runner[Any]) -> None:
    semantics = semantics_for("4.3")
    assert runner.loop.subject == runner.subject
    for fault in (None, runner.faults[0]):
        assert runner.dry_run(semantics, fault).semantics == semantics


def test_a_fault_is_found_by_its_name_with_its_subject() -> None:
    every = list(served_faults())
    assert len({fault.name for _, fault in every}) == len(every)
    for runner, fault in every:
        assert find_fault(fault.name) == (runner, fault)


def test_a_system_that_has_too_few_brokers_by_its_kind_is_refused_before_it_is_reached() -> None:
    for runner in RUNNERS:
        assert (runner.missing(Model()) is None) == (runner.brokers == 1)
        assert runner.missing(External("localhost:9092")) is None


def test_a_broker_that_keeps_settings_of_which_none_is_known_is_refused() -> None:
    semantics = semantics_for("4.3")
    needing = [runner for runner in RUNNERS if runner.without_restart(semantics)]
    assert needing
    for runner in needing:
        assert runner.unfit(semantics, 3, restarts=False)
        assert not runner.unfit(semantics, 3, restarts=True)


def test_a_subject_that_needs_brokers_is_refused_where_there_are_fewer() -> None:
    needing = [runner for runner in RUNNERS if runner.brokers > 1]
    assert needing
    for runner in needing:
        too_few, enough = EmbeddedCluster(brokers=2), EmbeddedCluster(brokers=runner.brokers)
        assert f"--brokers {runner.brokers} starts one, found 2" in str(runner.missing(too_few))
        assert runner.missing(enough) is None
        assert runner.missing(External("localhost:9092")) is None  # it is known once reached
        assert runner.too_few(1)
