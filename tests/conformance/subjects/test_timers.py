"""The table of timers and remembered parameters names what there is, and leaves out nothing that a
model has.
"""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

import spec
from conformance.faults.planted import Expected
from conformance.subjects.registry import CLIENT_RUNNERS, RUNNERS
from spec.catalogue import catalogue
from tests.conformance.subjects.timers import (
    CACHES,
    NO_TIMERS,
    REPEATS,
    TIMERS,
    Caught,
    Cell,
    Decided,
    Open,
    cells,
    page,
)

ROOT = Path(__file__).resolve().parents[3]
STATES = re.compile(r"spec\.(\w+\.model(\.\w+)?|replica|\w+\.(topic|settings|timeline))")
"""The modules whose dataclasses are states of a broker, or its settings."""
CLIENTS = "spec.fairness."
"""What a client under test is, not a broker."""
TIME = re.compile(r".*(_ms|_due|_s)|seen|since|deadline|began|delay_left|awaiting")
"""The names of fields that hold a time."""
REMEMBERED = frozenset(
    {
        "spec.fetch.model.session:Cached",
        "spec.fetch.model.session:Session",
        "spec.share.model.session:ShareSession",
        "spec.share.model.settings:Settings",
        "spec.groups.releases:Limits",
        "spec.replica:ProducerState",
    }
)
"""The classes all of whose fields are remembered between requests."""
NAMED = {field for row in (*TIMERS, *CACHES) for field in row.fields}
FAULTS = {
    runner.subject: {
        fault.name for fault in runner.faults if fault.expected is not Expected.CONFORMS
    }
    for runner in RUNNERS
}


def resolved(name: str) -> object:
    """What `module:NAME` stands for."""
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(module), attribute)


def of_models() -> Iterator[str]:
    """Each field of a model that holds a time, or a parameter that is remembered."""
    for info in pkgutil.walk_packages(spec.__path__, "spec."):
        module = importlib.import_module(info.name)
        for name, found in vars(module).items():
            place = f"{info.name}:{name}"
            if not (isinstance(found, type) and is_dataclass(found)):
                continue
            if found.__module__ != info.name or info.name.startswith(CLIENTS):
                continue
            for field in fields(found):
                timed = STATES.fullmatch(info.name) and TIME.fullmatch(field.name)
                if timed or place in REMEMBERED:
                    yield f"{place}.{field.name}"


@pytest.mark.parametrize(
    ("subject", "cell"),
    [pytest.param(subject, cell, id=place) for subject, place, cell in cells()],
)
def test_a_cell_names_what_there_is(subject: str, cell: Cell) -> None:
    match cell:
        case Caught(fault):
            assert fault in FAULTS[subject]
        case Decided(clause):
            assert clause in catalogue()
        case Open(reason):
            assert len(reason.split()) > 3


def test_every_timer_and_every_remembered_parameter_of_the_models_is_in_the_table() -> None:
    found = set(of_models())
    assert found - NAMED - NO_TIMERS.keys() == set()
    assert (NAMED | NO_TIMERS.keys()) - found == set()


def test_each_timer_has_two_settings_or_a_reason() -> None:
    for timer in TIMERS:
        if isinstance(timer.settings, str):
            values = resolved(timer.settings)
            assert isinstance(values, tuple)
            assert len(set(values)) >= 2, timer.name


def test_each_subject_whose_broker_is_judged_is_in_the_table() -> None:
    subjects = {row.subject for row in (*TIMERS, *CACHES, *REPEATS)}
    assert subjects == {runner.subject for runner in RUNNERS} - CLIENT_RUNNERS.keys()


def test_the_page_is_made_from_the_table() -> None:
    assert (ROOT / "docs/timers.md").read_text("utf-8").splitlines() == list(page())
