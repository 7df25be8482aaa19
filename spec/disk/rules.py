"""Rules of a broker's data folder: what holds of its files, whoever wrote them.

Ids are of the series SEG, from 101 on; a published one is never reused. Each is a clause of the
subject `segments`, whose runs look at the files of a broker that they can read;
`fencepost audit` holds any data folder against them.
"""

from collections.abc import Mapping

from spec.clause import KIP, Code, Doc, Source
from spec.frozen import frozen
from spec.verdict import LimitClass, Strength


@frozen
class Rule:
    """One rule.

    Attributes:
        id: `SEG-103`.
        slug: the same as words.
        statement: what holds.
        strength: how much it binds: `must` where clients or another broker rely on it.
        limit_class: where it comes from.
        sources: where it is promised or done.
        was: an earlier slug of it; empty where it has none.
    """

    id: str
    slug: str
    statement: str
    strength: Strength
    limit_class: LimitClass
    sources: tuple[Source, ...]
    was: str = ""


_MUST, _REFERENCE = Strength.MUST, Strength.REFERENCE
_HARD = LimitClass.HARD
_FORMAT = Doc("design documentation, message format: record batch")
_NAMED = Doc(
    "design documentation, log: each log file is named with the offset of the first message in it"
)
_INDEX = Doc("config segment.index.bytes: the index maps offsets to file positions")

RULES: Mapping[str, Rule] = {
    one.id: one
    for one in (
        Rule(
            "SEG-101",
            "segments/log/whole-batches",
            "A .log is whole batches one behind the other: each has the length that its header "
            "states, at least 61 bytes in all, or 26 in the formats 0 and 1. Only the last "
            "segment of a broker that runs, or stopped uncleanly, may end in zeros where it was "
            "preallocated, or in part of a batch behind which no entry of its .index points.",
            _MUST,
            _HARD,
            (_FORMAT, KIP(98)),
        ),
        Rule(
            "SEG-102",
            "segments/log/magic",
            "The format of a batch (its magic) is 0, 1 or 2. Kafka since 0.11 writes 2 alone, "
            "which is not looked at.",
            _MUST,
            _HARD,
            (_FORMAT, KIP(98)),
        ),
        Rule(
            "SEG-103",
            "segments/log/crc",
            "The CRC-32C of a batch is that of its bytes from the attributes on; formats 0 and 1 "
            "have the CRC-32 of their bytes from the magic on.",
            _MUST,
            _HARD,
            (_FORMAT, KIP(98)),
        ),
        Rule(
            "SEG-104",
            "segments/log/offsets-ascend",
            "The base offset of a batch is above the last offset of each batch of the partition "
            "before it, and not below its segment's.",
            _MUST,
            _HARD,
            (_FORMAT, Code("UnifiedLog.java", "1489-1592")),
        ),
        Rule(
            "SEG-105",
            "segments/log/relative-offset",
            "The last offset of a batch is at most 2147483647 above its segment's base offset.",
            _REFERENCE,
            _HARD,
            (Code("LogSegment.java", "172,236-238"),),
        ),
        Rule(
            "SEG-106",
            "segments/log/position",
            "A .log has at most 2147483647 bytes, so that the position of each batch is an int32.",
            _REFERENCE,
            _HARD,
            (Code("FileRecords.java", "193-196"), Code("OffsetIndex.java", "44,56")),
        ),
        Rule(
            "SEG-107",
            "segments/log/counts",
            "A batch has 0 to `last offset - base offset + 1` records, and its last offset is not "
            "below its base offset.",
            _MUST,
            _HARD,
            (_FORMAT,),
        ),
        Rule(
            "SEG-108",
            "segments/log/leader-epochs",
            "The leader epoch of a batch is not below that of any batch of the partition before "
            "it, those without one (-1) left out.",
            _MUST,
            _HARD,
            (KIP(101),),
        ),
        Rule(
            "SEG-109",
            "segments/files/names",
            "A segment begins at or above the end of the one before it: its base offset, by which "
            "its files are named in 20 digits, is above the last offset of that one.",
            _MUST,
            _HARD,
            (_NAMED, Code("UnifiedLog.java", "1489-1592")),
            was="segments/names",
        ),
        Rule(
            "SEG-120",
            "segments/index/size",
            "An .index is whole entries of 8 bytes, a .timeindex of 12, a .txnindex of 34. One "
            "that has zeros behind its entries, or an entry that is out of order, is left out.",
            _REFERENCE,
            _HARD,
            (Code("OffsetIndex.java", "44,56"), Code("TimeIndex.java", "56")),
        ),
        Rule(
            "SEG-121",
            "segments/index/ascends",
            "Offset and position of an offset index rise from entry to entry: from the segment's "
            "base offset on, and from above position 0 on.",
            _REFERENCE,
            _HARD,
            (Code("OffsetIndex.java", "140-158"),),
        ),
        Rule(
            "SEG-122",
            "segments/index/points-at-batch",
            "The position of an entry is the start of a batch of its segment, and its offset the "
            "last offset of that batch, or of a later one that lies before the position of the "
            "next entry, as where several were appended at once. A lookup that starts there "
            "misses no record. In the last segment of a broker that runs, or stopped uncleanly, "
            "entries may point behind the last batch.",
            _MUST,
            _HARD,
            (_INDEX, Code("LogSegment.java", "263-278")),
        ),
        Rule(
            "SEG-123",
            "segments/index/zero-tail",
            "Behind its entries an .index or a .timeindex has zeros alone, and only in the last "
            "segment of a broker that runs, or stopped uncleanly; otherwise it is cut to its "
            "entries. A file of one entry of zeros has that entry.",
            _REFERENCE,
            _HARD,
            (Code("AbstractIndex.java", "trimToValidSize"),),
        ),
        Rule(
            "SEG-130",
            "segments/timeindex/ascends",
            "Timestamps of a time index rise from entry to entry, from 0 on, and offsets do not "
            "fall, from the segment's base offset on.",
            _REFERENCE,
            _HARD,
            (Code("TimeIndex.java", "190-220"),),
        ),
        Rule(
            "SEG-131",
            "segments/timeindex/largest-so-far",
            "An entry of a time index names a batch by an offset in it, and that batch's largest "
            "timestamp, which no batch of the segment before it exceeds. Batches of the formats 0 "
            "and 1 are left out, and in the last segment of a broker that runs, or stopped "
            "uncleanly, entries behind the last batch.",
            _MUST,
            _HARD,
            (KIP(33), Code("LogSegment.java", "263-278")),
        ),
        Rule(
            "SEG-140",
            "segments/txnindex/entry",
            "An entry of a transaction index has version 0 and a first offset from 0 on that is "
            "not above its last, and last offsets rise from entry to entry, from the segment's "
            "base offset on.",
            _REFERENCE,
            _HARD,
            (KIP(98), Code("TransactionIndex.java", "append")),
        ),
        Rule(
            "SEG-141",
            "segments/txnindex/points-at-marker",
            "Where a batch holds the last offset of an aborted transaction, it is a control batch "
            "of the same producer. Compaction may have taken it out.",
            _MUST,
            _HARD,
            (KIP(98),),
        ),
        Rule(
            "SEG-150",
            "segments/leader-epochs/ascend",
            "A leader-epoch-checkpoint is `0`, the number of lines that follow, and lines of an "
            "epoch and its first offset, both from 0 on and rising; or it is empty.",
            _MUST,
            _HARD,
            (KIP(101),),
        ),
        Rule(
            "SEG-151",
            "segments/leader-epochs/of-batches",
            "After a clean stop the leader epoch of each batch is the one that the checkpoint has "
            "for its base offset. Batches without an epoch, and those before the first offset in "
            "the checkpoint, are left out.",
            _MUST,
            _HARD,
            (KIP(101),),
        ),
        Rule(
            "SEG-160",
            "segments/producers/snapshot",
            "A .snapshot has version 1, a CRC-32C of its bytes from the seventh on, and as many "
            "entries of 46 bytes as it states; before a clean stop it may be empty.",
            _REFERENCE,
            _HARD,
            (KIP(98), Code("ProducerStateManager.java", "600-700")),
        ),
        Rule(
            "SEG-161",
            "segments/producers/before-name",
            "Each producer of a snapshot is named once, and its last offset is below the offset by "
            "which the file is named.",
            _REFERENCE,
            _HARD,
            (Code("ProducerStateManager.java", "600-700"),),
        ),
        Rule(
            "SEG-170",
            "segments/folder/checkpoint",
            "A checkpoint of offsets is `0`, the number of lines that follow, and lines of a "
            "topic, a partition from 0 on and an offset of at least 0, no partition twice; or it "
            "is empty.",
            _REFERENCE,
            _HARD,
            (Code("CheckpointFile.java", "70-140"),),
            was="folder/checkpoint",
        ),
        Rule(
            "SEG-171",
            "segments/folder/within-log",
            "After a clean stop the recovery point, the high watermark and the cleaner's offset "
            "of a partition are at most its log end, and its log start lies between the base "
            "offset of its first segment and its log end. Partitions without a segment are left "
            "out.",
            _REFERENCE,
            _HARD,
            (Code("LogManager.scala", "checkpointRecoveryOffsetsInDir"),),
            was="folder/checkpoint/within-log",
        ),
        Rule(
            "SEG-172",
            "segments/folder/partition-metadata",
            "A partition.metadata states `version: 0` and the topic's id in 22 characters.",
            _REFERENCE,
            _HARD,
            (KIP(516),),
            was="folder/partition-metadata",
        ),
        Rule(
            "SEG-180",
            "segments/folder/readable",
            "The .logs, indexes and small files of a partition, and the checkpoints of a folder, "
            "are plain files that can be read; a snapshot, a checkpoint and a partition.metadata "
            "have at most 16,777,216 bytes.",
            _REFERENCE,
            _HARD,
            (Code("LogLoader.java", "loadSegmentFiles"),),
            was="folder/readable",
        ),
    )
}
"""By id."""
