"""The savings by a limit of records, beside what is fetched today."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from spec.events import ReadingCost

TODAY = "today"
"""The reading that the others are compared with."""


def costs_of(costed: Iterable[ReadingCost]) -> tuple[dict[str, Any], ...]:
    """A row for each log and reading; events that say the same of them count once.

    Returns:
        The fields of `ReadingCost`; `thrown_away`, the bytes that were fetched beyond each batch
        once; and `of_today`, the bytes fetched as a share of those fetched today, None where that
        is not known. Sorted by log and reading.
    """
    every = sorted(
        set(costed), key=lambda one: (one.shape, one.reading, one.records, one.held, one.fetched)
    )
    today = {
        (one.shape, one.records, one.held): one.fetched for one in every if one.reading == TODAY
    }
    return tuple([_row(one, today.get((one.shape, one.records, one.held))) for one in every])


def _row(one: ReadingCost, today: int | None) -> dict[str, Any]:
    return {
        **asdict(one),
        "thrown_away": max(0, one.fetched - one.stored),
        "of_today": one.fetched / today if today else None,
    }
