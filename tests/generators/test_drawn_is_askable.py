"""What is drawn can be asked: no scenario of ours is refused when it is read back from its file."""

from collections.abc import Callable, Iterator

import pytest

from generators.compaction import crafted_layouts
from generators.drawing import collect, collect_evenly
from generators.fetch.fences import questions
from generators.fetch.histories import session_histories, waiting_histories
from generators.groups.classic import classic_histories
from generators.groups.migrating import mixed_histories, upgraded_histories
from generators.groups.named import named_histories, streams_histories
from generators.groups.restarting import restart_histories
from generators.layouts import layouts
from generators.limits.histories import limit_histories
from generators.produce.histories import mixed_histories as produce_with_others
from generators.produce.histories import sequence_histories
from generators.share.histories import expiring_histories, share_histories
from spec.bounds import validate
from spec.releases import RELEASES, semantics_for
from spec.scenario import Scenario

SEED = 11


def fetches() -> Iterator[Scenario]:
    for layout in (*collect(layouts(), SEED, 20), *collect(crafted_layouts(), SEED, 10)):
        for question in questions(layout, semantics_for("4.3"), isolation=1):
            yield Scenario(layout, (question.fetch,))


def histories() -> Iterator[Scenario]:
    for strategy in (session_histories(), waiting_histories()):
        yield from collect(strategy, SEED, 150)


def shares() -> Iterator[Scenario]:
    for release in RELEASES:
        yield from collect(share_histories(semantics_for(release)), SEED, 40)
    yield from collect_evenly(expiring_histories(semantics_for("4.3")), SEED, 10)


def groups() -> Iterator[Scenario]:
    strategies = (
        classic_histories(2),
        named_histories(2),
        streams_histories(2),
        restart_histories(3, 2),
    )
    for strategy in (*strategies, mixed_histories(), upgraded_histories()):
        yield from collect(strategy, SEED, 60)


def limits() -> Iterator[Scenario]:
    yield from collect(limit_histories(semantics_for("4.3")), SEED, 150)


def produces() -> Iterator[Scenario]:
    for strategy in (sequence_histories(), produce_with_others()):
        yield from collect(strategy, SEED, 60)


@pytest.mark.parametrize("drawn", [fetches, histories, shares, groups, limits, produces])
def test_what_is_drawn_is_never_refused(drawn: Callable[[], Iterator[Scenario]]) -> None:
    scenarios = list(drawn())
    assert len(scenarios) > 100
    for scenario in scenarios:
        validate(scenario)
