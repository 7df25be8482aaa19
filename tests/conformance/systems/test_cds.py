from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.systems.cds import Archive
from conformance.systems.java import Java

JAVA = Java(Path("/java"), Path("/java/bin/java"), "17.0.15+6", "Someone", "test")


@pytest.fixture
def archive(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Archive:
    monkeypatch.setenv("FENCEPOST_CACHE", str(tmp_path / "cache"))
    return Archive.of("9.9.9", JAVA, (tmp_path / "a.jar", tmp_path / "b.jar"))


def writes(content: bytes, succeeds: bool = True) -> Callable[[list[str], float], bool]:
    def run(command: list[str], timeout: float) -> bool:
        target = next(option for option in command if option.startswith("-XX:SharedArchiveFile="))
        Path(target.partition("=")[2]).write_bytes(content)
        return succeeds

    return run


def test_the_first_start_writes_the_list_and_later_ones_use_the_archive(
    archive: Archive, tmp_path: Path
) -> None:
    classes = tmp_path / "classes"
    assert archive.options(classes) == (f"-XX:DumpLoadedClassList={classes}",)
    classes.write_text("java/lang/Object\n")
    assert archive.make(classes, writes(b"archive"))
    assert archive.file.read_bytes() == b"archive"
    assert archive.options(classes) == ("-Xshare:auto", f"-XX:SharedArchiveFile={archive.file}")


def test_a_dump_that_fails_leaves_nothing_behind(archive: Archive, tmp_path: Path) -> None:
    classes = tmp_path / "classes"
    assert not archive.make(classes, writes(b"half"))
    classes.write_text("java/lang/Object\n")
    assert not archive.make(classes, writes(b"half", succeeds=False))
    assert [file.suffix for file in archive.file.parent.iterdir()] == [".lock"]


def test_other_jars_another_java_or_another_version_have_another_archive(
    archive: Archive, tmp_path: Path
) -> None:
    jars = (tmp_path / "a.jar", tmp_path / "b.jar")
    other_java = Java(Path("/java"), Path("/java/bin/java"), "17.0.16+1", "Someone", "test")
    files = {
        archive.file,
        Archive.of("9.9.8", JAVA, jars).file,
        Archive.of("9.9.9", other_java, jars).file,
        Archive.of("9.9.9", JAVA, jars[:1]).file,
    }
    assert len(files) == 4
