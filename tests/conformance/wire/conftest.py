"""Kafka's definitions, the codec over them, and strategies that draw values of any message."""

import warnings
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import strategies as st

from conformance.systems.jars import clients_jar
from conformance.wire.codec import Codec
from conformance.wire.definitions import Definitions
from conformance.wire.schema import Field, Schema, Struct

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import kafka.protocol.admin  # noqa: F401 - kafka-python reads its schemas in a deprecated way as it is imported

NEWEST, OLDER = "4.4.0", "4.0.2"

INTEGERS = {
    "int8": (-(2**7), 2**7 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "uint16": (0, 2**16 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1),
}
KNOWN_ERROR_CODES = tuple(range(-1, 100))
LATEST_TIME = 2**41
TEXT = st.text(st.characters(codec="utf-8"), max_size=12)


def elements(field: Field) -> st.SearchStrategy[Any]:
    if field.key == "error_code" or field.key.endswith("_error_code"):
        return st.sampled_from(KNOWN_ERROR_CODES)
    if field.kind in {"int32", "int64"} and ("_ms" in field.key or "time" in field.key):
        return st.integers(0, LATEST_TIME if field.kind == "int64" else 2**31 - 1)
    if field.kind in INTEGERS:
        return st.integers(*INTEGERS[field.kind])
    if field.kind == "bool":
        return st.booleans()
    if field.kind == "float64":
        return st.floats(allow_nan=False, allow_infinity=False)
    if field.kind == "uuid":
        return st.binary(min_size=16, max_size=16).filter(
            any
        )  # the others read a UUID of zeros as None
    if field.kind == "string":
        return TEXT | st.just("long " * 40)
    if field.struct is not None:
        return structs(field.struct)
    return st.binary(max_size=40) | st.just(b"\0\xff" * 100)


def fields(field: Field) -> st.SearchStrategy[Any]:
    drawn = elements(field)
    if field.array:
        drawn = st.lists(drawn, min_size=1, max_size=2)
    return st.none() | drawn if field.nullable else drawn


def structs(struct: Struct) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {each.key: fields(each) for each in (*struct.fields, *struct.tagged)}
    )


@pytest.fixture(scope="session")
def definitions() -> Definitions:
    return Definitions.from_jars([clients_jar(NEWEST), clients_jar(OLDER)])


@pytest.fixture(scope="session")
def codec(definitions: Definitions) -> Codec:
    return Codec(definitions)


@pytest.fixture(scope="session")
def values() -> Callable[[Schema], st.SearchStrategy[dict[str, Any]]]:
    """A strategy for whole, non-empty values of a message: every array has an element."""
    return lambda schema: structs(schema.root)
