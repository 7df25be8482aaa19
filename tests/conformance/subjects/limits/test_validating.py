"""A broker that does what it is only to validate is not asked to validate what would harm it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.serve.settings import Settings
from conformance.subjects.limits.runner import RUNNER
from conformance.subjects.limits.validating import harms
from spec.limits.examples import (
    alter,
    alter_brokers,
    create,
    create_named,
    grow,
    history,
    look,
    validate,
)
from spec.limits.model import Controller
from spec.outcomes import NotSent
from spec.releases import semantics_for
from spec.verdict import Outcome
from tests.conformance.serve.listening import serving

if TYPE_CHECKING:
    from conformance.serve.broker_state import BrokerState
    from spec.scenario import Scenario

CREATED = history(create("a"), validate(9_000, 1_000), look("a"))
NAMED = history(create("a"), create_named("..", own=False), look("a"))
GROWN = history(create("a"), grow("a", 10_001, validate_only=True), look("a"))
ALTERED = history(create("a"), alter_brokers(("message.max.bytes", "1")), look("a"))


def partition_count(state: BrokerState) -> int:
    """The partitions of all topics that are there."""
    return sum(len(topic.partitions) for topic in state.topics.values())


def sent(scenario: Scenario, controller: Controller) -> tuple[bool, set[Outcome], int]:
    """Whether all steps of a scenario are sent, the verdicts, and how many partitions are there
    then.
    """
    with serving(Settings("4.3.1")) as state:
        state.controller = controller
        cluster = reach(state.host, state.port, make_codec())
        player = RUNNER.player(cluster, semantics_for("4.3"), "validated", None)
        try:
            played = player.play_one(scenario)
        finally:
            player.close()
        there = partition_count(state)
    left_out = any(isinstance(one.outcome, NotSent) for one in played.observation.exchanges)
    return not left_out, {one.outcome for one in played.judgement.verdicts}, there


@pytest.mark.parametrize("scenario", [CREATED, NAMED, GROWN])
def test_what_is_validated_is_asked_at_any_size(scenario: Scenario) -> None:
    assert sent(scenario, Controller()) == (True, {Outcome.CONFORMS}, 0)


@pytest.mark.slow
@pytest.mark.parametrize("scenario", [CREATED, NAMED, GROWN])
def test_a_broker_that_makes_what_it_is_to_validate_is_asked_for_small_topics_alone(
    scenario: Scenario,
) -> None:
    all_sent, _, there = sent(scenario, Controller(makes_validated=True))
    assert not all_sent
    assert there <= 1, "what was made to look at"


@pytest.mark.slow
def test_a_broker_that_sets_what_it_is_to_validate_keeps_its_configs() -> None:
    assert sent(ALTERED, Controller())[0]
    assert not sent(ALTERED, Controller(sets_validated=True))[0]


def test_small_topics_and_their_harmless_configs_do_no_harm() -> None:
    assert not harms(validate(1, 2))
    assert not harms(grow("a", 3, validate_only=True))
    assert not harms(alter("a", ("retention.ms", "1"), validate_only=True))
    assert not harms(look("a"))
    assert harms(validate(1, configs=(("segment.index.bytes", "4"),)))
