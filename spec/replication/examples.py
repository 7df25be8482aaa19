"""What the worked examples about several brokers are made of."""

from spec.layout import Layout, Partition
from spec.replication.steps import LookAtBrokers, ReplicationStep
from spec.scenario import Scenario


def play_on_brokers(*steps: ReplicationStep) -> Scenario:
    """One empty partition, and what is done with it once the brokers were looked at."""
    return Scenario(Layout((Partition(),)), (LookAtBrokers(), *steps), subject="replication")
