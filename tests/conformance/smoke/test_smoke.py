"""A look at a broker says what a run would try, what is missing and what that costs, in time."""

from __future__ import annotations

import json
import re
import socket
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from jsonschema import validate  # type: ignore[import-untyped]

from conformance.claims.scopes import UnknownScopeError, clauses_in
from conformance.claims.uses import FROM_FILES, PLACED_FILES, USES
from conformance.cli import main
from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.engine.start import facts_of
from conformance.facts import FETCH_MAX_BYTES, FactsError
from conformance.smoke import check
from conformance.smoke.found import Api, Smoke, Trial
from conformance.smoke.testability import CAN_BE_LAID, apis_of, limits_of, subjects_of
from conformance.subjects.registry import RUNNERS
from conformance.systems.external import External
from conformance.systems.model import Model
from conformance.wire.negotiation import ApiVersions
from results.schema_files import SMOKE_SCHEMA, SMOKE_TITLE, as_text, schema_of
from spec.releases import semantics_for
from spec.requirements import requirement_set

if TYPE_CHECKING:
    from collections.abc import Iterator

PLACE = "conformance.smoke.check"


def invoke(*arguments: str) -> tuple[int, str]:
    found = CliRunner().invoke(main, list(arguments))
    return found.exit_code, found.output


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where a served model listens, which a look takes for a broker of others."""
    with Model() as model:
        yield ":".join(map(str, model.address))


def topics(address: str) -> set[str]:
    host, port = address.split(":")
    with reach(host, int(port), make_codec()).connect() as connection:
        answer = connection.ask("Metadata", 12, {"topics": None})
    return {str(one["name"]) for one in answer["topics"]} - {"__share_group_state"}


@pytest.mark.system
def test_a_good_broker_is_testable_and_keeps_nothing(address: str) -> None:
    before = topics(address)
    code, text = invoke("smoke", address)
    assert code == 0, text
    assert "judged as Kafka 4.3, written by unknown, 1 broker" in text
    assert f"tried: {CAN_BE_LAID}: yes" in text
    assert "tried: a transaction is left open: yes" in text
    assert "AlterClientQuotas is not advertised (quotas); costs FET-017" in text
    assert "FET-022, FET-023, FET-122 (they need files in the broker's data folder)" in text
    assert re.search(
        r"^groups +\d+ of +\d+ clauses, not tried: GRP-016, GRP-019", text, re.MULTILINE
    )
    assert len({line.index(" of ") for line in text.splitlines() if " clauses" in line}) == 1
    assert "TESTABLE  fetch, share, groups, offsets, produce, segments, limits can be run" in text
    assert "fairness " not in text
    assert topics(address) == before


@pytest.mark.system
def test_the_form_for_programs_is_that_of_the_published_schema(address: str) -> None:
    code, text = invoke("smoke", address, "--json", "--read-only")
    found = json.loads(text)
    assert code == 0
    assert found["testable"]
    assert not found["trials"]
    validate(found, schema_of(Smoke, SMOKE_TITLE))
    assert SMOKE_SCHEMA.read_text(encoding="utf-8") == as_text(schema_of(Smoke, SMOKE_TITLE))


@pytest.mark.slow
def test_what_is_silent_or_absent_is_not_testable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.cli.smoke._LOOKED_FOR_S", 0.3)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        port = silent.getsockname()[1]
        code, text = invoke("smoke", f"127.0.0.1:{port}")
        assert code == 3
        assert "NOT TESTABLE  expected a Kafka broker" in text
        silent.listen()
        monkeypatch.setattr("conformance.cli.smoke._LOOKED_FOR_S", 60.0)
        monkeypatch.setattr("conformance.cli.smoke.IN_ALL_S", check.FOR_CLEANING_S)
        code, text = invoke("smoke", f"127.0.0.1:{port}")
        assert code == 3
        assert "expected the broker to answer at all within" in text


def test_a_bad_address_is_wrong_use() -> None:
    code, text = invoke("smoke", "nowhere")
    assert code == 2
    assert "HOST:PORT" in text


class _Unreported:
    """Facts that only come with a limit that a facts file gives."""

    def __init__(self, facts_of: Any) -> None:
        self.facts_of = facts_of

    def __call__(self, cluster: Any, given: Any, system: Any) -> Any:
        if FETCH_MAX_BYTES not in given.limits:
            raise FactsError("give fetch.max.bytes in a facts file")
        return self.facts_of(cluster, given, system)


@pytest.mark.system
def test_a_limit_that_is_needed_and_not_reported_asks_for_a_facts_file(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{PLACE}.facts_of", _Unreported(facts_of))
    code, text = invoke("smoke", address)
    assert code == 2
    assert "config fetch.max.bytes is not reported: a run asks for it in a facts file" in text
    assert "NEEDS FACTS  give fetch.max.bytes in a facts file" in text
    assert f"tried: {CAN_BE_LAID}: yes" in text


def _versions(*without: str) -> tuple[Api, ...]:
    codec = make_codec()
    ranges = {key: (0, 30) for key, name in codec.api_names.items() if name not in without}
    return apis_of(ApiVersions(0, 4, ranges, {}, {}, -1), codec)


def _weighed(apis: tuple[Api, ...], *trials: Trial) -> dict[str, Any]:
    found = subjects_of(RUNNERS, External("localhost:9092"), semantics_for("4.3"), apis, trials)
    return {one.name: one for one in found}


def test_an_api_that_is_missing_costs_its_clauses() -> None:
    found = _weighed(_versions("ShareFetch", "ShareAcknowledge", "OffsetCommit", "OffsetFetch"))
    assert not found["share"].runs
    assert found["share"].why == "the broker does not advertise ShareFetch"
    assert found["offsets"].runs
    assert set(found["offsets"].missing) == clauses_in(["offsets/commit"])
    assert found["fetch"].missing == found["fetch"].in_files == PLACED_FILES
    assert found["fetch"].tried == found["fetch"].clauses - len(PLACED_FILES)
    counted = {*requirement_set("segments", "4.3").clauses}
    assert set(found["segments"].missing) == clauses_in(FROM_FILES) & counted


def test_versions_that_are_not_known_here_are_missing() -> None:
    codec = make_codec()
    keys = {name: key for key, name in codec.api_names.items()}
    ranges = {keys[use.api]: (0, 30) for use in USES} | {keys["Fetch"]: (0, 0)}
    (fetch,) = [
        one for one in apis_of(ApiVersions(0, 4, ranges, {}, {}, -1), codec) if one.name == "Fetch"
    ]
    assert (fetch.advertised, fetch.usable) == ((0, 0), False)
    assert not _weighed((fetch,))["fetch"].runs


def test_nothing_on_logs_runs_where_no_topic_can_be_made() -> None:
    found = _weighed(_versions(), Trial(CAN_BE_LAID, ok=False, why="expected a topic"))
    assert [name for name, one in found.items() if one.runs] == ["limits"]
    assert "expected the broker to report its size limits" in found["groups"].why
    assert found["produce"].why == "expected a topic"


def test_limits_that_are_not_reported_have_a_cost() -> None:
    costs = {one.config: one.cost for one in limits_of({"fetch.max.bytes": 1}, share_groups=False)}
    assert costs["fetch.max.bytes"] == ""
    assert "is not judged" in costs["num.partitions"]
    assert not [name for name in costs if "share" in name]


def test_every_use_names_apis_and_clauses_that_there_are() -> None:
    codec = make_codec()
    assert {use.api for use in USES} <= {*codec.api_names.values()}
    for use in USES:
        assert use.clauses.isdisjoint(use.clauses_partly)
    with pytest.raises(UnknownScopeError, match="offsets/commit"):
        clauses_in(["offsets/comit"])
    assert replace(USES[0], scopes=("OFF-050",)).clauses == {"OFF-050"}
