"""What a client's history has tried, by name."""

from spec.fairness.steps import (
    Damage,
    DamageBatch,
    GiveOtherwise,
    Giving,
    StartClient,
)
from spec.fairness.subject import SUBJECT
from spec.scenario import Scenario

OPTIONS = ("max_poll_records", "partition_max_bytes", "fetch_max_bytes", "isolation")
PLACES = ("first", "later")
SIZES = ("one", "several")


def client_relations(scenario: Scenario) -> tuple[str, ...]:
    """What a scenario has tried, by name, each once, sorted: the kinds of steps, each with whether
    the client reads one partition or several; what the server gives otherwise; options.
    """
    found: set[str] = set()
    size = SIZES[len(scenario.layout.partitions) > 1]
    for step in scenario.steps:
        found.add(f"{type(step).__name__}={size} partition")
        if isinstance(step, GiveOtherwise):
            found.add(f"giving={step.giving.value}")
        if isinstance(step, DamageBatch):
            found.add(f"{step.damage.value}={PLACES[step.batch > 0]} batch")
        if isinstance(step, StartClient):
            found |= {f"option={name}" for name in OPTIONS if getattr(step, name)}
    return tuple(sorted(found & all_client_relations()))


def all_client_relations() -> frozenset[str]:
    """Every relation that a scenario can have."""
    return frozenset(
        [
            *[f"{kind.__name__}={size} partition" for kind in SUBJECT.steps for size in SIZES],
            *[f"giving={giving.value}" for giving in Giving],
            *[f"{damage.value}={place} batch" for damage in Damage for place in PLACES],
            *[f"option={name}" for name in OPTIONS],
        ]
    )
