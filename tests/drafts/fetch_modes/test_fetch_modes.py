"""The acquire modes of KIP-1206 on classic fetches: examples by hand, the profile that is found,
and faults that are caught.
"""

from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.identify.profiles import Asked, identify
from drafts.fetch_modes.change import BATCH_OPTIMIZED, RECORD_LIMIT, draft_change, limit_fields
from drafts.fetch_modes.clauses import FOURS, PLAIN_VERSION, ask_all
from drafts.fetch_modes.draft import DRAFT
from drafts.fetch_modes.inquiry import INQUIRY
from drafts.fetch_modes.plug import PLUG
from drafts.fetch_modes.profile import First, Profile, Unknown
from spec.canonical import read_scenario, write_scenario
from spec.fetch.dry_run import answer_all
from spec.fetch.model.machine import Answering
from spec.fetch.outcomes import FetchAnswer
from spec.judge import judge
from spec.judgement import Judgement
from spec.kafka import Error
from spec.observation import Observation
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.verdict import Outcome

RELEASED = semantics_for("4.3")
PROFILES = [Profile(first, unknown) for first, unknown in product(First, Unknown)]


def records(profile: Profile, limit: int | None, mode: int) -> list[int] | int:
    """The records that each partition returns, of batches of four; or the error of the request."""
    answer = (
        answer_all(ask_all(FOURS, (limit, mode)), draft_change(profile)(RELEASED))
        .exchanges[-1]
        .outcome
    )
    assert isinstance(answer, FetchAnswer)
    return answer.error or [
        sum(batch.records for batch in got.batches) for got in answer.partitions
    ]


@pytest.mark.parametrize(
    ("profile", "limit", "mode", "expected"),
    [
        (Profile(), 6, BATCH_OPTIMIZED, [8, 0]),
        (Profile(), 6, RECORD_LIMIT, [4, 0]),
        (Profile(), 14, BATCH_OPTIMIZED, [12, 4]),
        (Profile(), 14, RECORD_LIMIT, [12, 0]),
        (Profile(), 3, RECORD_LIMIT, [4, 0]),
        (Profile(First.REFUSED), 3, RECORD_LIMIT, [0, 0]),
        (Profile(First.REFUSED), 3, BATCH_OPTIMIZED, [4, 0]),
        (Profile(), None, RECORD_LIMIT, [12, 8]),
        (Profile(), 6, 2, Error.INVALID_REQUEST),
        (Profile(unknown=Unknown.BATCH_OPTIMIZED), 6, 2, [8, 0]),
    ],
)
def test_what_is_returned_under_a_limit(
    profile: Profile, limit: int | None, mode: int, expected: list[int] | int
) -> None:
    assert records(profile, limit, mode) == expected


def run(profile: Profile, answering: Answering | None = None) -> list[Asked[Profile]]:
    """All that is asked of the model in this process."""
    semantics = draft_change(profile)(RELEASED)

    def play(scenario: Scenario) -> tuple[Observation, Judgement]:
        observation = answer_all(scenario, semantics, answering)
        return observation, judge(scenario, observation, semantics)

    return list(identify(INQUIRY, play, Profile(), RELEASED, crafted=False))


@pytest.mark.parametrize("profile", PROFILES, ids=str)
def test_every_profile_is_found_and_breaks_no_clause(profile: Profile) -> None:
    found = run(profile)
    assert found[-1].left.counting == (profile,)
    assert not [verdict for one in found for verdict in one.judgement.breaks]


@pytest.mark.parametrize("fault", PLUG.faults, ids=lambda fault: fault.name)
@pytest.mark.parametrize("profile", PROFILES, ids=str)
def test_a_planted_fault_breaks_its_clause_under_any_profile(fault, profile: Profile) -> None:  # type: ignore[no-untyped-def]
    broken = {
        (verdict.clause, verdict.outcome)
        for one in run(profile, fault.answering)
        for verdict in one.judgement.breaks
    }
    assert (fault.clause, Outcome.VIOLATES) in broken


def test_its_scenarios_are_a_subject_of_their_own_and_are_kept_in_files() -> None:
    scenario = ask_all(FOURS, (6, RECORD_LIMIT))
    assert scenario.subject == DRAFT.subject.name
    assert read_scenario(write_scenario(scenario)) == scenario
    assert '"fetch_records": 6' in write_scenario(scenario)
    assert limit_fields(None) == ()
    assert PLAIN_VERSION < 19


def identified(tmp_path: Path, *arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(
        main,
        [
            "identify",
            "model",
            "--no-report",
            "--out",
            str(tmp_path),
            "--draft",
            "fetch-modes",
            *arguments,
        ],
    )
    return done.exit_code, done.output


@pytest.mark.system
def test_the_profile_that_is_served_is_named(tmp_path: Path) -> None:
    code, output = identified(tmp_path, "--profile", "first=refused,unknown=batch_optimized")
    assert code == 0, output
    assert "PROFILE  first=refused, unknown=batch_optimized" in output


@pytest.mark.system
def test_a_fault_is_reported_over_the_wire(tmp_path: Path) -> None:
    code, output = identified(tmp_path, "--fault", "fetch-mode-ignored")
    assert code == 1
    assert "violates FMD-100" in output
