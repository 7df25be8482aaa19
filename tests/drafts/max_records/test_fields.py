"""Fields that a draft adds to a request stand beside its own in a scenario file, as they did before
they were general.
"""

import pytest

from drafts.max_records.change import limited_to
from spec.bounds import BoundsError, validate
from spec.canonical import FormatError, from_json, identity, read_scenario, to_plain, write_scenario
from spec.fetch.steps import Fetch, FetchPartition
from spec.layout import Batch, Layout, Partition
from spec.scenario import Scenario

LAYOUT = Layout((Partition(((Batch(100),),)),))
ASKED = Scenario(
    LAYOUT, (Fetch((FetchPartition(0, 0),), version=19, extra=limited_to(3), quota=500),)
)


def test_a_draft_field_stands_beside_the_requests_own() -> None:
    (step,) = to_plain(ASKED)["steps"]
    assert list(step) == ["kind", "partitions", "version", "max_records", "quota"]
    assert step["max_records"] == 3


def test_an_old_file_is_read_and_its_id_stays() -> None:
    assert read_scenario(write_scenario(ASKED)) == ASKED
    assert identity(ASKED) == "7793d23777a86c78"


def test_a_field_that_no_draft_adds_is_refused() -> None:
    with pytest.raises(FormatError, match="Fetch has no field 'most_records'"):
        from_json(
            Scenario,
            write_scenario(ASKED)
            .replace("max_records", "most_records")
            .replace('"fencepost_scenario": 1,', ""),
        )


def test_a_draft_field_is_a_number_in_its_range() -> None:
    with pytest.raises(FormatError, match=r"max_records: expected int, found 'a'"):
        read_scenario(write_scenario(ASKED).replace('"max_records": 3', '"max_records": "a"'))
    wide = Scenario(LAYOUT, (Fetch((FetchPartition(0, 0),), extra=limited_to(2**31)),))
    with pytest.raises(BoundsError, match=r"\$\.steps\[0\]\.max_records: expected an int32"):
        validate(wide)
