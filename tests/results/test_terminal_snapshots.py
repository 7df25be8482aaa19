"""What a run prints, character by character: `pytest --snapshot-update` writes it again."""

import pytest
from syrupy.assertion import SnapshotAssertion

from results.summary import summarise
from spec.known import known_to_facts
from tests.results.synthetic import CLAUSES, header, small_run
from tests.results.test_terminal import shown


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("colour", [False, True], ids=["plain", "colour"])
def test_the_summary_of_a_run(
    width: int, colour: bool, snapshot: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    events = small_run(hostile=True)
    events[0] = header(
        facts={"kafka": "4.3.1", **known_to_facts({("FET-002", "listed"): "KAFKA-1: since 4.2"})}
    )
    assert shown(summarise(events, CLAUSES), width, colour=colour) == snapshot
