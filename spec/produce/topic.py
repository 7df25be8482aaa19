"""The topic configs that decide which batches are accepted, and how they are stored."""

from dataclasses import dataclass
from enum import StrEnum

DEFAULT_MAX_MESSAGE_BYTES = 1048588
"""`max.message.bytes` by default: 1 MiB and the 12 bytes before a batch's length counts."""


class TimestampType(StrEnum):
    """The values of `message.timestamp.type`."""

    CREATE = "CreateTime"
    APPEND = "LogAppendTime"


@dataclass(frozen=True, slots=True)
class TopicSettings:
    """The configs of a topic, each at Kafka's default.

    Attributes:
        max_message_bytes: `max.message.bytes`, bytes of a whole batch as it is stored.
        timestamp_type: `message.timestamp.type`.
    """

    max_message_bytes: int = DEFAULT_MAX_MESSAGE_BYTES
    timestamp_type: TimestampType = TimestampType.CREATE

    @property
    def configs(self) -> tuple[tuple[str, str], ...]:
        """The topic configs by Kafka's names, those at their default too."""
        return (
            ("max.message.bytes", str(self.max_message_bytes)),
            ("message.timestamp.type", self.timestamp_type.value),
        )
