"""The documented exit code of each error that has a good message."""

from __future__ import annotations

from conformance.cluster import MissingApiError
from conformance.exit_codes import MISUSE, OURS, UNREACHABLE
from conformance.misuse import BadConfiguration
from conformance.placement.problem import PlacementFailed
from conformance.systems import base
from conformance.wire import outcomes
from results.files import ReportError
from results.log import LogError, LogWriteError
from spec.canonical import FormatError
from spec.catalogue import UnknownClauseError


def exit_code_of(error: Exception) -> int | None:
    """The documented exit code of an error that has a good message; None for one of our own
    making.
    """
    if isinstance(error, FormatError | UnknownClauseError | base.UnknownVersion | BadConfiguration):
        return MISUSE
    if isinstance(
        error,
        base.SystemProblem
        | outcomes.NotConnected
        | outcomes.NoAnswer
        | PlacementFailed
        | MissingApiError,
    ):
        return UNREACHABLE
    if isinstance(error, LogWriteError | ReportError):
        return OURS
    return MISUSE if isinstance(error, LogError) else None
