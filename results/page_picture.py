"""A scenario as a page draws it: for a desk and for a phone."""

from markupsafe import Markup

from results.picture import WIDTH, draw
from spec.observation import Observation
from spec.scenario import Scenario

NARROW = 340
"""Pixels of a picture for a phone."""


def draw_for_page(scenario: Scenario, observation: Observation | None) -> tuple[Markup, Markup]:
    """The wide and the narrow picture of a scenario and of what came back."""
    wide, narrow = (draw(scenario, observation, width) for width in (WIDTH, NARROW))
    return Markup(wide), Markup(narrow)  # noqa: S704  drawn by us, escaped there
