"""Errata: statements of the sources that running brokers do not bear out."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Erratum:
    """One statement that is wrong, or not so any more.

    Attributes:
        source: where it stands.
        says: what it says, in short.
        found: what is so.
        evidence: where that was seen.
    """

    source: str
    says: str
    found: str
    evidence: str


ERRATA = (
    Erratum(
        "limits table",
        "a consumer may stall if max.message.bytes is above max.partition.fetch.bytes",
        "the first partition with data returns its first batch however small the limits (FET-004)",
        "seen on 4.0.2 to 4.4.0",
    ),
    Erratum(
        "limits table",
        "the fetch session cache evicts the least recently used session of a shard",
        "only one idle for 120 s; otherwise by size and privilege, and only one created 120 s ago (FET-037)",
        "FetchSessionCacheShard.java:166-234 of Kafka 4.3.1",
    ),
    Erratum(
        "MaxRecords draft (KAFKA-19554)",
        "brokers that do not understand the new field will ignore it",
        "true of a tagged field only (FET-075); a new plain field needs Fetch v19, at which a broker closes the connection (FET-042)",
        "seen on 4.0.2 to 4.4.0",
    ),
    Erratum(
        "reference rule FET-051",
        "a read_committed answer without error never has a null list of aborted transactions",
        "the list is null for a partition that was not read because the limits were used up before it",
        "seen on 4.3.1",
    ),
)
