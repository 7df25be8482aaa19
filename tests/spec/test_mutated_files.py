"""A scenario file comes from anywhere: whatever stands in it, it is read, or refused as what it
is.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spec.canonical import FormatError, read_scenario, write_scenario
from spec.catalogue import examples

FILES = [write_scenario(example.scenario) for found in examples().values() for example in found]
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from(
        [2**31, -(2**31), 2**63, -(2**63), 10**9, 10**40, 0.5, float("nan"), float("inf")]
    ),
    st.text(max_size=5),
    st.sampled_from(["fetch", "share", "own", "next", "\ud800", "x" * 40_000, "1" * 5000]),
    st.lists(st.integers(-2, 2), max_size=3),
    st.dictionaries(st.sampled_from(["kind", "size", "txn"]), st.integers(-1, 1), max_size=2),
)


def places(plain: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key) in plain data."""
    keys = (
        plain if isinstance(plain, dict) else range(len(plain)) if isinstance(plain, list) else ()
    )
    for key in keys:
        yield plain, key
        yield from places(plain[key])


@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(FILES), st.data())
def test_a_mutated_file_is_read_or_refused(text: str, data: st.DataObject) -> None:
    plain = json.loads(text)
    for _ in range(data.draw(st.integers(1, 3))):
        container, key = data.draw(st.sampled_from(list(places(plain))))
        how = data.draw(st.sampled_from(["replace", "drop", "repeat"]))
        if how == "replace":
            container[key] = data.draw(ODD)
        elif how == "drop":
            del container[key]
        elif isinstance(container, list):
            container.insert(key, container[key])
        if not plain:
            break
    with suppress(FormatError):
        read_scenario(json.dumps(plain))
