"""Drawing by Hypothesis outside a test: the same values for the same seed, and the smallest value
that diverges.

Hypothesis favours, one time in twenty, numbers that stand in the source of whatever modules are
loaded, but none below 100. Strategies therefore draw numbers below 100, so that one seed gives the
same values in every process (`generators/numbers.py` makes larger ones of these).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")


class _EnoughError(BaseException):
    """Ends a run of Hypothesis from inside; not an Exception, so that it is not taken for a failing
    example.
    """


class _DivergedError(Exception):
    """Shows Hypothesis that a value diverges."""


def collect(strategy: SearchStrategy[T], seed: int, count: int) -> list[T]:
    """Draw `count` distinct values; the same for the same strategy, seed and count.

    Returns fewer where the strategy does not have so many. Values must be hashable.
    """
    values: dict[T, None] = {}

    def take(value: T) -> None:
        values[value] = None
        if len(values) >= count:
            raise _EnoughError

    if count > 0:
        _run(strategy, seed, count, take, shrink=False)
    return list(values)


def collect_evenly(strategies: Sequence[SearchStrategy[T]], seed: int, count: int) -> list[T]:
    """Draw `count` values, as many of each strategy as of any other; see `collect`."""
    return [
        value
        for strategy, some in parts(count, strategies, seed)
        for value in collect(strategy, seed, some)
    ]


def parts(count: int, strategies: Sequence[T], seed: int) -> list[tuple[T, int]]:
    """How many of `count` values come of each strategy: as many as of any other, or one more of
    some, which the seed chooses; strategies that none comes of are left out.
    """
    each, more = divmod(count, len(strategies))
    first = seed % len(strategies)
    turned = [*strategies[first:], *strategies[:first]]
    shared = [(one, each + (place < more)) for place, one in enumerate(turned)]
    return [(one, some) for one, some in shared if some]


def smallest(
    strategy: SearchStrategy[T],
    seed: int,
    count: int,
    diverges: Callable[[T], bool],
    budget: int,
    known: Mapping[T, bool] | None = None,
) -> T | None:
    """Draw what `collect` draws for the same arguments up to the first value that diverges, and
    shrink that.

    A value is asked about once; a `diverges` that changes its mind can't confuse the search.

    Args:
        strategy: what to draw.
        seed: as given to `collect`.
        count: as given to `collect`.
        diverges: whether a value shows what is looked for; expensive.
        budget: the most calls of `diverges`.
        known: verdicts that are known already, which cost nothing.

    Returns:
        The smallest diverging value seen; None if none of the `count` values diverges, or the
        budget ended before.

    Raises:
        Exception: what `diverges` raises.
    """
    verdicts = dict(known or {})
    drawn: set[T] = set()
    found: list[T] = []
    calls = 0

    def verdict(value: T) -> bool:
        nonlocal calls
        if value not in verdicts:
            if calls >= budget:
                raise _EnoughError
            calls += 1
            try:
                verdicts[value] = diverges(value)
            except Exception as error:
                raise _EnoughError from error
        return verdicts[value]

    def test(value: T) -> None:
        if verdict(value):
            found.append(value)
            raise _DivergedError
        drawn.add(value)
        if not found and len(drawn) >= count:
            raise _EnoughError

    if count > 0:
        _run(strategy, seed, count, test, shrink=True)
    return found[-1] if found else None


def _run(
    strategy: SearchStrategy[T], start: int, count: int, test: Callable[[T], None], *, shrink: bool
) -> None:
    """Let Hypothesis call `test`; how many examples it may draw follows from `count` alone, since
    the stream depends on it.
    """

    @seed(start)
    @settings(
        database=None,
        phases=[Phase.generate, Phase.shrink] if shrink else [Phase.generate],
        max_examples=2 * count + 20,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
        print_blob=False,
        verbosity=Verbosity.quiet,
        derandomize=False,
        backend="hypothesis",
    )
    @given(strategy)
    def run(value: T) -> None:
        test(value)

    try:
        run()
    except _DivergedError:
        return
    except _EnoughError as end:
        if end.__cause__ is not None:
            raise end.__cause__ from None
