"""How a layout that can't be laid says so."""


class PlacementFailed(Exception):  # noqa: N818 - it describes what happened
    """A layout could not be laid on the broker: the infrastructure's fault, never a verdict."""


class LeaderAway(PlacementFailed):
    """A layout could not be laid for an error that passes while a leader moves: it can be laid
    again, on other partitions.
    """
