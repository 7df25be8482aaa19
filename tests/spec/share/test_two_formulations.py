"""What the reference answers to a share group's history is always permitted: model and relations do
not contradict each other.
"""

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NoReturn
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spec.canonical import to_json
from spec.catalogue import clauses_of, examples
from spec.judge import judge
from spec.layout import Batch, Layout, Marker, Partition
from spec.model import answer_all
from spec.releases import RELEASES, semantics_for
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.share import clauses
from spec.share import observer as judging
from spec.share.steps import (
    AlterGroupConfig,
    AlterShareGroupOffsets,
    ShareFetch,
    SharePartition,
)
from spec.share.transitions import Way, moves
from spec.share.turn import Turn
from spec.verdict import Strength
from tests.spec.share.histories import share_histories

LISTED = {
    ("SHR-128", "deleted offsets"),
    ("SHR-322", "whole request"),
    ("SHR-013", "whole request"),
}
"""What Apache Kafka itself breaks."""

OF_RELEASE = {
    "4.0": {("SHR-112", "over the lock limit")},
    "4.1": {("SHR-112", "over the lock limit")},
}

drawn = settings(
    max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), database=None
)


@pytest.mark.parametrize("release", RELEASES)
def test_the_reference_answer_to_every_history_is_permitted(release: str) -> None:
    semantics = semantics_for(release)

    @drawn
    @given(share_histories(semantics))
    def permitted(scenario: Scenario) -> None:
        found = judge(scenario, answer_all(scenario, semantics), semantics)
        broken = {(v.clause, v.signature): v.why for v in found.breaks}
        unlisted = {
            key: why
            for key, why in broken.items()
            if key not in LISTED | OF_RELEASE.get(release, set())
        }
        assert unlisted == {}, to_json(scenario.steps)

    permitted()


def test_aborted_data_may_have_been_archived_with_what_was_left_of_max_records() -> None:
    aborted = Partition(((Batch(100, 7, txn=0), Marker(0, commit=False)),))
    both = (SharePartition(0), SharePartition(1))
    scenario = Scenario(
        Layout((Partition(((Batch(100, 1),),)), aborted)),
        (
            AlterShareGroupOffsets(((0, 0), (1, 1))),
            AlterGroupConfig((("share.isolation.level", "read_committed"),)),
            ShareFetch(both, max_records=7, batch_size=1),
            ShareFetch(both[:1], max_records=0, batch_size=1),
            ShareFetch(both[:1], max_records=1, batch_size=1),
        ),
        subject="share",
    )
    semantics = semantics_for("4.3")
    assert judge(scenario, answer_all(scenario, semantics), semantics).breaks == ()


class _Reference:
    """Stands where the reference's outcome would, and fails the test when it is looked at."""

    def _looked_at(self, *_: object) -> NoReturn:
        raise AssertionError("a must clause looked at what the reference does")

    __bool__ = __getattr__ = __getitem__ = __contains__ = __iter__ = __len__ = __lt__ = __gt__ = (
        _looked_at
    )


def turns_judged(scenario: Scenario, semantics: Semantics) -> list[Turn]:
    """The turns that the judge looks at where the reference answers."""
    found: list[Turn] = []

    def kept(*arguments: Any, **named: Any) -> Iterator[Way]:
        for one in moves(*arguments, **named):
            if one[0] is not None:
                found.append(one[0])
            yield one

    with patch.object(judging, "moves", kept):
        judge(scenario, answer_all(scenario, semantics), semantics)
    return found


def without_reference(turn: Turn) -> Turn:
    hidden: Any = _Reference()
    served = tuple([replace(one, expected=hidden, left=hidden) for one in turn.served])
    return replace(
        turn,
        served=served,
        confirmed=tuple([replace(one, expected=hidden) for one in turn.confirmed]),
    )


@settings(drawn, max_examples=40)
@given(st.data(), st.sampled_from(tuple(RELEASES)).map(semantics_for))
def test_no_must_clause_looks_at_what_the_reference_does(
    data: st.DataObject, semantics: Semantics
) -> None:
    scenario = data.draw(share_histories(semantics))
    promised = [
        clause.check
        for clause in clauses_of("share").values()
        if clause.check and clause.strength is Strength.MUST
    ]
    for turn in turns_judged(scenario, semantics):
        assert [check(without_reference(turn)) for check in promised] == [
            check(turn) for check in promised
        ]


def test_no_clause_module_calls_what_makes_the_references_answer() -> None:
    decides = {
        f"spec.share.model.{name}" for name in ("machine", "fetching", "acquire", "answers")
    } | {"spec.share.comparison"}
    for info in pkgutil.iter_modules(clauses.__path__):
        module = importlib.import_module(f"{clauses.__name__}.{info.name}")
        made = {getattr(value, "__module__", "") for value in vars(module).values()}
        assert made & decides == set(), info.name


def test_the_stand_in_for_the_reference_is_noticed_when_a_clause_looks() -> None:
    check = clauses_of("share")["SHR-121"].check
    assert check is not None
    turn = next(
        turn
        for turn in turns_judged(examples()["SHR-121"][0].scenario, semantics_for("4.3"))
        if turn.served
    )
    with pytest.raises(AssertionError, match="looked at what the reference does"):
        check(without_reference(turn))
