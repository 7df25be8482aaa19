"""Knowledge of the clauses outside `spec`: planted faults, shipped findings, and the cases that
distinguish readings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.drafts import plugs
from conformance.findings import SHIPPED, SHIPPED_OF_CLIENTS, read_findings
from conformance.identify.inquiry import inquiry_of
from conformance.subjects.registry import RUNNERS
from generators.distinguishing import Search, find_distinguishing_scenario, pairs_of, search_of
from generators.permitted import find_permitted_answer, unmodelled_pairs
from generators.small_scope import Bounds
from results.specification import form
from results.specification.gather import Known
from results.specification.states import read_states
from spec.canonical import file_form, to_plain
from spec.catalogue import examples
from spec.draft_registry import drafts
from spec.model import answer_all
from spec.subject_registry import SUBJECTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from conformance.faults.planted import PlantedFault
    from generators.distinguishing import Pair
    from spec.readings import Axis
    from spec.scenario import Scenario

_BOUNDS = Bounds(3)


def known_of_clauses(
    runs: Iterable[Path] = (), wanted: Callable[[str], bool] = lambda _: True
) -> Known:
    """Every planted fault, every shipped finding, and the smallest case for each two readings.

    Args:
        runs: folders of runs, for the last known state of the implementations that they tried.
        wanted: whether the cases of a clause or question are to be searched for, by its id.

    Raises:
        ReportError: a folder has no summary of a run.
    """
    return Known(
        faults=tuple(_faults()),
        findings=tuple(_findings()),
        states=read_states(runs),
        cases=_cases(wanted),
    )


def _faults() -> Iterator[tuple[str, form.Fault]]:
    for runner in RUNNERS:
        for fault in runner.faults:
            yield _fault(fault, runner.subject, served=runner.served_faults)
        for fault in runner.dry_faults:
            yield _fault(fault, runner.subject, served=False)
    for plug in plugs():
        for planted in plug.faults:
            yield _fault(planted, plug.draft.subject.name, served=True)


def _fault(fault: PlantedFault, subject: str, *, served: bool) -> tuple[str, form.Fault]:
    return fault.clause, form.Fault(
        name=fault.name,
        subject=subject,
        expected=fault.expected.value,
        summary=fault.summary,
        served=served,
    )


def _findings() -> Iterator[form.Finding]:
    for finding in (*read_findings(SHIPPED), *read_findings(SHIPPED_OF_CLIENTS)):
        yield form.Finding(
            clause=finding.clause,
            signature=finding.signature,
            system=finding.system,
            releases=list(finding.releases),
            reason=finding.reason,
            evidence=finding.evidence,
            link=finding.link,
            rare=finding.rare,
        )


def _cases(wanted: Callable[[str], bool]) -> dict[str, tuple[form.Case, ...]]:
    """By the id of the clause or question."""
    cases: dict[str, list[form.Case]] = {}
    for subject in SUBJECTS:
        for axis in [axis for axis in subject.axes if wanted(axis.id)]:
            worked = [example.scenario for example in examples().get(axis.id, ())]
            found = [_case(pair) for pair in pairs_of(axis, search_of(subject, worked))]
            found += [_permitted_case(axis, pair, worked) for pair in unmodelled_pairs(axis)]
            cases.setdefault(axis.id, []).extend(found)
    for draft in drafts():
        inquiry = inquiry_of(draft)
        search = Search() if inquiry is None else inquiry.search
        for axis in [axis for axis in draft.axes if wanted(axis.id)]:
            cases.setdefault(axis.id, []).extend([_case(pair) for pair in pairs_of(axis, search)])
    return {name: tuple(found) for name, found in cases.items()}


def _case(pair: Pair) -> form.Case:
    names = list(pair.names)
    if pair.same:
        return form.Case(names, 0, None, [], f"no answer distinguishes them: {pair.same}")
    found = find_distinguishing_scenario(pair, _BOUNDS)
    if found.scenario is None:
        return form.Case(
            names,
            found.tried,
            None,
            [],
            f"no difference in {found.tried} layouts and requests, which are all of these: "
            f"{_BOUNDS}",
        )
    answers = [
        form.Answer(name, to_plain(answer_all(found.scenario, way)))
        for name, way in zip(pair.names, pair.ways, strict=True)
    ]
    return form.Case(names, found.tried, file_form(found.scenario), answers)


def _permitted_case(axis: Axis, pair: tuple[str, str], worked: Sequence[Scenario]) -> form.Case:
    found = find_permitted_answer(axis, pair, worked)
    if found is None:
        note = f"both permit, or both forbid, every answer to the {len(worked)} worked examples"
        return form.Case([*pair], 0, None, [], note)
    permitted = form.Permitted(
        to_plain(found.observation), found.answered_as, found.permits, found.forbids
    )
    return form.Case([*pair], found.tried, file_form(found.scenario), [], permitted=permitted)
