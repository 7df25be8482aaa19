"""What the worked examples about several brokers are made of."""

from spec.layout import Layout, Partition
from spec.replication.steps import LookAtBrokers, ReplicationStep
from spec.scenario import Scenario


def play_on_brokers(*steps: ReplicationStep) -> Scenario:
    """One empty partition, and what is done with it once the brokers were looked at."""
    return with_minimum(0, *steps)


def with_minimum(minimum: int, *steps: ReplicationStep) -> Scenario:
    """The same on a topic with this `min.insync.replicas`; 0 for the cluster's own."""
    look = LookAtBrokers(min_insync_replicas=minimum)
    return Scenario(Layout((Partition(),)), (look, *steps), subject="replication")
