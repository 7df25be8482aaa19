"""Coverage of the limits' relations: those that were tried, and the holes."""

from collections.abc import Collection, Mapping
from itertools import combinations, product

from spec.frozen import frozen

SIDES = ("below", "at", "above")


@frozen
class PairCoverage:
    """Two limits that were met in one scenario: how many of the nine pairs of sides, and which are
    missing.
    """

    one: str
    other: str
    hit: int
    missing: tuple[str, ...]


@frozen
class Coverage:
    """The relations that were tried.

    Attributes:
        relations: how many scenarios stood for each relation that was hit, by name.
        missing: relations that exist and were never hit.
        pairs: each two limits.
    """

    relations: Mapping[str, int]
    missing: tuple[str, ...]
    pairs: tuple[PairCoverage, ...]


def pairs_of(relations: Collection[str]) -> frozenset[tuple[str, str]]:
    """The two sides of different limits, `limit=side` in sorted order, that a scenario stood for at
    once.

    Args:
        relations: those of the scenario, named `limit=side:place` or `limit=side`; places are left
            out.
    """
    sides = sorted({relation.partition(":")[0] for relation in relations})
    return frozenset(
        [(one, other) for one in sides for other in sides if _limit(one) < _limit(other)]
    )


def coverage(
    relations: Mapping[str, int],
    pairs: Mapping[tuple[str, str], int],
    existing: Collection[str] | None = None,
) -> Coverage:
    """Put together what was hit and what was not.

    Args:
        relations: scenarios for each relation, named `limit=side:place` or `limit=side`.
        pairs: scenarios for each two `limit=side` that came together, in sorted order.
        existing: all relations there are; None takes each limit seen, on each side, at each place
            seen for it.
    """
    universe = set(existing) if existing is not None else _universe(relations)
    limits = sorted({_limit(name) for name in universe | set(relations) if _side(name) in SIDES})
    return Coverage(
        relations=dict(sorted(relations.items())),
        missing=tuple(sorted(name for name in universe if not relations.get(name))),
        pairs=tuple([_pair(one, other, pairs) for one, other in combinations(limits, 2)]),
    )


def _pair(one: str, other: str, pairs: Mapping[tuple[str, str], int]) -> PairCoverage:
    wanted = [(f"{one}={side}", f"{other}={another}") for side, another in product(SIDES, SIDES)]
    missing = tuple([f"{a} with {b}" for a, b in wanted if not pairs.get((a, b))])
    return PairCoverage(one, other, len(wanted) - len(missing), missing)


def _universe(seen: Collection[str]) -> set[str]:
    places: dict[str, set[str]] = {}
    for name in seen:
        if _side(name) in SIDES:
            places.setdefault(_limit(name), set()).add(name.partition(":")[2])
    return {
        f"{limit}={side}" + (f":{place}" if place else "")
        for limit, found in places.items()
        for side in SIDES
        for place in found
    } | set(seen)


def _limit(name: str) -> str:
    return name.partition("=")[0]


def _side(name: str) -> str:
    return name.partition("=")[2].partition(":")[0]
