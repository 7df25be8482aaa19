"""What `fencepost explain` says of a client's history: its polls, and how fair they were."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from spec.fairness.dry_run import answer_all
from spec.fairness.measures import measure_fairness
from spec.fairness.outcomes import PollReturned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spec.scenario import Scenario
    from spec.semantics import Semantics


def explain(scenario: Scenario, semantics: Semantics) -> Iterator[str]:
    """The partitions of each poll's records in order, then the measures over all polls."""
    exchanges = answer_all(scenario, semantics).exchanges
    returned = [one.outcome for one in exchanges if isinstance(one.outcome, PollReturned)]
    if not returned:
        return
    yield "polls (partition x records): " + " ".join([short_poll(one) for one in returned])
    found = measure_fairness([[record.partition for record in one.records] for one in returned])
    yield (
        f"fairness: Jain {found.jain:.3f} over the first {found.window} records; longest run "
        f"{found.longest_run}, longest wait {found.longest_wait} records, {found.most_polls} polls"
    )


def short_poll(returned: PollReturned) -> str:
    """A poll in short: `0x10+1x5`, the errors that it reports, or `-`."""
    runs = groupby([record.partition for record in returned.records])
    records = "+".join([f"{partition}x{len([*run])}" for partition, run in runs])
    return records or "/".join([error.name for error in returned.errors]) or "-"
