"""The readings that systems follow: what runs left of each unclear text."""

from collections.abc import Iterable

from results.cases import reading_file
from results.matrix import system_of
from results.summary import Summary
from spec.canonical import identity
from spec.catalogue import catalogue
from spec.frozen import frozen


@frozen
class RuledOut:
    """A reading that a system does not follow.

    Attributes:
        reading: its name.
        scenario: the id of the scenario that showed it.
        file: where that is, in the run's folder.
    """

    reading: str
    scenario: str
    file: str


@frozen
class Followed:
    """What one system does where a clause has readings.

    Attributes:
        clause: its id.
        system: as a column of the matrix has it.
        left: the readings that all observations fit.
        ruled_out: the others, each with the first scenario that ruled it out.
    """

    clause: str
    system: str
    left: tuple[str, ...]
    ruled_out: tuple[RuledOut, ...]


def readings_followed(summaries: Iterable[Summary]) -> tuple[Followed, ...]:
    """The readings of each clause of which a run ruled one out, by clause and system; several runs
    on one system count together.
    """
    found: dict[tuple[str, str], dict[str, RuledOut]] = {}
    for summary in summaries:
        if summary.header is None:
            continue
        system = system_of(summary.header)
        for one in summary.readings:
            out = RuledOut(one.reading, identity(one.scenario), reading_file(one))
            found.setdefault((one.clause, system), {}).setdefault(one.reading, out)
    known = catalogue()
    return tuple(
        [
            Followed(
                name,
                system,
                tuple([one.name for one in known[name].readings if one.name not in ruled_out]),
                tuple(ruled_out.values()),
            )
            for (name, system), ruled_out in sorted(found.items())
            if name in known  # an older run may name a clause that is gone
        ]
    )
