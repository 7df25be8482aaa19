"""The planted faults of a controller, and legal variants that must pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.subjects.limits.faults import (
    configs,
    connections,
    descriptions,
    growth,
    listener,
    names,
    numbers,
    requests,
    variants,
)

if TYPE_CHECKING:
    from conformance.subjects.limits.faults.fault import LimitFault

VARIANTS: tuple[LimitFault, ...] = variants.VARIANTS
FAULTS: tuple[LimitFault, ...] = (
    *names.FAULTS,
    *numbers.FAULTS,
    *requests.FAULTS,
    *growth.FAULTS,
    *configs.FAULTS,
    *descriptions.FAULTS,
)
"""Those that must be caught, and that a served model can have."""
DRY: tuple[LimitFault, ...] = (*connections.FAULTS, *listener.FAULTS)
"""Those that must be caught in the dry run: a served model has no limits of connections."""
