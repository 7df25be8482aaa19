"""The end of sessions: a lost connection closes one, and the last one that ends lets the share
partitions be loaded again (SHR-010).
"""

from spec.frozen import replace
from spec.share.model.state import Closing, State


def connection_lost(state: State, member: int, to_ms: float) -> State:
    """The state after a member's connection was lost, so that its session began to be closed.

    Even where it was closed before, the broker looks whether the group has a session left
    (ShareSessionCache.java).

    Args:
        state: before.
        member: whose connection it was.
        to_ms: when the broker surely has noticed.
    """
    if member not in state.opened:
        return state
    session = state.session(member)
    partitions = session.partitions if session is not None else ()
    closings = [
        Closing(member, number, to_ms, number in partitions, lost=True)
        for number in range(len(state.partitions))
    ]
    state = replace(
        state.with_session(member, None),
        opened=state.opened - {member},
        closing=(*state.closing, *closings),
    )
    return sessions_over(state)


def sessions_over(state: State) -> State:
    """The state after a session ended.

    Where none is left, a loss that the broker has yet to notice loads all share partitions again.
    """
    if state.sessions:
        return state
    return replace(
        state,
        closing=tuple([replace(one, unloads=one.unloads or one.lost) for one in state.closing]),
    )
