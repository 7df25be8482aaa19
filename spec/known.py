"""Known differences of a system in the header of its runs, so that a report made later still knows
them.
"""

from collections.abc import Mapping

Known = Mapping[tuple[str, str], str]
"""The reason of each known violation or deviation, by clause and signature."""

_KNOWN = "known "


def known_to_facts(known: Known) -> dict[str, str]:
    """The known differences as entries of a run header's `facts`, so that a report made later still
    knows them.
    """
    return {
        f"{_KNOWN}{clause} {signature}": reason for (clause, signature), reason in known.items()
    }


def known_of(facts: Mapping[str, str]) -> dict[tuple[str, str], str]:
    """The known differences in a run header's `facts`; the opposite of `known_to_facts`."""
    found = {}
    for name, reason in facts.items():
        if name.startswith(_KNOWN):
            clause, _, signature = name.removeprefix(_KNOWN).partition(" ")
            found[clause, signature] = reason
    return found


def plain_facts(facts: Mapping[str, str]) -> dict[str, str]:
    """The facts of the system alone, without the known differences."""
    return {name: value for name, value in facts.items() if not name.startswith(_KNOWN)}
