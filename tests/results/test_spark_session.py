from pathlib import Path

import pytest

from results.files import ReportError
from results.spark.session import find_java, java_version

pytestmark = pytest.mark.system


def java_of(folder: Path, banner: str, code: int = 0) -> Path:
    """A `java` that says this about itself."""
    executable = folder / "bin" / "java"
    executable.parent.mkdir(parents=True)
    executable.write_text(f"#!/bin/sh\necho '{banner}' >&2\nexit {code}\n")
    executable.chmod(0o755)
    return executable


@pytest.mark.parametrize(
    ("banner", "version"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('openjdk version "25" 2025-09-16', 25),
        ('java version "1.8.0_392"', 8),
        ("what?", None),
    ],
)
def test_a_java_is_known_by_what_it_says(tmp_path: Path, banner: str, version: int | None) -> None:
    assert java_version(java_of(tmp_path, banner)) == version


def test_what_does_not_run_is_no_java(tmp_path: Path) -> None:
    assert java_version(tmp_path / "none") is None
    assert java_version(java_of(tmp_path, 'version "17"', code=1)) is None


def test_an_old_java_is_passed_over_for_a_newer_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = (
        java_of(tmp_path / "old", 'version "11.0.2"'),
        java_of(tmp_path / "new", 'version "21"'),
    )
    monkeypatch.delenv("FENCEPOST_JAVA_HOME", raising=False)
    monkeypatch.setenv("JAVA_HOME", str(old.parents[1]))
    monkeypatch.setenv("PATH", str(new.parent))
    assert find_java() == new


def test_the_java_that_the_setting_names_is_used_or_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for a broker: another Java in its place would be a surprise."""
    old, new = (
        java_of(tmp_path / "old", 'version "11.0.2"'),
        java_of(tmp_path / "new", 'version "21"'),
    )
    monkeypatch.setenv("JAVA_HOME", str(old.parents[1]))
    monkeypatch.setenv("FENCEPOST_JAVA_HOME", str(new.parents[1]))
    assert find_java() == new
    monkeypatch.setenv("JAVA_HOME", str(new.parents[1]))
    monkeypatch.setenv("FENCEPOST_JAVA_HOME", str(old.parents[1]))
    with pytest.raises(ReportError, match="is Java 11; correct FENCEPOST_JAVA_HOME or unset it"):
        find_java()


def test_without_a_fitting_java_one_line_names_the_needed_version(tmp_path: Path) -> None:
    """Case X07: works, or one line that names the needed version."""
    with pytest.raises(ReportError) as caught:
        find_java(java_of(tmp_path, 'version "11.0.2"'))
    message = str(caught.value)
    assert "\n" not in message
    assert "needs Java 17 or newer" in message
    assert "is Java 11" in message
    assert "pip install 'fencepost[java]'" in message
