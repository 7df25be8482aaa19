"""Kafka's numbers in requests about configs (`ConfigResource.Type`, `AlterConfigOp.OpType`)."""

TOPIC_RESOURCE, BROKER_RESOURCE, GROUP_RESOURCE = 2, 4, 32
"""The types of a resource that has configs."""
SET, DELETE = 0, 1
"""What IncrementalAlterConfigs does with a config."""
