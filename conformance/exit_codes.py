"""The exit codes of the command line, as the README has them; a run's footer holds its own."""

OK = 0
"""Nothing that no finding lists."""
FOUND = 1
"""An unlisted violation, a stale or expired finding, or under `--strict` an unlisted deviation
or breaks that are not reproduced in more than a stated share of scenarios.
"""
MISUSE = 2
"""Wrong use."""
UNREACHABLE = 3
"""Something is inconclusive or can't be reached, or nothing was exercised."""
OURS = 4
"""A failure of Fencepost itself."""
INTERRUPTED = 130
"""Interrupted."""
