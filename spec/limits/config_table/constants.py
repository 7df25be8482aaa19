"""The releases, and compiled constants of each, as its jars define them.

Made by `tools/config_table.py`, not by hand; see `spec.limits.config_table`.
"""

VERSIONS = ("4.0.2", "4.1.2", "4.2.2", "4.3.1", "4.4.0")
"""The releases, oldest first."""

CONSTANTS = """\
all	org.apache.kafka.common.internals.Topic#MAX_NAME_LENGTH	249
all	org.apache.kafka.controller.QuorumController#MAX_RECORDS_PER_USER_OP	10000
all	org.apache.kafka.controller.ReplicationControlManager#MAX_PARTITIONS_PER_BATCH	10000
all	org.apache.kafka.storage.internals.log.OffsetIndex#ENTRY_SIZE	8
all	org.apache.kafka.storage.internals.log.TimeIndex#ENTRY_SIZE	12
"""
