"""How a run ends where scenarios were left out."""

import pytest

from conformance.engine.outcome import RunOutcome
from conformance.exit_codes import OK, UNREACHABLE
from spec.events import NotLaid
from spec.fetch.steps import Fetch, FetchPartition
from spec.layout import Batch, Layout, Partition
from spec.scenario import Scenario

LEFT_OUT = Scenario(Layout((Partition(((Batch(100),),)),)), (Fetch((FetchPartition(0, 0),)),))


@pytest.mark.parametrize(
    ("strict", "family", "code"),
    [(True, "plain", UNREACHABLE), (True, "corpus", OK), (False, "plain", OK)],
)
def test_what_this_run_drew_and_left_out_makes_a_strict_run_incomplete(
    strict: bool, family: str, code: int
) -> None:
    """What the corpus kept of another broker may never be laid on this one."""
    outcome = RunOutcome(frozenset(), strict, exercised=True)
    outcome.see(NotLaid(LEFT_OUT, family, "a transaction", "expected an answer, found none"))
    assert outcome.exit_code(OK, problems=False) == code
