"""One broker alone shows nothing of what this subject asks for."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.cli import main
from conformance.exit_codes import MISUSE
from conformance.serve.settings import Settings
from spec.canonical import write_scenario
from spec.replication.examples import play_on_brokers
from spec.replication.steps import Read, Write
from tests.conformance.serve.listening import serving


def run(out: Path, *system: str) -> Result:
    """A short run of the subject."""
    small = ("--scenarios", "20", "--seed", "3", "--no-report", "--no-corpus", "--out", str(out))
    return CliRunner().invoke(main, ["run", *system, "--subject", "replication", *small])


@pytest.mark.parametrize("system", ["embedded", "model"])
def test_one_broker_that_is_started_here_is_wrong_use(tmp_path: Path, system: str) -> None:
    result = run(tmp_path, system)
    assert result.exit_code == MISUSE
    said = " ".join(result.output.split())
    assert "needs a cluster of at least 3 brokers, as --brokers 3 starts one, found 1" in said
    assert not list(tmp_path.iterdir())


def test_one_broker_elsewhere_is_wrong_use_too(tmp_path: Path) -> None:
    with serving(Settings("4.3.1")) as served:
        result = run(tmp_path, "--bootstrap-server", f"127.0.0.1:{served.port}")
    assert result.exit_code == MISUSE
    said = " ".join(result.output.split())
    assert "--subject replication: needs a cluster of at least 3 brokers" in said
    assert "found 1" in said


def test_a_kept_scenario_is_not_replayed_on_one_broker(tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    kept.write_text(write_scenario(play_on_brokers(Write(), Read())))
    with serving(Settings("4.3.1")) as served:
        address = f"127.0.0.1:{served.port}"
        result = CliRunner().invoke(main, ["replay", str(kept), "--bootstrap-server", address])
    assert result.exit_code == MISUSE
    assert "this scenario of replication: needs a cluster of at least 3 brokers" in " ".join(
        result.output.split()
    )
