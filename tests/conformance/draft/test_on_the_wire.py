"""The draft on the wire: served in a profile, asked as any client would, told by a clause when it is wrong."""

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.draft.definitions import TAG, default_of
from conformance.run.session import Bench
from conformance.systems.model import Model
from conformance.wire.schema import schema
from spec.layout import Batch, Layout, Partition
from spec.max_records.axes import parse
from spec.max_records.clauses import asked
from spec.max_records.draft import drafted
from spec.max_records.profile import Profile
from spec.observation import FetchAnswer
from spec.semantics import semantics_for

FOURS = Partition((tuple([Batch(100, 4)] * 3),))
M01 = asked(Layout((FOURS, Partition((tuple([Batch(100, 4)] * 2),)))), 6, 1)


def identified(*arguments: str) -> tuple[int, str]:
    told = CliRunner().invoke(main, ["identify", "model", *arguments])
    return told.exit_code, told.output


@pytest.mark.parametrize("release", ["4.0.2", "4.3.1"])
@pytest.mark.parametrize("encoding", ["tagged", "plain"])
def test_case_m01_on_the_wire(release: str, encoding: str) -> None:
    """KAFKA-19554: batches of four records: a limit of 6 gives two of the first partition, 1 gives one."""
    profile = parse(f"encoding={encoding}")
    semantics = drafted(profile)(semantics_for(release.rpartition(".")[0]))
    with Model(release, draft=str(profile)) as model:
        bench = Bench(reach(*model.address, make_codec(profile)), semantics, "m01")
        played = bench.play_one(M01)
        bench.close()
    assert not played.judgement.breaks
    answers = [exchange.outcome for exchange in played.observation.exchanges]
    assert all(isinstance(answer, FetchAnswer) for answer in answers)
    records = [[sum(b.records for b in got.batches) for got in answer.partitions] for answer in answers if isinstance(answer, FetchAnswer)]
    assert records == [[12, 8], [12, 8], [8, 0], [4, 0]]


def test_a_run_names_the_profile_that_is_served() -> None:
    code, output = identified("--draft", "max-records", "--profile", "stop=before,encoding=plain,tail=free,zero=invalid,session=cached")
    assert code == 0, output
    named = next(line for line in output.splitlines() if line.startswith("PROFILE"))
    for reading in ("stop=before", "tail=free", "zero=invalid", "session=cached", "encoding=plain", "gaps=records|offsets"):
        assert reading in named


def test_a_fault_is_told_by_its_clause() -> None:
    code, output = identified("--draft", "max-records", "--fault", "max-records-skips-a-batch")
    assert code == 1
    assert "MXR-101 violates" in output


def test_a_broker_without_the_field_is_unsupported_and_never_passes() -> None:
    code, output = identified()
    assert code == 3
    assert "UNSUPPORTED" in output
    assert "conforms" not in output


@pytest.mark.parametrize(("profile", "default"), [("default", 0), ("zero=no_data", -1), ("zero=invalid,negative=failed", 2**31 - 1)])
def test_the_default_is_a_value_that_means_no_limit(profile: str, default: int) -> None:
    assert default_of(parse(profile)) == default


@pytest.mark.parametrize(("encoding", "version", "tag"), [("tagged", 19, TAG), ("plain", 19, None), ("unversioned", 12, TAG)])
def test_the_field_stands_where_the_profile_says(encoding: str, version: int, tag: int | None) -> None:
    definitions = make_codec(parse(f"encoding={encoding}")).definitions
    root = schema(definitions, "FetchRequest", version).root
    (field,) = [field for field in (*root.fields, *root.tagged) if field.key == "max_records"]
    assert (field.kind, field.tag) == ("int32", tag)
    assert (19 in definitions.versions("FetchRequest")) == (encoding != "unversioned")
    assert "max_records" not in [field.key for field in schema(definitions, "FetchRequest", 11).root.fields]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--profile", "stop=before"), "--draft max-records"),
        (("--draft", "max-records", "--profile", "stop=never"), "after, before"),
        (("--draft", "max-records", "--profile", "halt=after"), "scope, stop"),
    ],
)
def test_wrong_use_says_what_is_expected(arguments: tuple[str, ...], named: str) -> None:
    code, output = identified(*arguments)
    assert code == 2
    assert named in output


def test_a_draft_needs_the_served_model() -> None:
    told = CliRunner().invoke(main, ["identify", "--draft", "max-records"])
    assert told.exit_code == 2
    assert "served model" in told.output


def test_a_default_profile_is_shown_as_such() -> None:
    assert str(Profile()) == "default"
