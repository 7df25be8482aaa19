"""The catalogue's worked examples of share groups, in both acquire modes, hold on a real broker."""

from collections.abc import Iterator
from datetime import date

import pytest

from conformance.engine.plan import Plan
from conformance.engine.play_result import Played
from conformance.findings import SHIPPED, load_findings, unexpired_reasons
from conformance.subjects.share.broker_player import ShareBrokerPlayer
from conformance.subjects.share.loop import ShareLoop
from spec.catalogue import examples
from spec.events import Judged
from spec.scenario import Scenario
from spec.share.examples import FIVES, fetch, fetch_again, history, release
from spec.share.outcomes import Acquired
from spec.share.steps import BATCH_OPTIMIZED, RECORD_LIMIT, AlterGroupConfig, RestartBroker
from spec.verdict import Outcome
from tests.cases.case import acquired, broken
from tests.cases.conftest import started

pytestmark = pytest.mark.broker

KNOWN = {
    ("SHR-127", "inverted range"),
    ("SHR-128", "deleted offsets"),
    ("SHR-155", "behind deleted records"),
    ("SHR-322", "whole request"),
}
"""What Apache Kafka itself breaks: DIV-03, DIV-04 and DIV-07."""

TIMING_SENSITIVE = {"SHR-009"}
"""Has no verdict where a slow machine leaves open whether a closed session's records were given
back before or after.
"""


TRIES = 3
"""How often an example is played by itself where a busy machine left open what happened first, so
that its clause did not apply.
"""


@pytest.fixture(scope="module")
def player() -> Iterator[ShareBrokerPlayer]:
    """A player on a broker as it comes."""
    with started(ShareBrokerPlayer) as found:
        yield found


def has_a_word(played: Played, clause: str) -> bool:
    """Whether the clause was met."""
    return any(
        verdict.clause == clause and verdict.outcome is not Outcome.UNSUPPORTED
        for verdict in played.judgement.verdicts
    )


def legally_acquired(player: ShareBrokerPlayer, scenario: Scenario) -> list[tuple[Acquired, ...]]:
    """What the fetches of a scenario acquired, after the judge has nothing to say against it."""
    played = player.play_one(scenario)
    assert broken(played) == set()
    return acquired(played)


def test_every_example_that_needs_no_other_broker_holds(player: ShareBrokerPlayer) -> None:
    named = [
        (clause, one)
        for clause, some in examples().items()
        for one in some
        if one.scenario.subject == "share"
    ]
    played = [
        (clause, one.scenario)
        for clause, one in named
        if not one.scenario.config and not one.scenario.layout.is_crafted
    ]
    found = {
        number: one
        for number, one in player.play([scenario for _, scenario in played])
        if isinstance(one, Played)
    }
    assert len(found) == len(played)
    assert len(found) > 50
    strange = [played[number][1] for number, one in found.items() if not broken(one) <= KNOWN]
    # A broker answers before it lets go of the partition's fetch lock, so that the next fetch may
    # find nothing: once, but not again.
    assert set().union(*[broken(player.play_one(scenario)) for scenario in strange]) <= KNOWN
    silent = [
        (clause, one)
        for number, (clause, one) in enumerate(played)
        if not has_a_word(found[number], clause)
    ]
    still = {
        clause
        for clause, one in silent
        if not any(has_a_word(player.play_one(one), clause) for _ in range(TRIES))
    }
    assert still <= TIMING_SENSITIVE


def test_case_m06_batch_optimized_rounds_six_records_up_to_two_batches(
    player: ShareBrokerPlayer,
) -> None:
    """KAFKA-17863: a cap on records is soft up to the end of the batch that crosses it."""
    seed = history((FIVES,), fetch(0, max_records=6, batch_size=2, mode=BATCH_OPTIMIZED))
    assert legally_acquired(player, seed) == [(Acquired(0, 4), Acquired(5, 9))]


def test_record_limit_gives_six_records_and_leaves_the_rest_of_the_batch(
    player: ShareBrokerPlayer,
) -> None:
    more = fetch_again(max_records=6, batch_size=2, mode=RECORD_LIMIT)
    seed = history((FIVES,), fetch(0, max_records=6, batch_size=2, mode=RECORD_LIMIT), more, more)
    assert legally_acquired(player, seed) == [
        (Acquired(0, 5),),
        (Acquired(6, 9), Acquired(10, 11)),
        (Acquired(12, 14),),
    ]


def test_a_group_without_start_offsets_begins_where_its_config_says(
    player: ShareBrokerPlayer,
) -> None:
    earliest = AlterGroupConfig((("share.auto.offset.reset", "earliest"),))
    scenario = Scenario(history((FIVES,)).layout, (earliest, fetch(0, max_records=5)))
    assert legally_acquired(player, scenario) == [(Acquired(0, 4),)]


def test_what_was_released_is_delivered_again_after_a_restart(player: ShareBrokerPlayer) -> None:
    scenario = history(
        (FIVES,), fetch(0, max_records=5), release(0, 4), RestartBroker(), fetch(0, max_records=5)
    )
    assert legally_acquired(player, scenario) == [(Acquired(0, 4, 1),), (Acquired(0, 4, 2),)]


def test_a_short_run_finds_nothing_that_is_not_listed(player: ShareBrokerPlayer) -> None:
    listed = frozenset(
        unexpired_reasons(load_findings((SHIPPED,), player.semantics.release), date.max)
    )
    loop = ShareLoop(player, Plan(11, 48, restart=False, examples=False), listed)
    judged = [event for event in loop.events() if isinstance(event, Judged)]
    assert len(judged) >= 48
    breaks = {
        (v.clause, v.signature)
        for one in judged
        for v in one.verdicts
        if v.outcome is not Outcome.CONFORMS
    }
    assert breaks <= listed
