"""The readings that were ruled out, as the report shows them: each with what does not fit it, and
once for each scenario its picture; a client's is the strip of what its polls returned.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from results.page_picture import draw_for_page
from spec.canonical import FormatError, from_json
from spec.frozen import frozen
from spec.observation import Observation
from spec.scenario import Scenario

Row = Mapping[str, Any]
_SAME = ("clause", "reading", "system", "kafka", "why")


@frozen
class DrawnReading:
    """A reading that was ruled out.

    Attributes:
        row: of the table of readings.
        wide, narrow: the picture of the scenario that ruled it out, for a desk and for a phone;
            empty where another one shows the same, or what came back is not in the log.
    """

    row: Row
    wide: str = ""
    narrow: str = ""


def draw_readings(rows: Iterable[Row], most_bytes: int) -> list[DrawnReading]:
    """Each reading once for an implementation, however many runs ruled it out.

    Args:
        rows: of the table of readings.
        most_bytes: bytes of all pictures together, from which on none is drawn.
    """
    found: list[DrawnReading] = []
    drawn: set[tuple[str, str]] = set()
    for row in _once(rows):
        played = row["scenario_json"] or "", row["observation_json"] or ""
        pictures = () if played in drawn or most_bytes < 0 else _pictures(*played)
        most_bytes -= sum(map(len, pictures))
        if not pictures or most_bytes < 0:
            found.append(DrawnReading(row))
            continue
        drawn.add(played)
        found.append(DrawnReading(row, *pictures))
    return found


def _once(rows: Iterable[Row]) -> list[Row]:
    found: dict[tuple[str, ...], Row] = {}
    for row in rows:
        found.setdefault(tuple([str(row[name]) for name in _SAME]), row)
    return list(found.values())


def _pictures(scenario_json: str, observation_json: str) -> tuple[str, ...]:
    """The picture in both widths; nothing where something of it is missing, or can't be read."""
    try:
        scenario = from_json(Scenario, scenario_json)
        observation = from_json(Observation, observation_json)
    except FormatError:
        return ()
    return draw_for_page(scenario, observation)
