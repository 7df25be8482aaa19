"""The request of a step."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping


@frozen
class Request:
    """One request of a step.

    Attributes:
        api, version, value: what is sent.
        within_s: how long after its sending its answer is given up.
        max_wait_s: how much of this the request itself asks the broker to wait.
        parked: the next step does not wait for its answer.
        awaited_s: how long a parked request's answer is waited for once its actor's next step does;
            infinite where only `within_s` counts.
        finally_s: how long an answer is waited for once everything else is over; infinite where
            only `within_s` counts.
        carried: what the subject wants to know again when the answer is there.
    """

    api: str
    version: int
    value: Mapping[str, Any]
    within_s: float
    max_wait_s: float = 0.0
    parked: bool = False
    awaited_s: float = math.inf
    finally_s: float = math.inf
    carried: Any = None
