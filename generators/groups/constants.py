"""Timeouts, actors and groups that drawn histories of groups have in common."""

from hypothesis import strategies as st

REBALANCE_MS = 500
"""Rebalance timeout of drawn members: the time that a join phase nobody ends costs."""

SHORT_SESSION_MS = 400

SESSIONS_MS = (400, 900)

REBALANCES_MS = (300, 800)
"""Two settings of each timer whose both sides are looked at."""

NOTICED_MS = 5_500
"""So long after its end a session is surely known to be over (GRP-154)."""

LONG_MS = 60_000

WITNESS = 20
"""The actor that describes the group; it never joins."""

ADMIN = 21

MOST_STEPS = 7

TIMED = 30
"""Added to an actor's number, it is a member of `TIMED_GROUP`, in which timers are looked at."""

TIMED_GROUP = 2

CHANGED_GROUP = 3
"""The group in which a member joins again with another rebalance timeout."""

SECOND_CONNECTION = 10
"""Added to an actor's number, it is another connection of the same member."""

TOGETHER = "group_flight=together"
"""The relation of a history in which requests of several connections were in flight together."""

Draw = st.DrawFn
