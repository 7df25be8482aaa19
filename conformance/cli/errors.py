"""What goes wrong in a command, as a message and the documented exit code."""

from __future__ import annotations

import functools
import sys
import traceback
from typing import TYPE_CHECKING, Any, TypeVar

import click

from conformance.cli.lazy import import_object
from conformance.exit_codes import INTERRUPTED, MISUSE, OURS

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., Any]")
EXIT_CODE_OF = "conformance.cli.error_codes:exit_code_of"
"""Imported where something went wrong alone: it knows the errors of all rooms."""


def wrong(message: str) -> click.ClickException:
    """Wrong use: exit code 2."""
    return _error_with_code(message, MISUSE)


def _error_with_code(message: str, code: int) -> click.ClickException:
    """An error that needs no trace: its message says what was expected, what was found and what to
    do.
    """
    error = click.ClickException(message)
    error.exit_code = code  # type: ignore[misc]  # click reads it from the instance
    return error


def report_errors(command: F) -> F:
    """Turn what can go wrong into a message and the documented exit code."""

    @functools.wraps(command)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            sys.exit(INTERRUPTED)
        except Exception as error:
            code = import_object(EXIT_CODE_OF)(error)
            if code is None:
                raise _error_with_code(_ours(error), OURS) from error
            raise _error_with_code(str(error), code) from error

    return call  # type: ignore[return-value]


def _ours(error: Exception) -> str:
    trace = "".join(traceback.format_exception(error))
    return f"this is a fault of Fencepost itself, please report it with these lines:\n{trace}"
