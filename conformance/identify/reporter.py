"""What is judged while readings are identified, in the events of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spec.canonical import identity
from spec.events import Judged, LayoutPlaced

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spec.events import Event
    from spec.observation import Observation
    from spec.scenario import Scenario
    from spec.verdict import Verdict

FAMILY = "reading"


class Reporter:
    """Reports each judged scenario, and its layout before the first of that layout.

    Attributes:
        layouts, scenarios: how many were reported.
    """

    def __init__(self) -> None:
        self.layouts = 0
        self.scenarios = 0
        self._placed: set[str] = set()

    def judgement_events(
        self, scenario: Scenario, verdicts: tuple[Verdict, ...], observation: Observation | None
    ) -> Iterator[Event]:
        """The events of one scenario; `observation` where it shows a break."""
        layout = identity(scenario.layout)
        if layout not in self._placed:
            self._placed.add(layout)
            self.layouts += 1
            yield LayoutPlaced(layout, scenario.layout)
        self.scenarios += 1
        yield Judged(
            identity(scenario),
            layout,
            FAMILY,
            scenario.steps,
            verdicts,
            scenario.config,
            observation=observation,
        )
