"""Building an adapter in Rust: once, checked, and reported where it fails. The toolchain here is a
script, since a real build takes minutes.
"""

import os
import tomllib
from pathlib import Path

import pytest

from conformance.cache import SETTING
from conformance.clients.cargo_build import build_program, no_cargo
from conformance.clients.registry import ADAPTERS, CLIENTS, client_command
from conformance.systems.base import NotAvailable

FOLDER = ADAPTERS / "krafka"
CARGO = """#!/bin/sh
echo "$@" >> "{log}"
{act}
"""
MAKES = (
    'while [ "$1" != "--target-dir" ]; do shift; done; mkdir -p "$2/release"; '
    'echo built > "$2/release/adapter"'
)
FAILS = 'echo "error: no such crate" >&2; exit 101'


def give_cargo(folder: Path, monkeypatch: pytest.MonkeyPatch, act: str) -> Path:
    """Put a toolchain on the PATH; the file that it notes its calls in."""
    log, tools = folder / "calls", folder / "bin"
    tools.mkdir()
    (tools / "cargo").write_text(CARGO.format(log=log, act=act))
    (tools / "cargo").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv(SETTING, str(folder / "cache"))
    return log


@pytest.mark.system
def test_a_program_is_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = give_cargo(tmp_path, monkeypatch, MAKES)
    (first,) = client_command("krafka")
    assert Path(first).read_text() == "built\n"
    assert client_command("krafka") == [first]
    assert len(log.read_text().splitlines()) == 1
    assert "build --release --locked" in log.read_text()


@pytest.mark.system
def test_a_build_that_fails_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    give_cargo(tmp_path, monkeypatch, FAILS)
    with pytest.raises(NotAvailable, match="found: error: no such crate"):
        build_program(FOLDER)


def test_without_cargo_the_client_is_not_available(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert "no `cargo` on the PATH" in (no_cargo() or "")
    (client,) = [one for one in CLIENTS if one.name == "krafka"]
    assert client.problem() == no_cargo()
    with pytest.raises(NotAvailable, match="Rust toolchain"):
        client_command("krafka")


def test_every_crate_of_the_adapter_is_pinned_by_its_hash() -> None:
    locked = tomllib.loads((FOLDER / "Cargo.lock").read_text())["package"]
    ours = [one["name"] for one in locked if "checksum" not in one]
    assert ours == ["fencepost-krafka-adapter"]
    (version,) = [one["version"] for one in locked if one["name"] == "krafka"]
    assert f'const VERSION: &str = "{version}";' in (FOLDER / "src" / "main.rs").read_text()
