"""Scenarios: one layout, the configuration, and one list of steps."""

from dataclasses import field

from spec.frozen import frozen
from spec.layout import Layout
from spec.steps import Step


@frozen
class Scenario:
    """One layout, the configuration, and one independent list of steps.

    Plain data; `spec.canonical` writes its one JSON form.

    Attributes:
        layout: what lies in the partitions.
        steps: what is done, in the order of sending.
        config: broker configs that the scenario needs, by Kafka's names (`fetch.max.bytes`);
            empty: any broker will do.
        subject: the name of the subject whose model and clauses it is judged by; where it is not
            given, the one that its steps belong to.
    """

    layout: Layout
    steps: tuple[Step, ...]
    config: tuple[tuple[str, str], ...] = field(default=())
    subject: str = ""

    def __post_init__(self) -> None:
        """Fill in the subject that the steps name."""
        if not self.subject:
            object.__setattr__(self, "subject", subject_of(self.steps))

    @property
    def actors(self) -> int:
        """The number of connections that it needs."""
        return 1 + max((step.actor for step in self.steps), default=0)


def subject_of(steps: tuple[Step, ...]) -> str:
    """The one subject that these steps name; empty where none of them names one.

    Steps of two subjects are refused by `spec.bounds`; here the last name in the alphabet stands
    for them, which puts `fetch` behind the drafts that change it.
    """
    if len(steps) == 1:
        return steps[0].subject
    return max({step.subject for step in steps}, default="")
