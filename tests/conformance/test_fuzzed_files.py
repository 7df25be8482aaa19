"""A file from anywhere never makes a command fail by itself: whatever a scenario, findings or facts
file holds, the exit code is that of wrong use or of a verdict.
"""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.cli import main
from conformance.exit_codes import FOUND, MISUSE, OK, UNREACHABLE
from conformance.facts import GIVEN_LIMITS
from conformance.findings import SHIPPED
from conformance.serve.settings import Settings
from spec.canonical import write_scenario
from spec.catalogue import examples
from spec.releases import RELEASES
from spec.share.steps import Pause
from tests.conformance.serve.listening import serving
from tests.spec.test_mutated_files import ODD, places

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DOCUMENTED = {OK, FOUND, MISUSE, UNREACHABLE}
EXAMPLES = [example.scenario for found in examples().values() for example in found]
QUICK = [
    write_scenario(scenario)
    for scenario in EXAMPLES
    if scenario.subject in {"fetch", "share"}
    and not any(
        isinstance(step, Pause)
        or getattr(step, "patience_ms", 0)
        or getattr(step, "max_wait_ms", 0)
        for step in scenario.steps
    )
]
"""Files that take no time to play."""
SHIPPED_FINDINGS = tomllib.loads(SHIPPED.read_text())["finding"]
FUZZED = settings(
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@st.composite
def mutated(draw: st.DrawFn, valid: st.SearchStrategy[Any]) -> Any:
    """Plain data of which up to two values are replaced, left out or repeated."""
    plain = json.loads(json.dumps(draw(valid), default=str))
    for _ in range(draw(st.integers(0, 2))):
        found = list(places(plain))
        if not found:
            break
        container, key = draw(st.sampled_from(found))
        how = draw(st.sampled_from(["replace", "drop", "repeat"]))
        if how == "replace":
            container[key] = draw(ODD)
        elif how == "drop":
            del container[key]
        elif isinstance(container, list):
            container.insert(key, container[key])
    return plain


def toml(plain: Any) -> str:
    """A value as TOML writes it; a null, which TOML can't write, as an empty text."""
    if isinstance(plain, bool):
        return str(plain).lower()
    if isinstance(plain, dict):
        pairs = [f"{json.dumps(key)} = {toml(value)}" for key, value in plain.items()]
        return "{ " + ", ".join(pairs) + " }"
    if isinstance(plain, list):
        return "[" + ", ".join(map(toml, plain)) + "]"
    if isinstance(plain, float):
        return repr(plain)
    return '""' if plain is None else json.dumps(plain)


def document(plain: Any) -> str:
    """A whole TOML file."""
    if not isinstance(plain, dict):
        return toml(plain)
    return "\n".join(f"{json.dumps(key)} = {toml(value)}" for key, value in plain.items())


def assert_documented(*arguments: str) -> None:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code in DOCUMENTED, (result.exit_code, result.output, arguments)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where a served model is reached."""
    with serving(Settings("4.3.1")) as state:
        yield f"{state.host}:{state.port}"


@settings(FUZZED, max_examples=300)
@given(mutated(st.sampled_from([json.loads(write_scenario(one)) for one in EXAMPLES])))
def test_any_scenario_file_is_explained_or_refused(tmp_path: Path, plain: Any) -> None:
    file = tmp_path / "scenario.json"
    file.write_text(json.dumps(plain))
    assert_documented("explain", str(file))


@settings(FUZZED, max_examples=30)
@given(mutated(st.sampled_from([json.loads(one) for one in QUICK])))
def test_any_scenario_file_is_replayed_or_refused(tmp_path: Path, address: str, plain: Any) -> None:
    file = tmp_path / "scenario.json"
    file.write_text(json.dumps(plain))
    assert_documented("replay", str(file), "--bootstrap-server", address)


FACTS = st.fixed_dictionaries(
    {},
    optional={
        "release": st.sampled_from(sorted(RELEASES)),
        "kafka_version": st.just("4.3.1"),
        "implementation": st.just("other"),
        "limits": st.dictionaries(
            st.sampled_from(sorted(GIVEN_LIMITS)), st.integers(0, 2**31 - 1), max_size=3
        ),
    },
)
FINDINGS = st.lists(st.sampled_from(SHIPPED_FINDINGS), max_size=2).map(
    lambda some: {"finding": some}
)


@pytest.mark.slow
@settings(FUZZED, max_examples=100)
@given(mutated(FACTS), mutated(FINDINGS))
def test_any_findings_and_facts_file_is_read_or_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, facts: Any, findings: Any
) -> None:
    monkeypatch.setattr("conformance.systems.external._PATIENCE_S", 0.05)
    (tmp_path / "facts.toml").write_text(document(facts), errors="replace")
    (tmp_path / "findings.toml").write_text(document(findings), errors="replace")
    assert_documented(
        "run",
        *("--bootstrap-server", "127.0.0.1:1"),
        *("--facts", str(tmp_path / "facts.toml")),
        *("--findings", str(tmp_path / "findings.toml")),
        *("--out", str(tmp_path / "runs"), "--no-report", "--no-corpus"),
    )


@settings(FUZZED, max_examples=15)
@given(FACTS)
def test_a_broker_is_judged_by_any_facts_that_are_read(
    tmp_path: Path, address: str, facts: Any
) -> None:
    (tmp_path / "facts.toml").write_text(document(facts))
    file = tmp_path / "scenario.json"
    file.write_text(QUICK[0])
    assert_documented(
        *("replay", str(file), "--bootstrap-server", address),
        *("--facts", str(tmp_path / "facts.toml")),
    )
