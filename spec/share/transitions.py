"""Each way in which a step of a history can have taken effect: the turn that the clauses look at,
and the state after it.
"""

from collections.abc import Iterator, Mapping

from spec.frozen import replace
from spec.observation import Exchange
from spec.semantics import Semantics
from spec.share.adoption import adopt_answer, apply_in_part, count_as_loaded
from spec.share.comparison import (
    apply_confirmed,
    compare_acknowledgements,
    compare_partitions,
    unseen_changes,
)
from spec.share.model.closing import connection_lost
from spec.share.model.machine import decide
from spec.share.model.records import Lock
from spec.share.model.session import Admission, Mode, ShareRequest
from spec.share.model.settings import bounds_of, is_accepted
from spec.share.model.state import (
    Closing,
    State,
    change_configs,
    change_log,
    delete_offsets,
    give_back,
    known_of,
    set_offsets,
    unload,
)
from spec.share.outcomes import GroupChanged, ShareAcknowledgeAnswer, ShareFetchAnswer
from spec.share.releases import ShareSemantics
from spec.share.steps import (
    AlterGroupConfig,
    AlterShareGroupOffsets,
    DeleteShareGroupOffsets,
    DropConnection,
    FindShareCoordinator,
    NameGroup,
    RestartBroker,
    ShareAcknowledge,
    ShareFetch,
)
from spec.share.turn import Configured, Turn
from spec.share.waiting import Slowness
from spec.share.wake import Wake
from spec.share.written import note_append
from spec.steps import Append, DeleteRecords, Step

NO_REQUEST = Admission(Mode.CONTINUING, 0, None, None)
"""Stands where no member's request is looked at."""


Way = tuple[Turn | None, State]
"""One way in which a step can have taken effect: the turn, None where no clause is about it, and
the state after it.
"""


def moves(
    state: State,
    step: Step,
    exchange: Exchange,
    semantics: Semantics,
    broker: Mapping[str, str],
    *,
    quiet: bool,
    over: bool,
    asked_ms: float,
    slowness: Slowness,
    wake: Wake,
) -> Iterator[Way]:
    """Each way in which a step can have taken effect in a state; there is at least one.

    Args:
        state: before.
        step: as it was sent.
        exchange: what came of it.
        semantics: the decisions in force.
        broker: the broker's configs that the scenario names.
        quiet: nothing hidden can have happened meanwhile.
        over: it was the last try of a patient fetch.
        asked_ms: from the first sending of a patient fetch to the answer.
        slowness: how slow the broker was, which says after how long what happens by itself is
            surely done.
        wake: what could end the wait of a fetch.
    """
    if isinstance(step, ShareFetch | ShareAcknowledge):
        ways = _request(
            state,
            step,
            exchange,
            semantics,
            broker,
            quiet=quiet,
            over=over,
            asked_ms=asked_ms,
            slowness=slowness,
            wake=wake,
        )
        for turn, after in ways:
            yield turn, after
            for other in apply_in_part(after, turn):
                yield replace(turn, applied_in_part=True), other
    elif isinstance(step, AlterGroupConfig):
        yield _configure_group(state, step, exchange, semantics, broker)
    elif isinstance(step, Append):
        yield None, change_log(note_append(state, step.partition, exchange.sent_ms), step)
    elif isinstance(step, DropConnection):
        yield from _lose_connection(state, step, exchange, semantics, broker, slowness.settle_ms)
    elif isinstance(step, FindShareCoordinator):
        settings = state.settings(semantics, broker)
        yield (
            Turn(step, NO_REQUEST, semantics, settings, exchange.outcome, group_prefix=state.named),
            state,
        )
    else:
        yield from ((None, after) for after in _states_after(state, step, semantics, broker))


def _lose_connection(
    state: State,
    step: DropConnection,
    exchange: Exchange,
    semantics: Semantics,
    broker: Mapping[str, str],
    settle_ms: float,
) -> Iterator[Way]:
    """A connection is lost: its session ends, as no text promises, or continues (SHR-026)."""
    if not semantics.of(ShareSemantics).disconnect_closes:
        yield None, state
        return
    yield None, connection_lost(state, step.actor, exchange.answered_ms + settle_ms)
    if state.session(step.actor) is not None:
        settings = state.settings(semantics, broker)
        turn = Turn(step, NO_REQUEST, semantics, settings, exchange.outcome, session_kept=True)
        yield turn, state


def _states_after(
    state: State, step: Step, semantics: Semantics, broker: Mapping[str, str]
) -> Iterator[State]:
    if isinstance(step, DeleteRecords):
        yield change_log(state, step)
    elif isinstance(step, AlterShareGroupOffsets):
        yield set_offsets(state, step)
    elif isinstance(step, DeleteShareGroupOffsets):
        yield delete_offsets(state)
    elif isinstance(step, NameGroup):
        yield replace(state, named=step.text)
    elif isinstance(step, RestartBroker):
        yield from _states_after_restart(state, semantics, broker)
    else:
        yield state


def _states_after_restart(
    state: State, semantics: Semantics, broker: Mapping[str, str]
) -> Iterator[State]:
    """The states after a restart: connections are lost on the way down, so that what a session held
    may have been given back before.
    """
    settings = state.settings(semantics, broker)
    open_ones = [
        Closing(member, number, 0.0)
        for member, session in state.sessions
        for number in known_of(session, state)
    ]
    found = {replace(state, sessions=(), opened=frozenset(), closing=()): None}
    for closing in (*state.closing, *open_ones):
        found |= {
            give_back(one, replace(closing, unloads=False), settings, semantics): None
            for one in found
        }
    for one in found:
        after = one
        for number in range(len(state.partitions)):
            after = unload(after, number)
        yield after


def _configure_group(
    state: State,
    step: AlterGroupConfig,
    exchange: Exchange,
    semantics: Semantics,
    broker: Mapping[str, str],
) -> Way:
    configured = []
    for key, value in step.settings:
        if value is not None:
            known = bounds_of(key, semantics.of(ShareSemantics), broker)
            bounds = (known.low, known.high) if known is not None else None
            configured.append(
                Configured(
                    key,
                    value,
                    bounds,
                    is_accepted(key, value, semantics.of(ShareSemantics), broker),
                )
            )
    settings = state.settings(semantics, broker)
    turn = Turn(
        step, NO_REQUEST, semantics, settings, exchange.outcome, configured=tuple(configured)
    )
    done = isinstance(exchange.outcome, GroupChanged) and exchange.outcome.error == 0
    return turn, change_configs(state, step) if done else state


def _request(
    state: State,
    step: ShareRequest,
    exchange: Exchange,
    semantics: Semantics,
    broker: Mapping[str, str],
    *,
    quiet: bool,
    over: bool,
    asked_ms: float,
    slowness: Slowness,
    wake: Wake,
) -> Iterator[tuple[Turn, State]]:
    """A member's request: with what it gave back still being written while it fetches, or written
    already.
    """
    outcome, settings = exchange.outcome, state.settings(semantics, broker)
    if isinstance(outcome, ShareFetchAnswer | ShareAcknowledgeAnswer):
        step = replace(step, epoch=outcome.epoch, skew=0)
    lock = Lock(
        step.actor,
        exchange.sent_ms + settings.lock_duration_ms,
        exchange.answered_ms + settings.lock_duration_ms,
    )
    state = count_as_loaded(state, exchange.sent_ms)
    decision = decide(state, step, lock, semantics, broker)
    admission, rules = decision.admission, decision.rules
    confirmed = compare_acknowledgements(state, decision, outcome)
    turn = Turn(
        decision.request,
        admission,
        semantics,
        settings,
        outcome,
        confirmed=confirmed,
        elapsed_ms=exchange.elapsed_ms,
        quiet=quiet,
        patience_over=over,
        partitions=len(state.logs),
        group_prefix=state.named,
        settle_ms=slowness.settle_ms,
        asked_ms=asked_ms,
        progress_ms=slowness.progress_ms,
        delay_ms=slowness.delay_ms,
        wake=wake,
    )
    times = exchange.sent_ms, exchange.answered_ms
    fetches = isinstance(step, ShareFetch) and admission.mode in {Mode.OPENING, Mode.CONTINUING}
    if not fetches or not isinstance(decision.request, ShareFetch):
        yield turn, adopt_answer(state, turn, lock, *times)
        return
    answer = outcome if isinstance(outcome, ShareFetchAnswer) else None
    unwritten = apply_confirmed(state, confirmed, written=False)
    ways: list[tuple[State, State | None]] = [(unwritten, None)]
    if confirmed:
        ways.append((apply_confirmed(state, confirmed, written=True), unwritten))
    for met, begun in ways:
        served = compare_partitions(decision.request, admission, met, rules, answer, begun)
        both = replace(turn, served=served)
        yield both, adopt_answer(state, both, lock, *times)
        for unseen in unseen_changes(decision.request, served, rules):
            yield both, adopt_answer(state, both, lock, *times, unseen=unseen)
