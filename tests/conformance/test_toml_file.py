"""A findings or facts file of any content is read or is wrong use."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.facts import FactsError, read_facts_file
from conformance.findings.file import FindingsError, read_findings
from conformance.misuse import BadConfiguration
from conformance.toml_file import DEEPEST, MOST_BYTES, read_toml

ENTRY = 'clause = "FET-010"\nsignature = "x"\nreason = "x"\nevidence = "x"\n'


@pytest.mark.parametrize(
    "content",
    [
        "x = " + "[" * 2000 + "]" * 2000,
        "x = " + "9" * 5000,
        "x = 0x" + "f" * 5000,
        "x = " + "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1),
        "#" * (MOST_BYTES + 1),
        "\x00",
    ],
    ids=["deep", "large", "large in hexadecimal", "a little too deep", "long", "no text"],
)
def test_what_no_file_of_ours_holds_is_wrong_use(tmp_path: Path, content: str) -> None:
    file = tmp_path / "file.toml"
    file.write_text(content)
    with pytest.raises(FindingsError):
        read_findings(file)
    with pytest.raises(FactsError):
        read_facts_file(file)


def test_bytes_that_are_no_text_are_said_to_be_none(tmp_path: Path) -> None:
    file = tmp_path / "file.toml"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FactsError, match="not text") as found:
        read_facts_file(file)
    assert str(file) in str(found.value)
    assert "codec" not in str(found.value)


def test_an_endless_file_is_not_read_to_its_end() -> None:
    with pytest.raises(FactsError, match="at most 1048576 bytes"):
        read_facts_file(Path("/dev/zero"))


@pytest.mark.parametrize("value", ["[[]]", "[{}]", "[1]", "{}", "1", "[1979-05-27]"])
def test_sides_that_are_none_are_wrong_use(tmp_path: Path, value: str) -> None:
    file = tmp_path / "file.toml"
    file.write_text(f"[[finding]]\n{ENTRY}happens = {{ FET-010 = {value} }}\n")
    with pytest.raises(FindingsError, match="expected sides out of"):
        read_findings(file)


VALUES = st.recursive(
    st.sampled_from(
        ["1", "-1", "0x7f", "1.5", "inf", "true", '"text"', "1979-05-27", "07:32:00", "''"]
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda each: f"[{', '.join(each)}]"),
        inner.map(lambda each: f"{{ FET-010 = {each} }}"),
    ),
    max_leaves=5,
)


@given(
    values=st.dictionaries(
        st.sampled_from(["clause", "signature", "releases", "expires", "happens", "rare", "link"]),
        VALUES,
    )
)
@settings(max_examples=150, deadline=None)
def test_an_entry_of_any_values_is_read_or_is_wrong_use(
    tmp_path_factory: pytest.TempPathFactory, values: dict[str, str]
) -> None:
    file = tmp_path_factory.mktemp("toml") / "file.toml"
    known = dict.fromkeys(("reason", "evidence", "signature"), '"x"') | {"clause": '"FET-010"'}
    lines = [f"{name} = {value}\n" for name, value in {**known, **values}.items()]
    file.write_text("".join(["[[finding]]\n", *lines]))
    said = str(file)
    try:
        read = read_findings(file)
    except FindingsError as refused:
        said = str(refused)
    else:
        assert len(read) == 1
    assert str(file) in said


def test_a_file_that_can_be_read_is(tmp_path: Path) -> None:
    file = tmp_path / "file.toml"
    file.write_text("x = [1, {a = 9223372036854775807}]")
    assert read_toml(file, "file", BadConfiguration) == {"x": [1, {"a": 2**63 - 1}]}
