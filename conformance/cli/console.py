"""A console for text from anywhere."""

from rich.console import Console


def make_console() -> Console:
    """A console on standard output that takes text for what it is: no markup, no emoji codes."""
    return Console(markup=False, emoji=False)
