"""Facts of a broker, such as its release and limits: asked by ApiVersions, Metadata and
DescribeConfigs, or given in a facts file.
"""

from conformance.facts.asking import (
    SHARE_FETCH_API,
    UNKNOWN_IMPLEMENTATION,
    Facts,
    read_facts,
    require_limits,
)
from conformance.facts.file import (
    NOTHING_GIVEN,
    FactsError,
    Given,
    read_facts_file,
)
from conformance.facts.inferred import (
    METADATA_LEVELS,
    infer,
)
from conformance.facts.judging import (
    semantics_of,
)
from conformance.facts.limits import (
    FETCH_MAX_BYTES,
    GIVEN_LIMITS,
    LIMITS,
    METADATA_MAX,
    MORE_LIMITS,
    NUM_PARTITIONS,
    PARTITION_PAGE,
    REQUEST_MAX_BYTES,
    SESSION_SLOTS,
    SHARE_BOUNDS,
    SHARE_LIMITS,
    TRANSACTION_MAX_MS,
)

__all__ = [
    "FETCH_MAX_BYTES",
    "GIVEN_LIMITS",
    "LIMITS",
    "METADATA_LEVELS",
    "METADATA_MAX",
    "MORE_LIMITS",
    "NOTHING_GIVEN",
    "NUM_PARTITIONS",
    "PARTITION_PAGE",
    "REQUEST_MAX_BYTES",
    "SESSION_SLOTS",
    "SHARE_BOUNDS",
    "SHARE_FETCH_API",
    "SHARE_LIMITS",
    "TRANSACTION_MAX_MS",
    "UNKNOWN_IMPLEMENTATION",
    "Facts",
    "FactsError",
    "Given",
    "infer",
    "read_facts",
    "read_facts_file",
    "require_limits",
    "semantics_of",
]
