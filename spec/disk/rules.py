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
            "states, at least 61 bytes in all. Only the last segment of a broker that runs, or "
            "stopped uncleanly, may end in part of a batch, or in zeros where it was preallocated.",
            _MUST,
            _HARD,
            (_FORMAT, KIP(98)),
        ),
        Rule(
            "SEG-102",
            "segments/log/magic",
            "The format of a batch is 2, or 0 or 1 in a log that is older than Kafka 0.11.",
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
            "The base offset of a batch is above the last offset of the batch before it, and not "
            "below its segment's.",
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
            "The leader epoch of a batch is not below that of the batch before it, those without "
            "one (-1) left out.",
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
            (_NAMED, Code("UnifiedLog.java", "1489-1592"), Code("LogLoader.java", "326-340")),
            was="segments/names",
        ),
        Rule(
            "SEG-120",
            "segments/index/size",
            "An .index is whole entries of 8 bytes, a .timeindex of 12, a .txnindex of 34.",
            _REFERENCE,
            _HARD,
            (Code("OffsetIndex.java", "44,56"), Code("TimeIndex.java", "56")),
        ),
        Rule(
            "SEG-121",
            "segments/index/ascends",
            "Relative offset and position of an offset index rise from entry to entry, from above "
            "position 0 on.",
            _REFERENCE,
            _HARD,
            (Code("OffsetIndex.java", "140-158"),),
        ),
        Rule(
            "SEG-122",
            "segments/index/points-at-batch",
            "The position of an entry is the start of a batch of its segment, and its offset the "
            "last offset of that batch, or of a later one that was appended with it. A lookup that "
            "starts there misses no record.",
            _MUST,
            _HARD,
            (_INDEX, Code("LogSegment.java", "263-278")),
        ),
        Rule(
            "SEG-123",
            "segments/index/zero-tail",
            "Behind its entries an index has zeros alone, and only in the last segment of a broker "
            "that runs, or stopped uncleanly; otherwise it is cut to its entries.",
            _REFERENCE,
            _HARD,
            (Code("AbstractIndex.java", "159-161"),),
        ),
        Rule(
            "SEG-130",
            "segments/timeindex/ascends",
            "Timestamps of a time index rise from entry to entry, and offsets do not fall.",
            _REFERENCE,
            _HARD,
            (Code("TimeIndex.java", "190-220"),),
        ),
        Rule(
            "SEG-131",
            "segments/timeindex/largest-so-far",
            "An entry of a time index names a batch by an offset in it, and that batch's largest "
            "timestamp, which no batch of the segment before it exceeds.",
            _MUST,
            _HARD,
            (KIP(33), Code("LogSegment.java", "263-278")),
        ),
        Rule(
            "SEG-140",
            "segments/txnindex/entry",
            "An entry of a transaction index has version 0, a first offset that is not above its "
            "last, and last offsets rise from entry to entry.",
            _REFERENCE,
            _HARD,
            (KIP(98), Code("TransactionIndex.java", "90-110")),
        ),
        Rule(
            "SEG-141",
            "segments/txnindex/points-at-marker",
            "The last offset of an aborted transaction is that of a control batch of the same "
            "producer, unless compaction took that out.",
            _MUST,
            _HARD,
            (KIP(98),),
        ),
        Rule(
            "SEG-150",
            "segments/leader-epochs/ascend",
            "A leader-epoch-checkpoint is `0`, the number of lines that follow, and lines of an "
            "epoch and its first offset, both rising.",
            _MUST,
            _HARD,
            (KIP(101),),
        ),
        Rule(
            "SEG-151",
            "segments/leader-epochs/of-batches",
            "After a clean stop the leader epoch of each batch is the one that the checkpoint has "
            "for its base offset.",
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
            "topic, a partition and an offset of at least 0, no partition twice.",
            _REFERENCE,
            _HARD,
            (Code("CheckpointFile.java", "70-140"),),
            was="folder/checkpoint",
        ),
        Rule(
            "SEG-171",
            "segments/folder/within-log",
            "After a clean stop the recovery point and the high watermark of a partition are at "
            "most its log end, and its log start lies between its first segment and its log end.",
            _REFERENCE,
            _HARD,
            (Code("LogManager.scala", "630-700"),),
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
            "The files of a partition are plain files that can be read, and its small ones are "
            "small.",
            _REFERENCE,
            _HARD,
            (Code("LogLoader.java", "300-340"),),
            was="folder/readable",
        ),
    )
}
"""By id."""
