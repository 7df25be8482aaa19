"""What changed between releases: the breaks of a newer broker that is judged as an older one."""

from typing import TYPE_CHECKING

import pytest

from results.changes import changes_of
from results.changes_text import changes_page
from results.summary import Summary, summarise
from spec.scenario import Scenario
from tests.results.synthetic import (
    CLAUSES,
    HOSTILE,
    conforms,
    deviates,
    footer,
    header,
    judged,
    layout,
    placed,
    shrunk,
    violates,
)

if TYPE_CHECKING:
    from spec.events import Event
    from spec.verdict import Verdict

PLACE = layout((5070,))


def run_of(*verdicts: "Verdict") -> Summary:
    found = judged(PLACE, *verdicts)
    events: list[Event] = [header(), placed(PLACE), found]
    events += [
        shrunk(found, verdict, Scenario(PLACE, found.steps)) for verdict in verdicts if verdict.why
    ]
    return summarise([*events, footer()], CLAUSES, {("FET-002", "listed"): "KAFKA-1"})


def test_each_unlisted_break_is_a_change_and_what_a_finding_lists_is_none() -> None:
    changes = changes_of(
        run_of(conforms("FET-004"), violates(), deviates(signature="listed")), CLAUSES, (), ()
    )
    assert [(one.clause.id, one.cluster.signature) for one in changes.found] == [
        ("FET-001", "too-much")
    ]


def test_clauses_of_one_release_alone_are_named() -> None:
    changes = changes_of(run_of(), CLAUSES, ("FET-001", "FET-002"), ("FET-002", "FET-004"))
    assert [one.id for one in changes.added] == ["FET-004"]
    assert [one.id for one in changes.removed] == ["FET-001"]


def test_a_run_without_a_header_is_no_run() -> None:
    with pytest.raises(ValueError, match="header"):
        changes_of(summarise([], CLAUSES), CLAUSES, (), ())


def test_the_page_has_statement_difference_and_case() -> None:
    changes = changes_of(run_of(violates()), CLAUSES, ("FET-001",), ("FET-001", "FET-004"))
    page = changes_page("4.1.2", "4.2.2", [changes], "fencepost changes 4.1.2 4.2.2 --seed 1")
    assert page.startswith("# From Kafka 4.1.2 to 4.2.2\n")
    assert "1 change in 1 scenario." in page
    assert "### FET-001: too-much" in page
    assert "Kafka 4.1.2: A partition's bytes never exceed its limit or its first batch." in page
    assert "Kafka 4.2.2, in 1 scenario: expected 1000 bytes, found 5070" in page
    assert "The smallest case:" in page
    assert "Kafka 4.2.2 has these clauses too:\n\n- FET-004" in page
    assert "fencepost changes 4.1.2 4.2.2 --seed 1" in page


def test_text_of_a_broker_is_shown_as_it_is() -> None:
    changes = changes_of(run_of(violates(signature=HOSTILE, why=HOSTILE)), CLAUSES, (), ())
    page = changes_page("4.1.2", "4.2.2", [changes], "again")
    assert "<script>" not in page
    assert "\x1b" not in page
