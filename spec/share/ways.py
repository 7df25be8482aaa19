"""How the model follows those readings of clauses on share groups that it can follow."""

from collections.abc import Mapping
from typing import Any

from spec.semantics import Change, Semantics
from spec.share.releases import ClosedCount, LockBudget, ShareSemantics, Throttling


def _with(**decisions: Any) -> Change:
    def change(semantics: Semantics) -> Semantics:
        return semantics.changed(ShareSemantics, **decisions)

    return change


WAYS: Mapping[str, Mapping[str, Change]] = {
    "SHR-009": {
        "kept": _with(closed_count=ClosedCount.KEPT),
        "taken_back": _with(closed_count=ClosedCount.TAKEN_BACK),
    },
    "SHR-112": {
        "batch": _with(lock_budget=LockBudget.EVERY_ACQUISITION),
        "gate": _with(lock_budget=LockBudget.GATE),
    },
    "SHR-170": {
        "halved": _with(throttling=Throttling.HALVED),
        "whole": _with(throttling=Throttling.NONE),
    },
}
"""By clause and reading."""
