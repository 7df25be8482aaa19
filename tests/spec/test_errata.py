"""Errata name only clauses that exist, and each comes with its evidence."""

import re

import pytest

from spec.catalogue import catalogue
from spec.draft_registry import drafts
from spec.errata import ERRATA, Erratum

EVERY = (*ERRATA, *[erratum for draft in drafts() for erratum in draft.errata])


@pytest.mark.parametrize("erratum", EVERY, ids=lambda erratum: erratum.says[:40])
def test_every_erratum_says_what_was_found_and_where(erratum: Erratum) -> None:
    assert all((erratum.source, erratum.says, erratum.found, erratum.evidence))
    named = re.findall(r"(?:FET|SHR)-\d{3}", f"{erratum.says} {erratum.found} {erratum.evidence}")
    known = {name for clause in catalogue().values() for name in (clause.id, *clause.aliases)}
    assert set(named) <= known
