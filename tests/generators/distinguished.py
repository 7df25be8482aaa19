"""Two ways that are distinguished by a small case, or shown to be the same."""

from generators.distinguishing import Pair, answers, find_distinguishing_scenario
from generators.small_scope import Bounds

MOST_BATCHES = 4


def assert_distinguished(pair: Pair, *, same: bool) -> None:
    """The two ways of a pair answer a scenario of few batches differently; none where they are the
    `same` within the bounds of the search.
    """
    result = find_distinguishing_scenario(pair, Bounds(2) if same else Bounds())
    assert (result.scenario is None) == same, f"{result.scenario}"
    if result.scenario is not None:
        partitions = result.scenario.layout.partitions
        batches = sum(len(segment) for partition in partitions for segment in partition.segments)
        assert batches <= MOST_BATCHES
        assert answers(result.scenario, pair.ways[0]) != answers(result.scenario, pair.ways[1])
