"""The number of breaks not reproduced that a strict run accepts."""

FLAKY_ONE_IN = 1_000
"""Of so many scenarios one may have a break that is not reproduced.

That much a busy machine or network brings about on a correct broker. A broker that breaks its
promises now and then does so more often, where a run asks for what it breaks.
"""
FLAKY_ALLOWED = 1
"""Scenarios that may have such a break in a run of any length: a single one shows no rate."""


def is_too_flaky(flaky: int, judged: int) -> bool:
    """Whether breaks that are not reproduced come too often.

    Args:
        flaky: scenarios with an unlisted break that was not reproduced.
        judged: all scenarios that were judged.
    """
    return flaky > max(FLAKY_ALLOWED, judged // FLAKY_ONE_IN)
