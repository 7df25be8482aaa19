"""Findings on a real broker, each shown by the program of its bug report, without Fencepost."""

from pathlib import Path

import pytest

from conformance.subjects.fetch.broker_player import FetchBrokerPlayer
from tests.conformance.reproduction.test_bug_report import (
    DELETED,
    LAST_STABLE,
    LOOKUP,
    reported,
    run_alone,
)

pytestmark = pytest.mark.broker


@pytest.mark.parametrize("scenario", [LAST_STABLE, LOOKUP, DELETED])
def test_a_finding_is_shown_on_a_real_broker_without_fencepost(
    player: FetchBrokerPlayer, tmp_path: Path, scenario: str
) -> None:
    address = f"{player.cluster.host}:{player.cluster.port}"
    text, program = reported(tmp_path, scenario, "--bootstrap-server", address)
    assert program.read_text() in text
    found = run_alone(program, address)
    assert found.returncode == 1, found.stdout + found.stderr
    assert "<-- differs" in found.stdout
