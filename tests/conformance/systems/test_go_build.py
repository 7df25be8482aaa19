"""Building a program in Go: once, checked, and reported where it fails. The toolchain here is a
script, since a real build takes a minute.
"""

import os
from pathlib import Path

import pytest

from conformance.cache import SETTING
from conformance.clients.registry import ADAPTERS, CLIENTS, client_command
from conformance.systems.base import NotAvailable
from conformance.systems.go_build import build_program, no_go

FOLDER = ADAPTERS / "franz_go"
GO = """#!/bin/sh
echo "$@" >> "{log}"
{act}
"""
MAKES = 'while [ "$1" != "-o" ]; do shift; done; echo built > "$2"'
FAILS = 'echo "main.go:1: no such module" >&2; exit 1'


def give_go(folder: Path, monkeypatch: pytest.MonkeyPatch, act: str) -> Path:
    """Put a toolchain on the PATH; the file that it notes its calls in."""
    log, tools = folder / "calls", folder / "bin"
    tools.mkdir()
    (tools / "go").write_text(GO.format(log=log, act=act))
    (tools / "go").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv(SETTING, str(folder / "cache"))
    return log


@pytest.mark.system
def test_a_program_is_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = give_go(tmp_path, monkeypatch, MAKES)
    (first,) = client_command("franz-go")
    assert Path(first).read_text() == "built\n"
    assert client_command("franz-go") == [first]
    assert len(log.read_text().splitlines()) == 1
    assert "build -mod=readonly" in log.read_text()


@pytest.mark.system
def test_a_build_that_fails_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    give_go(tmp_path, monkeypatch, FAILS)
    with pytest.raises(NotAvailable, match=r"found: main\.go:1: no such module"):
        build_program(FOLDER)


def test_without_go_the_client_is_not_available(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert "no `go` on the PATH" in (no_go() or "")
    (client,) = [one for one in CLIENTS if one.name == "franz-go"]
    assert client.problem() == no_go()
    with pytest.raises(NotAvailable, match="Go toolchain"):
        client_command("franz-go")


def test_every_module_of_the_adapter_is_pinned_by_its_hash() -> None:
    needed = [
        line.split()[-2:]
        for line in (FOLDER / "go.mod").read_text().replace(" // indirect", "").splitlines()
        if line.split()[-1:] and line.split()[-1].startswith("v")
    ]
    sums = (FOLDER / "go.sum").read_text()
    assert len(needed) >= 3
    assert all(f"{name} {version} h1:" in sums for name, version in needed)
