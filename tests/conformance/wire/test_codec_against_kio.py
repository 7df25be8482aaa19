"""Our codec and kio's, which was made from the same definitions by others, must agree to the
byte.
"""

import datetime as dt
import io
import typing
from collections.abc import Callable
from dataclasses import fields as members
from importlib import import_module
from types import NoneType
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kio.schema.errors import ErrorCode
from kio.serial import entity_reader, entity_writer
from kio.serial.writers import write_unsigned_varint
from kio.static.primitive import uvarint

from conformance.wire import decoding, encoding
from conformance.wire.codec import Codec
from conformance.wire.schema import Schema, snake_case

Values = Callable[[Schema], st.SearchStrategy[dict[str, Any]]]

VERSIONS = {
    "Fetch": range(4, 18),
    "Produce": range(3, 13),
    "Metadata": range(13),
    "ListOffsets": range(1, 11),
    "CreateTopics": range(2, 8),
    "DescribeConfigs": range(1, 5),
    "ApiVersions": range(5),
    "FindCoordinator": range(7),
    "InitProducerId": range(6),
    "AddPartitionsToTxn": range(6),
    "EndTxn": range(6),
    "DeleteRecords": range(3),
    "ShareFetch": range(1, 2),
    "ShareAcknowledge": range(1, 2),
    "ConsumerGroupHeartbeat": range(2),
    "DescribeTopicPartitions": range(1),
    "OffsetFetch": range(1, 10),
}
MESSAGES = [
    (api, version, kind)
    for api, versions in VERSIONS.items()
    for version in versions
    for kind in ("Request", "Response")
]
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def kio_class(api: str, version: int, kind: str) -> Any:
    module = import_module(f"kio.schema.{snake_case(api)}.v{version}.{kind.lower()}")
    return getattr(module, f"{api}{kind}")


def inner_type(hint: Any) -> Any:
    """The type inside `X | None` and `tuple[X, ...]`."""
    while typing.get_args(hint):
        hint = next(each for each in typing.get_args(hint) if each not in {NoneType, Ellipsis})
    return hint


def as_kio(kind: str, hint: Any, value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, list):
        return tuple(as_kio(kind, hint, each) for each in value)
    if isinstance(value, dict):
        return build(inner_type(hint), value)
    if kind == "error_code":
        return ErrorCode(value)
    if kind.startswith("timedelta"):
        return dt.timedelta(milliseconds=value)
    if kind == "datetime_i64":
        return EPOCH + dt.timedelta(milliseconds=value)
    if kind == "uuid":
        return UUID(bytes=value) if any(value) else None
    return value


def build(cls: Any, value: dict[str, Any]) -> Any:
    made = {}
    for each in members(cls):
        # kio drops the unit of a time from its name, since it carries the time as a timedelta or
        # datetime
        key = each.name if each.name in value else f"{each.name}_ms"
        made[each.name] = as_kio(each.metadata.get("kafka_type", ""), each.type, value[key])
    return cls(**made)


@pytest.mark.parametrize(("api", "version", "kind"), MESSAGES)
def test_the_same_value_has_the_same_bytes_and_is_read_back_alike(
    codec: Codec, values: Values, api: str, version: int, kind: str
) -> None:
    ours = codec.message(f"{api}{kind}", version)
    cls = kio_class(api, version, kind)
    write, read = entity_writer(cls), entity_reader(cls)

    @settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
    @given(values(ours.schema))
    def agree(value: dict[str, Any]) -> None:
        entity = build(cls, value)
        buffer = io.BytesIO()
        write(buffer, entity)
        data = ours.encode(value)
        assert data.hex() == buffer.getvalue().hex()
        assert ours.decode(data) == (value, 0)
        assert read(data, 0) == (entity, len(data))

    agree()


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_varints_are_those_of_kio(number: int) -> None:
    buffer = io.BytesIO()
    write_unsigned_varint(buffer, uvarint(number))
    data = encoding.unsigned_varint(number)
    assert data == buffer.getvalue()
    assert decoding.unsigned_varint(data, 0) == (number, len(data))
