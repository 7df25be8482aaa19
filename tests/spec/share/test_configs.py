"""Which values of a group config are taken, and that a value which is no number is judged like any
other.
"""

import pytest

from spec.judge import judge
from spec.kafka import Error
from spec.model import answer_all
from spec.releases import semantics_for
from spec.share.examples import FIVES, history
from spec.share.model.settings import is_accepted, settings_of
from spec.share.outcomes import GroupChanged
from spec.share.releases import ShareSemantics
from spec.share.steps import AlterGroupConfig

KAFKA = semantics_for("4.3")
LIMIT = "share.delivery.count.limit"


@pytest.mark.parametrize(
    ("value", "taken"),
    [
        ("1", False),
        ("2", True),
        ("10", True),
        ("11", False),
        (" +5 ", True),
        ("--5", False),
        ("1_0", False),
        ("²", False),
        ("", False),
    ],
)
def test_a_number_is_taken_within_its_bounds_and_what_is_none_is_refused(
    value: str, taken: bool
) -> None:
    assert is_accepted(LIMIT, value, KAFKA.of(ShareSemantics), {}) is taken
    scenario = history((FIVES,), AlterGroupConfig(((LIMIT, value),)))
    observation = answer_all(scenario, KAFKA)
    assert observation.exchanges[-1].outcome == GroupChanged(
        Error.NONE if taken else Error.INVALID_CONFIG
    )
    assert judge(scenario, observation, KAFKA).breaks == ()


def test_a_config_that_the_release_does_not_know_is_refused() -> None:
    assert is_accepted(LIMIT, "5", semantics_for("4.2").of(ShareSemantics), {}) is False
    assert (
        is_accepted(
            "share.isolation.level", "read_committed", semantics_for("4.0").of(ShareSemantics), {}
        )
        is False
    )
    assert is_accepted("delivery.count.limit", "5", KAFKA.of(ShareSemantics), {}) is False


@pytest.mark.parametrize(
    ("value", "taken"),
    [("latest", True), ("earliest", True), ("newest", False), ("by_duration:PT1H", None)],
)
def test_a_config_that_takes_words_takes_those_alone(value: str, taken: bool | None) -> None:
    assert is_accepted("share.auto.offset.reset", value, KAFKA.of(ShareSemantics), {}) is taken


@pytest.mark.parametrize(
    ("value", "taken", "renews"),
    [("TRUE", True, True), (" False ", True, False), ("yes", False, True)],
)
def test_a_boolean_is_taken_in_any_case(value: str, taken: bool, renews: bool) -> None:
    key = "share.renew.acknowledge.enable"
    assert is_accepted(key, value, KAFKA.of(ShareSemantics), {}) is taken
    assert settings_of(KAFKA.of(ShareSemantics), {}, {key: value} if taken else {}).renew is renews


def test_the_brokers_own_bounds_hold_where_it_has_some() -> None:
    assert (
        is_accepted(
            LIMIT, "11", KAFKA.of(ShareSemantics), {"group.share.max.delivery.count.limit": "20"}
        )
        is True
    )
