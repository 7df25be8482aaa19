from importlib.metadata import EntryPoint

import pytest

from conformance.misuse import BadConfiguration
from conformance.systems import java, registry
from conformance.systems.base import NotAvailable
from conformance.systems.embedded import Embedded
from conformance.systems.external import External

THEIRS = registry.System(
    "theirs", "a broker of someone else", External, lambda: "its binary is missing; install it"
)


@pytest.fixture
def theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entry points of other packages: a good one, two bad ones, and one that takes a name of
    ours.
    """
    here = f"{__name__}"
    points = [
        EntryPoint("theirs", f"{here}:THEIRS", registry.GROUP),
        EntryPoint("broken", "no.such.module:x", registry.GROUP),
        EntryPoint("wrong", "builtins:int", registry.GROUP),
        EntryPoint("embedded", "builtins:int", registry.GROUP),
    ]
    monkeypatch.setattr(registry, "entry_points", lambda group: points)
    monkeypatch.setattr(
        EntryPoint, "load", lambda self: THEIRS if self.name == "theirs" else _load(self)
    )


_load = EntryPoint.load


def test_each_kind_says_what_it_is_and_whether_it_can_be_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none() -> java.Java:
        raise NotAvailable("no Java; install one")

    monkeypatch.setattr(java, "find_java", none)
    listed = {one.name: one for one in registry.systems()}
    assert list(listed)[:4] == ["embedded", "container", "model", "external"]
    assert (listed["embedded"].available, listed["embedded"].reason) == (
        False,
        "no Java; install one",
    )
    assert (listed["external"].available, listed["external"].reason) == (True, "")
    assert all(one.description and "\n" not in one.description for one in listed.values())


@pytest.mark.system
def test_a_missing_daemon_is_a_reason_not_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    container = next(one for one in registry.systems() if one.name == "container")
    assert not container.available
    assert "expected a Docker daemon that answers" in container.reason


@pytest.mark.system
@pytest.mark.usefixtures("theirs")
def test_others_register_theirs_and_cannot_take_our_names() -> None:
    listed = {one.name: one for one in registry.systems()}
    assert listed["theirs"].reason == "its binary is missing; install it"
    assert "no.such.module" in listed["broken"].reason
    assert "must name a System, but is a type" in listed["wrong"].reason
    assert registry.find("theirs") is THEIRS
    assert registry.find("embedded").create is Embedded


@pytest.mark.usefixtures("theirs")
@pytest.mark.parametrize(
    ("name", "why"), [("nothing", "no such name"), ("broken", "can't be loaded")]
)
def test_an_unknown_name_is_refused_with_the_known_ones(name: str, why: str) -> None:
    with pytest.raises(
        BadConfiguration,
        match="broken, container, embedded, external, .*model, tansu, theirs, wrong, "
        rf"found '{name}'.*{why}",
    ):
        registry.find(name)
