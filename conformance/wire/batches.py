"""Record batches: everything there is to write and read them."""

from conformance.wire.batch_format import (
    BatchHeader,
    ParsedRecords,
    decode_records,
    encode_batch,
    old_message,
    parse_batches,
    parse_unusual,
    restamp,
)
from conformance.wire.compression import CODECS, CodecName
from conformance.wire.records import ABORT, COMMIT, Record, control_record, control_type
from conformance.wire.sizing import batch_of_size, minimum_size

__all__ = [
    "ABORT",
    "CODECS",
    "COMMIT",
    "BatchHeader",
    "CodecName",
    "ParsedRecords",
    "Record",
    "batch_of_size",
    "control_record",
    "control_type",
    "decode_records",
    "encode_batch",
    "minimum_size",
    "old_message",
    "parse_batches",
    "parse_unusual",
    "restamp",
]
