"""How the model follows each reading of a clause on fetches."""

from collections.abc import Mapping

from spec.fetch.releases import AbortedExtent, Crossing, FetchSemantics
from spec.semantics import Change, Semantics


def _crossing(reading: Crossing) -> Change:
    def change(semantics: Semantics) -> Semantics:
        return semantics.changed(FetchSemantics, crossing=reading)

    return change


def _extent(reading: AbortedExtent) -> Change:
    def change(semantics: Semantics) -> Semantics:
        return semantics.changed(FetchSemantics, aborted_extent=reading)

    return change


WAYS: Mapping[str, Mapping[str, Change]] = {
    "FET-102": {"cut": _crossing(Crossing.CUT), "left_out": _crossing(Crossing.LEFT_OUT)},
    "FET-052": {
        "returned": _extent(AbortedExtent.RETURNED),
        "beyond": _extent(AbortedExtent.INDEXED),
    },
}
"""By clause and reading."""
