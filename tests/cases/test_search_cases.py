"""Searching for a break on a broker that changes its mind (case X04)."""

import random

import pytest

from generators.drawing import collect, smallest
from generators.fetch.histories import session_histories
from generators.layouts import layouts
from spec.releases import semantics_for

STREAMS = {"layouts": layouts(), "histories": session_histories(semantics_for("4.3"))}
SEED, COUNT, BUDGET = 7, 12, 60


class Moody:
    """Stands for a broker that breaks by chance: another way in each run, and another for the same
    question asked twice.
    """

    def __init__(self, mood: int) -> None:
        self._mood = random.Random(mood)
        self.asked: list[object] = []
        self.broken: list[object] = []

    def breaks(self, value: object) -> bool:
        self.asked.append(value)
        if self._mood.random() < 0.3:
            self.broken.append(value)
        return value in self.broken


@pytest.mark.parametrize("stream", STREAMS)
def test_x04_a_broker_that_changes_between_runs_confuses_neither_drawing_nor_shrinking(
    stream: str,
) -> None:
    drawn = collect(STREAMS[stream], SEED, COUNT)
    for mood in range(10):
        broker = Moody(mood)
        least = smallest(STREAMS[stream], SEED, COUNT, broker.breaks, BUDGET)
        first = broker.asked.index(broker.broken[0]) + 1 if broker.broken else COUNT
        assert broker.asked[:first] == drawn[:first]
        assert least is None if not broker.broken else least in broker.broken
        assert len(broker.asked) == len(set(broker.asked)) <= BUDGET
        assert collect(STREAMS[stream], SEED, COUNT) == drawn
