"""A mutated folder is read to its end, whatever is in it: breaks, never a crash; and a changed byte
of a batch is found.
"""

import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.audit.folder import Audit, audit_folder
from spec.disk.breaks import Break
from spec.disk.index_walks import OffsetWalk
from spec.disk.producers import snapshot_remarks
from spec.disk.texts import checkpoint, leader_epochs, partition_metadata

from .conftest import RECORDED, unpack


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack(RECORDED[-1], tmp_path_factory.mktemp("pristine"))


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scratch")


def mutated(data: bytes, draw: st.DataObject) -> bytes:
    """Some bytes changed, taken out, or put in."""
    content = bytearray(data)
    for _ in range(draw.draw(st.integers(1, 4))):
        at = draw.draw(st.integers(0, len(content)))
        kind = draw.draw(st.sampled_from(["change", "cut", "insert", "zeros", "end"]))
        if kind == "change":
            content[at : at + 1] = draw.draw(st.binary(min_size=1, max_size=1))
        elif kind == "cut":
            del content[at : at + draw.draw(st.integers(1, 70))]
        elif kind == "insert":
            content[at:at] = draw.draw(st.binary(max_size=80))
        elif kind == "zeros":
            content[at:at] = bytes(draw.draw(st.integers(1, 200)))
        else:
            del content[at:]
    return bytes(content)


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_a_mutated_folder_is_read_to_its_end(
    pristine: Path, scratch: Path, data: st.DataObject
) -> None:
    files = sorted(path for path in pristine.rglob("*") if path.is_file())
    target = scratch / "data"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(pristine, target)
    if data.draw(st.booleans(), label="running"):
        (target / ".kafka_cleanshutdown").unlink()
    for path in data.draw(st.lists(st.sampled_from(files), min_size=1, max_size=3, unique=True)):
        copied = target / path.relative_to(pristine)
        if copied.exists():
            copied.write_bytes(mutated(path.read_bytes(), data))
    *seen, found = audit_folder(target)
    assert isinstance(found, Audit)
    assert found.partitions == len([path for path in pristine.iterdir() if path.is_dir()])
    assert not any(isinstance(one, Audit) for one in seen)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_every_changed_byte_of_a_stopped_log_is_found(
    pristine: Path, scratch: Path, data: st.DataObject
) -> None:
    """Base offset and leader epoch aside, which the CRC does not cover: an offset may move into a
    hole. The metadata log's tail may be torn even then.
    """
    every = (path for path in pristine.rglob("*.log") if path.stat().st_size)
    logs = sorted(path for path in every if path.parent.name != "__cluster_metadata-0")
    log = data.draw(st.sampled_from(logs))
    target = scratch / "one"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(pristine, target)
    content = bytearray(log.read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] ^= data.draw(st.integers(1, 255))
    (target / log.relative_to(pristine)).write_bytes(bytes(content))
    name = log.relative_to(pristine).as_posix()
    found = {one.file.rpartition(".")[0] for one in audit_folder(target) if isinstance(one, Break)}
    assert name.rpartition(".")[0] in found or _in_prefix(log.read_bytes(), at)


def _in_prefix(data: bytes, at: int) -> bool:
    """Whether a place is in the base offset or the leader epoch of a batch."""
    start = 0
    while start < len(data):
        size = 12 + int.from_bytes(data[start + 8 : start + 12], "big")
        if start <= at < start + size:
            return not 8 <= at - start < 12 and at - start < 16
        start += size
    return False


@settings(deadline=None)
@given(st.text())
def test_any_text_is_a_checkpoint_or_is_refused(text: str) -> None:
    for found, lined in (checkpoint(text), leader_epochs(text)):
        assert isinstance(found, tuple)
        assert all(one.line >= 1 and one.remark[1] for one in lined)
    assert len(list(partition_metadata(text))) <= 1


@settings(deadline=None)
@given(st.lists(st.tuples(st.text("ab", min_size=1), st.integers(0, 9), st.integers(0, 2**63 - 1))))
def test_a_checkpoint_is_read_as_it_is_written(rows: list[tuple[str, int, int]]) -> None:
    unique = {(topic, partition): offset for topic, partition, offset in rows}
    lines = [f"{topic} {partition} {offset}" for (topic, partition), offset in unique.items()]
    found, lined = checkpoint("\n".join(["0", str(len(lines)), *lines, ""]))
    assert not lined
    assert {one.partition: one.offset for one in found} == {
        f"{topic}-{partition}": offset for (topic, partition), offset in unique.items()
    }


@settings(deadline=None)
@given(st.binary(max_size=300), st.integers(0, 2**63 - 1))
def test_any_bytes_are_a_snapshot_or_are_refused(data: bytes, name: int) -> None:
    for at, (rule, what) in snapshot_remarks(data, name, lambda _: 0):
        assert 0 <= at <= len(data)
        assert rule in {"SEG-160", "SEG-161"}
        assert what


def test_an_empty_index_asks_for_no_batch() -> None:
    walk = OffsetWalk(iter(()))
    assert walk.due > 2**62
    assert list(walk.end()) == []
