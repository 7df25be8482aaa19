"""`fencepost import`: a real segment becomes a scenario that is drawn and played, and that holds
nothing of its records.
"""

import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.audit.shapes import nearest_writable_shape, shapes_of
from conformance.cli import main
from conformance.misuse import BadConfiguration
from conformance.wire.sizing import minimum_size
from spec.canonical import read_scenario
from spec.disk.shapes import Shape
from spec.layout import Batch, Codec, Marker
from spec.log import log_of
from spec.model import answer_all
from spec.releases import semantics_for


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["import", *arguments])


def test_a_segment_becomes_a_scenario_of_the_same_batches(folder: Path) -> None:
    for path in sorted(folder.rglob("*.log")):
        stored = list(shapes_of(path, 10_000)) if path.stat().st_size else []
        if not stored:
            continue
        result = run(str(path), "--out", str(folder / "scenario.json"))
        assert result.exit_code == 0, result.output
        scenario = read_scenario((folder / "scenario.json").read_bytes())
        (partition,) = scenario.layout.partitions
        log = log_of(partition)
        kept = [one for one in stored if one.ends is None]
        batches = [one for one in partition.entries() if isinstance(one, Batch)]
        assert [one.records for one in batches] == [one.records for one in kept]
        assert log.end <= stored[-1].last - stored[0].base + 1
        assert len(answer_all(scenario, semantics_for("4.3")).exchanges) == 1


def test_an_aborted_transaction_is_one(folder: Path) -> None:
    result = run(str(folder / "aborted-0/00000000000000000000.log"))
    (partition,) = read_scenario(result.stdout).layout.partitions
    assert [one.commit for one in partition.entries() if isinstance(one, Marker)] == [False]


def test_nothing_of_the_records_is_in_it(folder: Path) -> None:
    result = run(str(folder / "plain-0/00000000000000000000.log"))
    assert "vvvv" not in result.output


def test_so_many_batches_are_taken(folder: Path) -> None:
    result = run(str(folder / "plain-0/00000000000000000000.log"), "--batches", "2")
    (partition,) = read_scenario(result.stdout).layout.partitions
    assert len(list(partition.entries())) == 2


def test_what_is_no_segment_is_refused(folder: Path) -> None:
    empty = folder / "compacted-0/00000000000000000000.log"
    empty.write_bytes(b"")
    for path in (folder / "meta.properties", empty):
        result = run(str(path))
        assert result.exit_code == 2
        assert "expected the .log of a segment" in result.output


@settings(deadline=None)
@given(st.integers(61, 400), st.integers(1, 30), st.sampled_from(Codec))
def test_a_shape_is_changed_only_where_no_batch_has_it(
    size: int, records: int, codec: Codec
) -> None:
    shape = Shape(0, records - 1, size, records, codec, 2, -1, transactional=False, ends=None)
    made = nearest_writable_shape(shape)
    assert made.size >= minimum_size(records, made.codec.value)
    assert nearest_writable_shape(made) == made
    assert (made == shape) == (size >= minimum_size(records, codec.value))


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_segment_or_are_refused(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as work:
        path = Path(work) / "some.log"
        path.write_bytes(data)
        try:
            shapes = list(shapes_of(path, 10))
        except BadConfiguration:
            return
        assert shapes


def test_a_file_that_is_gone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadConfiguration, match="found none"):
        list(shapes_of(tmp_path / "gone.log", 1))
