"""Our codec and kafka-python's must agree to the byte (kafka-python knows no share groups)."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import kafka.protocol.admin
import kafka.protocol.consumer
import kafka.protocol.metadata
import kafka.protocol.producer
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.wire.codec import Codec
from conformance.wire.schema import Schema

Values = Callable[[Schema], st.SearchStrategy[dict[str, Any]]]

VERSIONS = {
    "Fetch": range(4, 18),
    "Produce": range(3, 13),
    "Metadata": range(13),
    "ListOffsets": range(1, 11),
    "CreateTopics": range(2, 8),
    "DescribeConfigs": range(1, 5),
    "ApiVersions": range(4),
    "FindCoordinator": range(7),
    "InitProducerId": range(6),
    "AddPartitionsToTxn": range(6),
    "EndTxn": range(6),
    "DeleteRecords": range(3),
}
PACKAGES = (
    kafka.protocol.consumer,
    kafka.protocol.producer,
    kafka.protocol.admin,
    kafka.protocol.metadata,
)
CHANGED = {"Metadata": 8, "ApiVersions": 1}
"""Responses that kafka-python reads differently on purpose from this version on: bit sets, and
version 0 on any error.
"""

MESSAGES = [
    (api, version, kind)
    for api, versions in VERSIONS.items()
    for version in versions
    for kind in ("Request", "Response")
    if kind == "Request" or version < CHANGED.get(api, 99)
]


def kafka_python_class(name: str) -> Any:
    return next(getattr(package, name) for package in PACKAGES if hasattr(package, name))


def theirs(cls: Any, field: Any, value: Any, version: int) -> Any:
    if isinstance(value, list):
        return [theirs(cls, field, each, version) for each in value]
    if isinstance(value, dict):
        return build(getattr(cls, field.type_str), value, version)
    if isinstance(value, bytes) and field.type_str.endswith("uuid"):
        return UUID(bytes=value)
    return value


def build(cls: Any, value: dict[str, Any], version: int) -> Any:
    known = cls._struct.fields
    return cls(
        version=version,
        **{key: theirs(cls, known[key], each, version) for key, each in value.items()},
    )


def ours(found: Any) -> Any:
    """What kafka-python decoded, with bytes for its views and UUIDs."""
    if isinstance(found, dict):
        return {key: ours(each) for key, each in found.items()}
    if isinstance(found, list | tuple):
        return [ours(each) for each in found]
    if isinstance(found, UUID):
        return found.bytes
    return bytes(found) if isinstance(found, memoryview) else found


@pytest.mark.parametrize(("api", "version", "kind"), MESSAGES)
def test_the_same_value_has_the_same_bytes_and_is_read_back_alike(
    codec: Codec, values: Values, api: str, version: int, kind: str
) -> None:
    message = codec.message(f"{api}{kind}", version)
    cls = kafka_python_class(f"{api}{kind}")

    @settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
    @given(values(message.schema))
    def agree(value: dict[str, Any]) -> None:
        data = message.encode(value)
        assert data.hex() == build(cls, value, version).encode(version=version).hex()
        assert message.decode(data) == (value, 0)
        assert ours(cls.decode(data, version=version).to_dict(json=False)) == value

    agree()
