"""Breaks that were not reproduced, by clause and signature."""

from collections.abc import Iterable

from results.text import count_of
from spec.events import Flaky
from spec.frozen import frozen


@frozen
class FlakyKind:
    """All breaks of one clause in one way that were not reproduced.

    Attributes:
        first: the first of them, as an example.
        count: in how many plays it came.
        reproduced, replays: how many of all replays of these scenarios showed it again.
    """

    first: Flaky
    count: int
    reproduced: int
    replays: int

    @property
    def rate(self) -> str:
        """How often it came, in words."""
        return (
            f"flaky, in {count_of(self.count, 'scenario')}: reproduced in {self.reproduced} of "
            f"{count_of(self.replays, 'replay')}"
        )


def flaky_kinds(flaky: Iterable[Flaky]) -> tuple[FlakyKind, ...]:
    """The kinds of these breaks, by clause and signature."""
    kinds: dict[tuple[str, str], list[Flaky]] = {}
    for one in flaky:
        kinds.setdefault(one.kind, []).append(one)
    return tuple(
        [
            FlakyKind(
                some[0],
                len(some),
                sum(one.reproduced for one in some),
                sum(one.replays for one in some),
            )
            for _, some in sorted(kinds.items())
        ]
    )
