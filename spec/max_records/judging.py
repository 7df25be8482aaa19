"""The observer of fetches with the draft MaxRecords: what holds under every reading, and which profiles fit what was seen."""

from collections.abc import Mapping
from functools import cache

from spec.clause import Check, Clause, Held
from spec.fetch.model.session import admit, after
from spec.fetch.outcomes import FetchAnswer
from spec.fetch.releases import FetchSemantics
from spec.fetch.steps import Fetch
from spec.fetch.turn import turn_of
from spec.judgement import Judgement, infrastructure, stopped_by, verdicts_of, worse
from spec.log import log_of
from spec.max_records.draft import profile_of
from spec.max_records.turn import Turn
from spec.observation import Observation
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.verdict import Outcome

NOT_KNOWN = "no Kafka release has MaxRecords in FetchRequest; it takes an implementation of the draft, such as `serve --draft max-records`"


@cache
def _clauses() -> Mapping[str, Clause[Turn]]:
    from spec.max_records.clauses import chapter  # noqa: PLC0415 - the chapter's examples are scenarios, which the judge is made for

    return {clause.id: clause for clause in chapter.clauses}


@cache
def _checks() -> tuple[tuple[str, Check[Turn]], ...]:
    return tuple([(clause.id, clause.check) for clause in _clauses().values() if clause.check is not None])


def judge(scenario: Scenario, observation: Observation, semantics: Semantics) -> Judgement:
    """Judge one play of a scenario of fetches, of which some have the draft field.

    A broker that does not know the field has no word to be held to: the verdict is `unsupported`, never a pass.
    """
    if observation.broken is not None:
        return Judgement((infrastructure(Outcome.INCONCLUSIVE, observation.broken),))
    profile = profile_of(semantics)
    if profile is None:
        return Judgement((infrastructure(Outcome.UNSUPPORTED, NOT_KNOWN),))
    logs = {number: log_of(partition) for number, partition in enumerate(scenario.layout.partitions)}
    found: dict[str, Held] = {}
    session = None
    earlier: tuple[tuple[Fetch, FetchAnswer], ...] = ()
    for exchange in observation.exchanges:
        fetch, outcome = scenario.steps[exchange.step], exchange.outcome
        if (stopped := stopped_by(outcome)) is not None:
            return Judgement((*verdicts_of(found, _clauses()), stopped))
        if not isinstance(fetch, Fetch):
            break
        admission = admit(fetch, session)
        released = semantics.changed(FetchSemantics, hook=None)
        turn = Turn(turn_of(fetch, admission, released, logs, outcome, exchange.elapsed_ms), profile, earlier)
        for clause_id, check in _checks():
            held = check(turn)
            if held is not None:
                found[clause_id] = worse(found[clause_id], held) if clause_id in found else held
        if not isinstance(outcome, FetchAnswer):
            break
        earlier = (*earlier, (fetch, outcome))
        session = after(admission, fetch, outcome.session, outcome.partitions) if fetch.session == "own" or not fetch.epoch else session
    return Judgement(verdicts_of(found, _clauses()))
