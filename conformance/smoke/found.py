"""The result of a look at a broker: the form of `fencepost smoke --json`."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated

from msgspec import Meta

from spec.frozen import frozen

FORMAT = 1
"""Version of the form: fields are added without a new number, never renamed or taken away."""


@frozen
class Api:
    """An API that a run asks."""

    name: str
    purpose: str
    advertised: Annotated[
        tuple[int, int] | None, Meta(description="lowest and highest version; null: not at all")
    ]
    known: Annotated[tuple[int, int], Meta(description="the versions that Fencepost has")]
    usable: Annotated[bool, Meta(description="some version is both advertised and known")]
    without: Annotated[
        tuple[str, ...],
        Meta(description="subjects, groups of clauses and clauses that can't be tried without it"),
    ] = ()
    fewer: Annotated[
        tuple[str, ...], Meta(description="those that lose some scenarios without it")
    ] = ()


@frozen
class Limit:
    """A config that the model needs."""

    config: str
    value: Annotated[int | None, Meta(description="null: the broker does not report it")]
    cost: Annotated[str, Meta(description="what is done where it is not reported")] = ""


@frozen
class Trial:
    """Something that was tried on the broker."""

    name: str
    ok: bool
    why: Annotated[str, Meta(description="expected against found, where it failed")] = ""
    breaks: Annotated[
        tuple[str, ...], Meta(description="clauses that its answers break already")
    ] = ()
    fewer: Annotated[
        tuple[str, ...], Meta(description="subjects that lose some scenarios where it failed")
    ] = ()


@frozen
class Subject:
    """A subject of a run."""

    name: str
    runs: Annotated[bool, Meta(description="a run with --subject NAME would exercise clauses")]
    requirement_set: str
    clauses: Annotated[int, Meta(description="how many of its clauses count")]
    tried: Annotated[int, Meta(description="how many of them could be tried")]
    why: Annotated[str, Meta(description="why it does not run")] = ""
    missing: Annotated[
        tuple[str, ...], Meta(description="ids of the clauses that count and can't be tried")
    ] = ()
    in_files: Annotated[
        tuple[str, ...],
        Meta(
            description="those of them that need files in the broker's data folder, which a broker "
            "that Fencepost starts alone shows"
        ),
    ] = ()


@frozen
class Smoke:
    """What a look at a broker shows."""

    fencepost_smoke: Annotated[int, Meta(description="version of this format")]
    address: str
    testable: bool
    exit_code: Annotated[int, Meta(description="0 testable, 2 a facts file is needed, 3 not")]
    sentence: str
    seconds: float
    release: Annotated[str | None, Meta(description="the Kafka release it would be judged as")] = (
        None
    )
    implementation: str | None = None
    brokers: int | None = None
    notes: tuple[str, ...] = ()
    subjects: tuple[Subject, ...] = ()
    apis: tuple[Api, ...] = ()
    limits: tuple[Limit, ...] = ()
    trials: tuple[Trial, ...] = ()
    left: Annotated[tuple[str, ...], Meta(description="what was made and not removed")] = field(
        default=()
    )
