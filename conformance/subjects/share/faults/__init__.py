"""The planted faults of share groups, and legal variants that must pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.subjects.share.faults import answers, configs, locks, sessions, waiting

if TYPE_CHECKING:
    from conformance.subjects.share.faults.fault import ShareFault

FAULTS: tuple[ShareFault, ...] = (
    *answers.FAULTS,
    *answers.VARIANTS,
    *locks.FAULTS,
    *waiting.FAULTS,
    *configs.FAULTS,
    *sessions.FAULTS,
    *locks.VARIANTS,
    *waiting.VARIANTS,
)
