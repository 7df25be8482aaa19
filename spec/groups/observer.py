"""The observer of groups. One group does not influence another, so that the events of each are
followed apart: `ObservedGroups` keeps every state that the responses so far allow, and
`judge_by_parts` takes the one that breaks least.
"""

from functools import cache

from spec.groups.chapters import CLAUSES
from spec.groups.history import events_by_group, events_of
from spec.groups.model.group import Group
from spec.groups.model.state import GroupsState
from spec.groups.observed_groups import ObservedGroups
from spec.groups.releases import limits_of
from spec.groups.turn import Turn
from spec.judgement import Clauses, Judgement, infrastructure, stopped_by
from spec.observation import Observation
from spec.observer import judge_by_parts
from spec.requirement_set import clauses_in
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.verdict import Outcome


@cache
def _clauses(release: str) -> Clauses[Turn]:
    return Clauses(clauses_in(CLAUSES, release))


def judge(scenario: Scenario, observation: Observation, semantics: Semantics) -> Judgement:
    """The verdicts of each clause on one play of a history. What is wrong with the play itself (a
    request that could not be sent, a connection that was lost) is inconclusive, or ends the
    judging of its exchange.
    """
    if observation.broken is not None:
        return Judgement((infrastructure(Outcome.INCONCLUSIVE, observation.broken),))
    verdicts = [stopped_by(exchange.outcome) for exchange in observation.exchanges]
    pairs = zip(observation.exchanges, verdicts, strict=True)
    events = events_of(scenario, [exchange for exchange, verdict in pairs if verdict is None])
    count = 1 + max([event.group for event in events], default=0)
    start = GroupsState(tuple([Group()] * count), limits_of(dict(scenario.config)))
    stopped = [verdict for verdict in verdicts if verdict is not None]
    parts = [
        ObservedGroups(part, start, semantics, observation.delay_ms)
        for part in events_by_group(events)
    ]
    return judge_by_parts(parts, _clauses(semantics.release), stopped)
