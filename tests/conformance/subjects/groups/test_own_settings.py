"""Groups on a broker that keeps its own settings: they are read or given, and no restart is asked
for.
"""

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.cli import main
from conformance.exit_codes import FOUND, OK
from conformance.serve.settings import Settings
from conformance.subjects.groups.loop import (
    GroupLoop,
    histories_under,
    outlasting_histories,
    strategies_under,
)
from conformance.subjects.groups.own_settings import OwnSettings, own_settings, without_restart
from conformance.wire.negotiation import ApiVersions
from generators.drawing import collect
from generators.groups.constants import LONG_MS, SESSIONS_MS
from spec.canonical import write_scenario
from spec.groups.examples import history, pair, size_limits
from spec.groups.releases import (
    CLASSIC_LIMIT,
    CONSUMER_LIMIT,
    INITIAL_DELAY,
    MIN_SESSION,
    NAMED_SESSIONS,
    SHARE_LIMIT,
    STREAMS_LIMIT,
    GroupSemantics,
)
from spec.groups.steps import (
    AlterBrokerConfig,
    ConsumerGroupHeartbeat,
    JoinGroup,
    RestartWith,
    ShareGroupHeartbeat,
    StreamsGroupHeartbeat,
)
from spec.releases import semantics_for
from tests.conformance.serve.listening import serving

ALL = {CLASSIC_LIMIT: 2, CONSUMER_LIMIT: 3, SHARE_LIMIT: 200, INITIAL_DELAY: 0}
SMALL = {CLASSIC_LIMIT: "2", CONSUMER_LIMIT: "2", SHARE_LIMIT: "2", INITIAL_DELAY: "0"}


def run(out: Path, port: int, *more: str) -> Result:
    """A short run on a broker by its address."""
    asked = ["run", "--bootstrap-server", f"127.0.0.1:{port}", "--subject", "groups", *more]
    small = ["--scenarios", "40", "--seed", "1", "--no-report", "--no-corpus", "--out", str(out)]
    return CliRunner().invoke(main, [*asked, *small])


@pytest.mark.slow
def test_a_broker_by_its_address_is_asked_under_its_own_limits(tmp_path: Path) -> None:
    facts = tmp_path / "facts.toml"
    facts.write_text('implementation = "apache-kafka"\n')
    with serving(Settings("4.3.1", {**SMALL, INITIAL_DELAY: "700"})) as served:
        result = run(tmp_path / "runs", served.port, "--facts", str(facts))
        assert result.exit_code == OK, result.output
        assert "left on the cluster" not in result.output
        asked = "a restart with other settings takes a broker that Fencepost starts itself"
        assert asked in " ".join(result.output.split())


@pytest.mark.slow
def test_a_broker_with_another_limit_than_it_is_said_to_have_breaks_a_promise(
    tmp_path: Path,
) -> None:
    facts = tmp_path / "facts.toml"
    facts.write_text(f'"{CLASSIC_LIMIT}" = 3\n')
    with serving(Settings("4.3.1", SMALL)) as served:
        result = run(tmp_path / "runs", served.port, "--facts", str(facts), "--shrink", "0s")
    assert result.exit_code == FOUND, result.output
    assert "VIOLATES  GRP-" in result.output


def test_a_kept_scenario_is_replayed_where_the_limits_are_its_own_alone(tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    kept.write_text(write_scenario(replace(history(*pair()), config=tuple(SMALL.items()))))
    for limits, code in ((SMALL, OK), ({**SMALL, CLASSIC_LIMIT: "3"}, None)):
        with serving(Settings("4.3.1", limits)) as served:
            address = f"127.0.0.1:{served.port}"
            result = CliRunner().invoke(main, ["replay", str(kept), "--bootstrap-server", address])
        assert (result.exit_code == OK) is (code == OK), result.output
    assert "the scenario needs group.max.size=2, this broker has 3" in result.output


def test_a_broker_of_which_no_limit_is_known_is_not_asked() -> None:
    assert "expected the broker to report its size limits" in without_restart(semantics_for("4.3"))
    known = semantics_for("4.3").with_decisions(GroupSemantics, broker=tuple(ALL.items()))
    assert not without_restart(known)


def test_a_limit_that_no_broker_may_have_is_not_believed() -> None:
    strange = semantics_for("4.3").with_decisions(GroupSemantics, broker=((SHARE_LIMIT, 0),))
    assert SHARE_LIMIT not in own_settings(strange).known


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (RestartWith(size_limits(2)), "a restart"),
        (AlterBrokerConfig(CLASSIC_LIMIT, "3"), "left alone"),
        (JoinGroup(session_ms=400), "takes sessions from 6000 to 1800000 ms"),
        (StreamsGroupHeartbeat(), "streams groups: the broker does not report"),
    ],
)
def test_what_such_a_broker_is_not_asked_is_said_with_the_reason(
    step: JoinGroup | RestartWith | AlterBrokerConfig | StreamsGroupHeartbeat, reason: str
) -> None:
    assert reason in OwnSettings(ALL).unplayable(history(step))


def test_what_it_is_asked_goes_by_its_settings() -> None:
    joins, heartbeat = history(JoinGroup(session_ms=400)), history(ConsumerGroupHeartbeat())
    assert not OwnSettings({**ALL, MIN_SESSION: 100}).unplayable(joins)
    assert OwnSettings({**ALL, INITIAL_DELAY: 60_000}).unplayable(history(JoinGroup()))
    assert not OwnSettings(ALL).unplayable(heartbeat)
    assert OwnSettings({**ALL, NAMED_SESSIONS["consumer"]: 1_000}).unplayable(heartbeat)


@pytest.mark.parametrize(("level", "played"), [(0, False), (1, True)])
def test_a_kind_of_group_that_is_not_turned_on_is_left_out(level: int, played: bool) -> None:
    feature = {"share.version": (0, level)}
    versions = ApiVersions(0, 4, {}, {"share.version": (0, 1)}, feature, 3)
    semantics = semantics_for("4.3").with_decisions(GroupSemantics, broker=tuple(ALL.items()))
    why = own_settings(semantics, versions).unplayable(history(ShareGroupHeartbeat()))
    assert (not why) is played


@pytest.mark.parametrize("known", [ALL, {CONSUMER_LIMIT: 2}, {**ALL, CLASSIC_LIMIT: 2**31 - 1}])
def test_all_that_is_drawn_for_it_can_be_played(known: dict[str, int]) -> None:
    own = OwnSettings(known)
    for strategy in strategies_under(own, GroupSemantics()):
        for scenario in collect(strategy, 5, 20):
            assert not own.unplayable(scenario)
            assert own.with_settings(scenario).config == own.config


@pytest.mark.parametrize(
    ("known", "sessions"),
    [
        (ALL, {6_000}),
        ({**ALL, MIN_SESSION: 100}, set(SESSIONS_MS)),
        ({**ALL, MIN_SESSION: 30_000}, None),
        ({**ALL, INITIAL_DELAY: 60_000}, None),
    ],
)
def test_sessions_are_outlasted_that_the_broker_takes(
    known: dict[str, int], sessions: set[int] | None
) -> None:
    own = OwnSettings(known)
    strategy = outlasting_histories(own)
    if sessions is None:
        assert strategy is None
        return
    assert strategy is not None
    drawn = collect(strategy, 5, 20)
    assert not any(own.unplayable(scenario) for scenario in drawn)
    joins = [step for one in drawn for step in one.steps if isinstance(step, JoinGroup)]
    assert {step.session_ms for step in joins} - {LONG_MS} == sessions


def test_one_batch_meets_each_kind_of_group() -> None:
    own = OwnSettings({**ALL, STREAMS_LIMIT: 2})
    drawn = collect(
        histories_under(own, semantics_for("4.3").of(GroupSemantics)), 1, GroupLoop.batch
    )
    kinds = {type(step) for scenario in drawn for step in scenario.steps}
    assert {
        JoinGroup,
        ConsumerGroupHeartbeat,
        ShareGroupHeartbeat,
        StreamsGroupHeartbeat,
    } <= kinds
