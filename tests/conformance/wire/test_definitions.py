import zipfile
from pathlib import Path

import pytest

from conformance.wire.codec import Codec
from conformance.wire.definitions import DefinitionError, Definitions, Message, parse, version_range
from conformance.wire.schema import schema, snake_case


def test_version_ranges_are_read_in_every_form_that_definitions_use() -> None:
    assert version_range("4-18") == range(4, 19)
    assert version_range("3") == range(3, 4)
    assert 32767 in version_range("12+")
    assert 11 not in version_range("12+")
    assert not version_range("none")


def test_comments_are_dropped_and_slashes_in_strings_are_kept() -> None:
    assert parse('// top\n{"a": "http://x", // tail\n "b": 1}') == {"a": "http://x", "b": 1}


def test_names_become_snake_case_with_acronyms_kept_together() -> None:
    assert [
        snake_case(each)
        for each in ("PartitionMaxBytes", "KRaftVersion", "LastKnownElr", "TopicId")
    ] == [
        "partition_max_bytes",
        "k_raft_version",
        "last_known_elr",
        "topic_id",
    ]


def test_an_older_jar_adds_the_versions_that_the_newest_lacks(definitions: Definitions) -> None:
    newest = Definitions(definitions.jars[:1])
    assert 0 not in newest.versions("ShareFetchRequest")
    assert 0 in definitions.versions("ShareFetchRequest")
    assert definitions.message("ShareFetchRequest", 0)["validVersions"] == "0"
    assert definitions.message("ShareFetchRequest", 2) == newest.message("ShareFetchRequest", 2)
    assert (
        schema(definitions, "ShareFetchRequest", 0).root.fields[-1].key == "forgotten_topics_data"
    )


def test_api_keys_have_their_names(definitions: Definitions) -> None:
    names = definitions.api_names
    assert (names[0], names[1], names[18], names[78]) == (
        "Produce",
        "Fetch",
        "ApiVersions",
        "ShareFetch",
    )


def test_a_removed_api_has_no_versions(definitions: Definitions) -> None:
    assert not definitions.versions("LeaderAndIsrRequest")
    with pytest.raises(DefinitionError, match="has no version 4; known versions: none"):
        definitions.message("LeaderAndIsrRequest", 4)


def test_a_draft_kip_is_a_patch_in_memory_that_leaves_the_original_alone(
    definitions: Definitions,
) -> None:
    def add_max_records(message: Message) -> Message:
        message["validVersions"] = "4-19"
        message["fields"].append(
            {"name": "MaxRecords", "type": "int32", "versions": "19+", "default": "0"}
        )
        return message

    def one_version_more(message: Message) -> Message:
        return message | {"validVersions": "4-19"}

    drafted = definitions.with_message("FetchRequest", add_max_records).with_message(
        "FetchResponse", one_version_more
    )
    draft = Codec(drafted).request("Fetch", 19)
    before = Codec(drafted).request("Fetch", 18)
    with_field = draft.encode_ahead({"max_records": 7}).body
    assert len(with_field) == len(before.encode_ahead({}).body) + 4
    assert draft.decode_body(with_field).value["max_records"] == 7
    assert definitions.versions("FetchRequest") == range(4, 19)


def test_a_missing_or_wrong_jar_is_named(tmp_path: Path) -> None:
    missing = Definitions.from_jars([tmp_path / "no.jar"])
    with pytest.raises(DefinitionError, match=r"expected a kafka-clients jar at .*no\.jar"):
        missing.messages("FetchRequest")
    with zipfile.ZipFile(tmp_path / "other.jar", "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", "")
    with pytest.raises(DefinitionError, match="is it a kafka-clients jar"):
        Definitions.from_jars([tmp_path / "other.jar"]).messages("FetchRequest")
    with pytest.raises(DefinitionError, match="at least one"):
        Definitions.from_jars([])


def test_unknown_messages_and_types_are_named(definitions: Definitions) -> None:
    with pytest.raises(DefinitionError, match="no message 'NoSuchRequest'"):
        definitions.message("NoSuchRequest", 0)

    def odd_type(message: Message) -> Message:
        message["fields"].append({"name": "Odd", "type": "int7", "versions": "0+"})
        return message

    with pytest.raises(DefinitionError, match="field Odd: unknown type 'int7'"):
        schema(definitions.with_message("FetchRequest", odd_type), "FetchRequest", 12)


@pytest.mark.parametrize("name", ['Odd"]; import os #', "Odd{end}", "Odd Name", ""])
@pytest.mark.parametrize("part", ["name", "type"])
def test_no_code_is_made_of_a_name_that_is_none(
    definitions: Definitions, part: str, name: object
) -> None:
    def odd(message: Message) -> Message:
        field = {
            "name": "Odd",
            "type": "Odd",
            "versions": "0+",
            "fields": [{"name": "A", "type": "int8", "versions": "0+"}],
        }
        message["fields"].append({**field, part: name if part == "name" else f"[]{name}"})
        return message

    with pytest.raises(DefinitionError, match="expected a name of letters, digits and _"):
        schema(definitions.with_message("FetchRequest", odd), "FetchRequest", 12)


def test_a_name_that_is_no_text_is_refused(definitions: Definitions) -> None:
    def odd(message: Message) -> Message:
        message["fields"].append({"name": 5, "type": "int8", "versions": "0+"})
        return message

    with pytest.raises(DefinitionError, match="expected a name of letters, digits and _, found 5"):
        schema(definitions.with_message("FetchRequest", odd), "FetchRequest", 12)


def test_a_tag_is_a_number(definitions: Definitions) -> None:
    def odd(message: Message) -> Message:
        message["fields"].append(
            {
                "name": "Odd",
                "type": "int8",
                "versions": "0+",
                "taggedVersions": "0+",
                "tag": "7: 0, __import__",
            }
        )
        return message

    with pytest.raises(DefinitionError, match="expected a tag that is a number"):
        schema(definitions.with_message("FetchRequest", odd), "FetchRequest", 12)


def test_a_definition_that_nests_without_end_is_refused(definitions: Definitions) -> None:
    def endless(message: Message) -> Message:
        message["fields"][0] = {"name": "Loop", "type": "Loop", "versions": "0+"}
        message["commonStructs"] = [
            {"name": "Loop", "versions": "0+", "fields": [message["fields"][0]]}
        ]
        return message

    with pytest.raises(DefinitionError, match="nest deeper"):
        schema(definitions.with_message("FetchRequest", endless), "FetchRequest", 12)
