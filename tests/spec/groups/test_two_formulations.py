"""Model and relations do not contradict each other, in whatever order what was in flight together
is understood.
"""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.groups.classic import classic_histories
from generators.groups.committing import committing_histories
from generators.groups.migrating import mixed_histories, upgraded_histories
from generators.groups.named import named_histories, streams_histories
from generators.groups.restarting import restart_histories
from spec.canonical import from_json, to_json
from spec.catalogue import clauses_of
from spec.clause import KIP, Doc
from spec.groups.examples import first, history, pair, second
from spec.groups.outcomes import GroupAnswer, JoinGroupAnswer
from spec.judge import judge
from spec.model import answer_all
from spec.observation import Exchange, Observation
from spec.outcomes import NotSent, Silent
from spec.releases import RELEASES, semantics_for
from spec.scenario import Scenario
from spec.verdict import Outcome, Strength

LISTED = {
    ("GRP-008", "instance refused"),
    ("GRP-034", "instance refused"),
    ("GRP-038", "member refused"),
}
"""What Apache Kafka itself breaks."""

drawn = settings(
    max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), database=None
)
HISTORIES: SearchStrategy[Scenario] = st.one_of(
    classic_histories(2),
    committing_histories(),
    named_histories(2),
    streams_histories(2),
    restart_histories(3, 2),
    classic_histories(2, 300),
    mixed_histories(),
    upgraded_histories(),
)


@pytest.mark.parametrize("release", RELEASES)
def test_the_reference_answer_to_every_history_is_permitted(release: str) -> None:
    semantics = semantics_for(release)

    @drawn
    @given(HISTORIES)
    def permitted(scenario: Scenario) -> None:
        found = judge(scenario, answer_all(scenario, semantics), semantics)
        unlisted = {
            (v.clause, v.signature): v.why
            for v in found.breaks
            if (v.clause, v.signature) not in LISTED
        }
        assert unlisted == {}, to_json(scenario.steps)

    permitted()


@drawn
@given(HISTORIES)
def test_a_history_and_its_observation_survive_their_json(scenario: Scenario) -> None:
    assert from_json(Scenario, to_json(scenario)) == scenario
    observation = answer_all(scenario, semantics_for("4.3"))
    assert from_json(Observation, to_json(observation)) == observation


def test_two_joins_in_flight_together_are_understood_in_either_order() -> None:
    scenario = history(first(0), first(1), second(0), second(1), limit=1)
    observation = answer_all(scenario, semantics_for("4.3"))
    zero, one = observation.exchanges[2:]
    assert isinstance(zero.outcome, JoinGroupAnswer)
    assert isinstance(one.outcome, JoinGroupAnswer)
    swapped = [
        *observation.exchanges[:2],
        Exchange(2, one.outcome, 10.0, 12.0),
        Exchange(3, zero.outcome, 11.0, 13.0),
    ]
    assert judge(scenario, Observation(tuple(swapped)), semantics_for("4.3")).breaks == ()


def test_an_answer_that_was_there_before_the_next_was_sent_can_not_be_later() -> None:
    scenario = history(first(0), first(1), second(0), second(1), limit=1)
    given_ids = answer_all(scenario, semantics_for("4.3")).exchanges[:2]
    refused, let_in = (
        JoinGroupAnswer(81, protocol=None),
        JoinGroupAnswer(0, 1, members=1, leader=True, protocol="range"),
    )
    late = Observation(
        (*given_ids, Exchange(2, refused, 10.0, 11.0), Exchange(3, let_in, 12.0, 13.0))
    )
    assert {v.clause for v in judge(scenario, late, semantics_for("4.3")).breaks} & {
        "GRP-005",
        "GRP-012",
    }


def test_a_silence_of_everything_is_inconclusive_and_what_was_not_sent_unsupported() -> None:
    scenario = history(*pair())
    exchanges = list(answer_all(scenario, semantics_for("4.3")).exchanges)
    for outcome, expected in (
        (Silent(100), Outcome.INCONCLUSIVE),
        (NotSent("not offered"), Outcome.UNSUPPORTED),
    ):
        cut = Observation((*exchanges[:3], replace(exchanges[3], outcome=outcome)))
        assert expected in {
            v.outcome
            for v in judge(scenario, cut, semantics_for("4.3")).verdicts
            if v.clause == "*"
        }


def test_each_must_clause_cites_a_promise() -> None:
    for clause in clauses_of("groups").values():
        if clause.strength is Strength.MUST:
            assert any(isinstance(source, KIP | Doc) for source in clause.sources), clause.id


@pytest.mark.parametrize("error", [-1, 0, 15, 25, 27, 79, 81, 82])
def test_an_answer_with_another_error_code_is_reported_and_never_breaks_the_judge(
    error: int,
) -> None:
    scenario, semantics = history(*pair(), first(2)), semantics_for("4.3")
    exchanges = answer_all(scenario, semantics).exchanges
    for number, exchange in enumerate(exchanges):
        if isinstance(exchange.outcome, JoinGroupAnswer | GroupAnswer):
            wrong = replace(exchange, outcome=replace(exchange.outcome, error=error))
            found = judge(
                scenario,
                Observation((*exchanges[:number], wrong, *exchanges[number + 1 :])),
                semantics,
            )
            assert all(verdict.outcome is not Outcome.INCONCLUSIVE for verdict in found.verdicts)
            assert bool(found.breaks) is (wrong != exchange)
