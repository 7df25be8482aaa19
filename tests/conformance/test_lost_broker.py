"""What a run says to do about a broker that answers what ends the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.cli.common import make_codec
from conformance.exit_codes import UNREACHABLE
from conformance.faults.proxy import Proxy
from conformance.faults.wire import Planted, Truncate
from conformance.serve.settings import Settings
from tests.conformance.serve.listening import serving

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.system


def test_a_broker_that_answers_badly_is_not_said_to_be_gone(tmp_path: Path) -> None:
    unreadable = Planted(Truncate(), "CreateTopics")
    with (
        serving(Settings("4.3.1")) as model,
        Proxy((model.host, model.port), make_codec(), (unreadable,)) as proxy,
    ):
        host, port = proxy.address
        command = ["run", "--bootstrap-server", f"{host}:{port}", "--subject", "produce"]
        command += ["--scenarios", "1", "--no-corpus", "--no-report", "--out", str(tmp_path)]
        found = CliRunner(env={"COLUMNS": "1000"}).invoke(main, command)
    assert found.exit_code == UNREACHABLE, found.output
    assert "expected an answer to CreateTopics" in found.output
    assert f"if it does, `fencepost smoke {host}:{port}` says what it lacks" in found.output
    assert f"`fencepost run --resume {tmp_path}" in found.output
