"""kafka-python's poll never returns again after it has reported a batch with a bad checksum.

Run it against any broker with nothing but kafka-python; it makes a topic of its own and deletes it
in the end:

    python poll_hangs.py localhost:9092

One bit of the record's value is changed on its way from the network to the consumer's parser.

Expected: poll(timeout_ms=1000) returns or raises after about a second. Found: the first one raises
CorruptRecordError, the second runs at full speed until this program ends it after 10 s.
"""

import sys
import threading
import time

from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import KafkaAdminClient, NewTopic
from kafka.errors import KafkaError
from kafka.record import MemoryRecords

address, topic = sys.argv[1], f"hang-{time.time_ns()}"
admin = KafkaAdminClient(bootstrap_servers=address)
admin.create_topics([NewTopic(topic, 1, 1)])
producer = KafkaProducer(bootstrap_servers=address)
producer.send(topic, b"damage", partition=0).get(timeout=30)
producer.close()

parse = MemoryRecords.__init__


def parse_damaged(self, data):
    parse(self, bytes(data).replace(b"damage", b"damagd"))


MemoryRecords.__init__ = parse_damaged
consumer = KafkaConsumer(bootstrap_servers=address, auto_offset_reset="earliest")
consumer.assign([TopicPartition(topic, 0)])


def raised_by_poll():
    try:
        consumer.poll(timeout_ms=1000)
    except KafkaError as error:
        return error
    return None


while not (raised := raised_by_poll()):
    pass
print("poll raises", repr(raised))
polling = threading.Thread(target=raised_by_poll, daemon=True)
polling.start()
polling.join(10)
hangs = polling.is_alive()
print("the next poll", "has not returned after 10 s" if hangs else "returned")
admin.delete_topics([topic])
sys.exit(hangs)
