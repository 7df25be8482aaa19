"""The form in which the catalogue is published; its JSON Schema comes from the same types."""

from typing import Annotated, Any

from msgspec import Meta, Struct

FORMAT = 1
"""Version of the form: fields are added without a new number, never renamed or taken away."""

Scenario = Annotated[
    dict[str, Any], Meta(description="a scenario file as `fencepost replay` and `explain` read it")
]
Observation = Annotated[
    dict[str, Any], Meta(description="what the model answers, in the canonical form")
]


class Source(Struct, frozen=True):
    """Where a clause is promised, or where Apache Kafka does it."""

    kind: Annotated[str, Meta(description="kip, documentation, code, report or draft")]
    text: Annotated[str, Meta(description="KIP and section, page, or file and lines of a release")]
    promise: Annotated[bool, Meta(description="it promises the rule; otherwise it shows it")]
    group: Annotated[str, Meta(description="what sources of one document share, such as KIP-932")]


class Never(Struct, frozen=True):
    """Sides of a fence that can't be met."""

    sides: Annotated[list[str], Meta(description="out of below, at, above")]
    reason: str


class Fence(Struct, frozen=True):
    """The boundary at which the outcome of a clause changes."""

    axis: Annotated[str, Meta(description="the quantity that moves")]
    unit: Annotated[str, Meta(description="what it is counted in: bytes, records, offsets, ...")]
    at: Annotated[str, Meta(description="the value that it is compared with")]
    meaning: Annotated[
        str, Meta(description="what a side stands for where it is not simply less, equal or more")
    ] = ""
    never: Never | None = None


class Reading(Struct, frozen=True):
    """One way to understand a text."""

    name: str
    statement: str
    modelled: Annotated[bool, Meta(description="the model can answer by it")]


class Answer(Struct, frozen=True):
    """The model's answers to a scenario under one reading."""

    reading: str
    observation: Observation


class Permitted(Struct, frozen=True):
    """Answers to a scenario that one reading permits and another forbids."""

    observation: Observation
    answered_as: Annotated[
        str, Meta(description="the reading that answers so; empty where Apache Kafka does")
    ]
    permits: Annotated[str, Meta(description="the reading that permits them")]
    forbids: Annotated[str, Meta(description="the reading that forbids them")]


class Case(Struct, frozen=True):
    """The smallest scenario found on which two readings differ."""

    readings: Annotated[list[str], Meta(description="the two")]
    tried: Annotated[int, Meta(ge=0, description="scenarios tried until it was found")]
    scenario: Scenario | None
    answers: Annotated[
        list[Answer],
        Meta(description="of each of the two; empty where the model does not answer by both"),
    ]
    note: Annotated[str, Meta(description="why there is none; empty where there is one")] = ""
    permitted: Annotated[
        Permitted | None,
        Meta(description="what distinguishes them where the model does not answer by both"),
    ] = None


class Question(Struct, frozen=True):
    """An open question of a draft, with its readings."""

    id: str
    name: str
    asks: str
    says: Annotated[str, Meta(description="what the text says or leaves out")]
    when: Annotated[str, Meta(description="when it arises; empty where always")]
    readings: Annotated[list[Reading], Meta(description="the default first")]
    cases: list[Case]


class Example(Struct, frozen=True):
    """A worked example; its answer is computed by the model, never written down."""

    title: str
    id: Annotated[str, Meta(description="the scenario's id")]
    scenario: Scenario
    release: Annotated[str, Meta(description="whose behaviour the answer shows")]
    observation: Observation


class Fault(Struct, frozen=True):
    """A planted fault that the clause must catch."""

    name: str
    subject: str
    expected: Annotated[str, Meta(description="violates, deviates, or conforms: a legal variant")]
    summary: str
    served: Annotated[bool, Meta(description="`fencepost serve --fault` can plant it")]


class Finding(Struct, frozen=True):
    """A known break of a named system."""

    clause: str
    signature: str
    system: str
    releases: Annotated[list[str], Meta(description="the releases that show it; empty for any")]
    reason: str
    evidence: str
    link: str
    rare: Annotated[bool, Meta(description="it happens now and then")]


class State(Struct, frozen=True):
    """The state of a clause by the last run on an implementation."""

    system: Annotated[str, Meta(description="the implementation, with its version where known")]
    release: Annotated[str, Meta(description="the Kafka release it was judged as")]
    run: str
    started: Annotated[str, Meta(description="UTC, ISO 8601")]
    state: Annotated[
        str,
        Meta(
            description=(
                "the most severe of violates, deviates, known, conforms, inconclusive, unsupported"
            )
        ),
    ]
    exercised: Annotated[int, Meta(ge=0, description="scenarios in which its condition arose")]


class Erratum(Struct, frozen=True):
    """A statement of a source that running brokers do not bear out."""

    source: str
    says: str
    found: str
    evidence: str


class Clause(Struct, frozen=True):
    """One checkable rule."""

    id: str
    slug: Annotated[str, Meta(description="the same as words: subject/theme/rule")]
    aliases: list[str]
    subject: str
    statement: str
    explanation: str
    strength: Annotated[str, Meta(description="must, reference or best_effort")]
    limit_class: Annotated[str, Meta(description="HARD, SOFT or EMERGENT")]
    releases: Annotated[
        list[str], Meta(description="whose requirement set names it, tested or excluded")
    ]
    timing_sensitive: bool
    excluded: Annotated[str | None, Meta(description="why it can't be tested; null where it can")]
    sources: list[Source]
    fence: Annotated[Fence | None, Meta(description="null where the clause has none")]
    readings: list[Reading]
    cases: Annotated[list[Case], Meta(description="what distinguishes its readings")]
    examples: list[Example]
    faults: list[Fault]
    findings: list[Finding]
    states: Annotated[list[State], Meta(description="from the runs given by --results")]


class Subject(Struct, frozen=True):
    """One area of limits."""

    name: str
    prefix: str
    draft: Annotated[str | None, Meta(description="the draft that brings it; null for Kafka's own")]
    requirement_sets: Annotated[dict[str, str], Meta(description="the newest one by release")]


class Draft(Struct, frozen=True):
    """A draft KIP, and what its text leaves open."""

    name: str
    issue: str
    title: str
    questions: list[Question]


class Catalogue(Struct, frozen=True):
    """Every clause of the catalogue, with what is known of each."""

    fencepost_catalogue: Annotated[int, Meta(description="version of this form")]
    fencepost: Annotated[str, Meta(description="version of the suite")]
    releases: Annotated[list[str], Meta(description="Kafka's, oldest first")]
    subjects: list[Subject]
    clauses: Annotated[
        list[Clause], Meta(description="by subject, in the order in which a break is diagnosed")
    ]
    drafts: list[Draft]
    variants: Annotated[
        list[Fault], Meta(description="legal variants: different behaviour that must pass")
    ]
    errata: Annotated[list[Erratum], Meta(description="of the sources and of the drafts")]
