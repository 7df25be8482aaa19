"""The histories of the cases about groups that are played on a broker, and judged as a broker with
the fault would answer them.
"""

from spec.groups.examples import history
from spec.groups.steps import OWN, ConsumerGroupHeartbeat, ShareGroupHeartbeat
from spec.scenario import Scenario


def comes_back(kind: type[ConsumerGroupHeartbeat | ShareGroupHeartbeat]) -> Scenario:
    """Two members fill a group; the first one has come to a later epoch when it joins again."""
    return history(kind(0), kind(0, epoch=OWN), kind(1), kind(0, epoch=OWN), kind(0))
