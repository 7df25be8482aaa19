"""The catalogue in its published form, gathered from `spec` and what the caller knows besides."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field

from results.specification import form
from spec import clause as made
from spec.canonical import file_form, identity, to_plain
from spec.catalogue import clauses_of, examples
from spec.draft_registry import draft_of, drafts
from spec.errata import ERRATA
from spec.fence import Fence
from spec.frozen import frozen
from spec.model import answer_all
from spec.readings import Axis
from spec.releases import RELEASES
from spec.requirement_set import RequirementSet
from spec.requirements import UnknownRequirementSetError, requirement_set
from spec.subject import Subject
from spec.subject_registry import SUBJECTS
from spec.worked import semantics_of

_KINDS: Mapping[type, str] = {
    made.KIP: "kip",
    made.Doc: "documentation",
    made.Code: "code",
    made.Report: "report",
    made.Draft: "draft",
}
_PROMISES = (made.KIP, made.Doc, made.Draft)


@frozen
class Known:
    """Knowledge of the clauses outside `spec`.

    Attributes:
        faults: every planted fault, with the id of the clause that must catch it; empty for a
            legal variant.
        findings: the known breaks.
        states: what the last runs say, by clause.
        cases: what distinguishes the readings of a clause or of a draft's question, by its id.
    """

    faults: tuple[tuple[str, form.Fault], ...] = ()
    findings: tuple[form.Finding, ...] = ()
    states: Mapping[str, tuple[form.State, ...]] = field(default_factory=dict)
    cases: Mapping[str, tuple[form.Case, ...]] = field(default_factory=dict)


def catalogue_form(
    known: Known, version: str, wanted: Callable[[str], bool] = lambda _: True
) -> form.Catalogue:
    """The whole catalogue, or those of its clauses and questions whose id is wanted.

    Args:
        known: what `spec` itself does not hold.
        version: of the suite.
        wanted: whether a clause or a draft's question is to be in it, by its id; a draft without
            any is left out.
    """
    return form.Catalogue(
        fencepost_catalogue=form.FORMAT,
        fencepost=version,
        releases=list(RELEASES),
        subjects=[_subject(subject) for subject in SUBJECTS],
        clauses=[clause for subject in SUBJECTS for clause in _clauses(subject, known, wanted)],
        drafts=[
            form.Draft(one.name, one.issue, one.title, questions)
            for one in drafts()
            if (questions := [_question(axis, known) for axis in one.axes if wanted(axis.id)])
        ],
        variants=[fault for clause, fault in known.faults if not clause],
        errata=[
            form.Erratum(one.source, one.says, one.found, one.evidence)
            for one in (*ERRATA, *[erratum for draft in drafts() for erratum in draft.errata])
        ],
    )


def reading_forms(axis: Axis) -> list[form.Reading]:
    """The readings of an axis."""
    return [form.Reading(one.name, one.statement, one.name in axis.ways) for one in axis.readings]


def _subject(subject: Subject) -> form.Subject:
    draft = draft_of(subject.name)
    return form.Subject(
        name=subject.name,
        prefix=subject.prefix,
        draft=None if draft is None else draft.name,
        requirement_sets={release: one.name for release, one in _sets(subject).items()},
    )


def _sets(subject: Subject) -> Mapping[str, RequirementSet]:
    """The newest requirement set of each release that the subject knows."""
    found = {}
    for release in RELEASES:
        try:
            found[release] = requirement_set(subject.name, release)
        except UnknownRequirementSetError:
            continue
    return found


def _clauses(
    subject: Subject, known: Known, wanted: Callable[[str], bool]
) -> Iterable[form.Clause]:
    sets = _sets(subject)
    members = {release: {*one.clauses, *one.excluded} for release, one in sets.items()}
    axes = {axis.id: axis for axis in subject.axes}
    for clause in clauses_of(subject.name).values():
        if not wanted(clause.id):
            continue
        yield form.Clause(
            id=clause.id,
            slug=clause.slug,
            aliases=list(clause.aliases),
            subject=subject.name,
            statement=clause.statement,
            explanation=clause.explanation,
            strength=clause.strength.value,
            limit_class=clause.limit_class.value,
            releases=[release for release in members if clause.id in members[release]],
            timing_sensitive=clause.timing_sensitive,
            excluded=clause.excluded or None,
            sources=[_source(source) for source in clause.sources],
            fence=None if clause.fence is None else _fence(clause.fence),
            readings=reading_forms(axes[clause.id]) if clause.id in axes else [],
            cases=list(known.cases.get(clause.id, ())),
            examples=[_example(one, sets) for one in examples().get(clause.id, ())],
            faults=[fault for catches, fault in known.faults if catches == clause.id],
            findings=[one for one in known.findings if one.clause == clause.id],
            states=list(known.states.get(clause.id, ())),
        )


def _source(source: made.Source) -> form.Source:
    match source:
        case made.KIP(number=number):
            group = f"KIP-{number}"
        case made.Code(file=file, release=release):
            group = f"Kafka {release}, {file}"
        case made.Draft(issue=issue):
            group = f"draft of {issue}"
        case _:
            group = str(source)
    return form.Source(_KINDS[type(source)], str(source), isinstance(source, _PROMISES), group)


def _fence(fence: Fence) -> form.Fence:
    never = fence.never
    return form.Fence(
        axis=fence.axis,
        unit=fence.unit.value,
        at=fence.at,
        meaning=fence.meaning,
        never=form.Never(list(never.sides.names), never.reason) if never.sides else None,
    )


def _example(example: made.Example, sets: Mapping[str, object]) -> form.Example:
    """The example with what the model answers as the newest release whose set there is."""
    release = [*RELEASES, *sets][-1]
    observation = answer_all(example.scenario, semantics_of(example.scenario, release))
    return form.Example(
        title=example.title,
        id=identity(example.scenario),
        scenario=file_form(example.scenario),
        release=release,
        observation=to_plain(observation),
    )


def _question(axis: Axis, known: Known) -> form.Question:
    return form.Question(
        id=axis.id,
        name=axis.name,
        asks=axis.asks,
        says=axis.says,
        when=axis.when,
        readings=reading_forms(axis),
        cases=list(known.cases.get(axis.id, ())),
    )
