"""A broker that is still there, and closes the connection at an administrator's request: the
scenario ends at that step, and the run continues.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.engine.play_result import Played, broken
from conformance.placement.problem import TookTooLong
from conformance.serve.server import Refused
from conformance.serve.settings import Settings
from conformance.subjects.registry import RUNNERS
from conformance.subjects.share import admin
from conformance.wire.outcomes import NoAnswer, Silent
from spec.catalogue import examples
from spec.frozen import replace
from spec.judgement import NOT_READY
from spec.limits.examples import create, history
from spec.outcomes import NotReady, NotSent
from spec.produce.steps import ChangeTopic
from spec.releases import semantics_for
from spec.share.steps import (
    AlterGroupConfig,
    AlterShareGroupOffsets,
    DeleteShareGroupOffsets,
    FindShareCoordinator,
    ShareFetch,
    SharePartition,
)
from spec.steps import Step
from spec.verdict import Outcome
from tests.conformance.serve.listening import serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.engine.player import Player
    from conformance.wire.codec import Request
    from spec.scenario import Scenario

SEMANTICS = semantics_for("4.3")


def first_example(subject: str, kind: type[Step] = Step) -> Scenario:
    """The first worked example of a subject with a step of some kind."""
    return next(
        example.scenario
        for some in examples().values()
        for example in some
        if example.scenario.subject == subject
        and any(isinstance(step, kind) for step in example.scenario.steps)
        and not example.scenario.config
    )


def share_group(*steps: Step) -> Scenario:
    """A scenario of share groups with these steps."""
    return replace(first_example("share", ShareFetch), steps=steps)


@contextmanager
def playing(subject: str, closes_at: str) -> Iterator[Player]:
    """A subject's player on a served model that closes the connection at an API, once it is
    reached.
    """
    begun = False

    def listen(request: Request) -> None:
        if begun and request.api == closes_at:
            raise Refused("it closes the connection here")

    (runner,) = [one for one in RUNNERS if one.subject == subject]
    with serving(Settings("4.3.1"), listen) as state:
        cluster = reach(state.host, state.port, make_codec())
        player = runner.player(cluster, SEMANTICS, "undone", None)
        try:
            begun = True
            yield player
        finally:
            begun = False
            player.close()


@pytest.mark.parametrize(
    ("closes_at", "scenario"),
    [
        ("IncrementalAlterConfigs", first_example("produce", ChangeTopic)),
        ("DescribeConfigs", first_example("produce", ChangeTopic)),
        ("IncrementalAlterConfigs", first_example("share", AlterGroupConfig)),
        ("DescribeConfigs", first_example("share", AlterGroupConfig)),
        ("AlterShareGroupOffsets", share_group(AlterShareGroupOffsets(((0, 1),)))),
        ("DeleteShareGroupOffsets", share_group(DeleteShareGroupOffsets())),
        ("FindCoordinator", share_group(FindShareCoordinator())),
        ("ShareGroupHeartbeat", share_group(ShareFetch((SharePartition(0),)))),
    ],
)
def test_what_a_broker_closes_the_connection_at_ends_the_scenario_and_not_the_run(
    closes_at: str, scenario: Scenario
) -> None:
    with playing(scenario.subject, closes_at) as player:
        played = player.play_one(scenario)
    assert broken(played) is None
    end = played.observation.exchanges[-1].outcome
    assert isinstance(end, NotSent)
    assert f"expected an answer to {closes_at}" in end.reason
    assert said(played) <= {Outcome.CONFORMS, Outcome.UNSUPPORTED}
    assert Outcome.UNSUPPORTED in said(played)


@pytest.mark.parametrize("scenario", [history(create("a")), first_example("produce")])
def test_topics_that_can_not_be_deleted_afterwards_leave_the_verdicts(scenario: Scenario) -> None:
    with playing(scenario.subject, "DeleteTopics") as player:
        played = player.play_one(scenario)
    assert broken(played) is None
    assert played.observation.exchanges
    assert said(played) == {Outcome.CONFORMS}


@pytest.mark.parametrize(
    "late",
    [
        TookTooLong("expected 2 partitions to be assigned, found 1"),
        NoAnswer("ShareGroupHeartbeat", 1, Silent(120.0, 0, 0.0)),
    ],
)
def test_what_only_takes_too_long_says_nothing_of_what_the_broker_can_do(
    monkeypatch: pytest.MonkeyPatch, late: Exception
) -> None:
    async def join(*_: object) -> None:
        raise late

    monkeypatch.setattr(admin, "join_and_leave", join)
    with playing("share", "nothing") as player:
        played = player.play_one(share_group(ShareFetch((SharePartition(0),))))
    assert broken(played) is None
    assert played.observation.exchanges[-1].outcome == NotReady(f"share fetch: {late}")
    assert played.doubt is not None
    assert played.doubt.signature == NOT_READY
    assert said(played) == {Outcome.INCONCLUSIVE}


def said(played: Played) -> set[Outcome]:
    """The outcomes of all verdicts."""
    return {verdict.outcome for verdict in played.judgement.verdicts}
