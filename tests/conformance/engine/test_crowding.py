"""A broker that takes few connections is distinguished from one that is gone."""

from __future__ import annotations

import pytest

from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.engine.crowding import connections_answered, crowded_note
from conformance.serve.settings import Settings
from tests.conformance.serve.listening import serving


@pytest.mark.parametrize(("limit", "answered"), [(5, 5), (1024, 8)])
def test_connections_are_counted_up_to_those_that_are_taken(limit: int, answered: int) -> None:
    with serving(Settings("4.3.1", {"max.connections": str(limit)})) as state:
        cluster = reach(state.host, state.port, make_codec())
        assert connections_answered(cluster, 8) == answered


def test_the_note_says_what_to_raise() -> None:
    with serving(Settings("4.3.1", {"max.connections": "5"})) as state:
        note = crowded_note(reach(state.host, state.port, make_codec()))
    assert "answers on 5 connections at a time" in note
    assert "max.connections.per.ip" in note


def test_nothing_is_said_of_one_that_takes_enough_or_is_gone() -> None:
    with serving(Settings("4.3.1")) as state:
        cluster = reach(state.host, state.port, make_codec())
        assert crowded_note(cluster) == ""
    assert crowded_note(cluster) == ""
