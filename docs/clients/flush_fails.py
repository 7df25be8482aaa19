"""kafka-python's flush fails although every record is written, where a batch is split.

Run it against any broker with nothing but kafka-python; it makes a topic of its own and deletes it
in the end:

    python flush_fails.py localhost:9092

Two records of 1100 bytes make a batch of more than the 1200 bytes that the topic takes, and each
alone makes one of less.

Expected: flush returns once both records are written. Found: it raises UnknownError at once.
"""

import sys
import time

from kafka import KafkaProducer
from kafka.admin import KafkaAdminClient, NewTopic
from kafka.errors import KafkaError

address, topic = sys.argv[1], f"flush-{time.time_ns()}"
admin = KafkaAdminClient(bootstrap_servers=address)
admin.create_topics([NewTopic(topic, 1, 1, topic_configs={"max.message.bytes": "1200"})])
producer = KafkaProducer(bootstrap_servers=address, linger_ms=1000)
results = [producer.send(topic, b"x" * 1100, partition=0) for _ in range(2)]
raised = None
try:
    producer.flush()
except KafkaError as error:
    raised = error
print("flush raises", repr(raised))
print("offsets", [one.get(timeout=30).offset for one in results])
producer.close()
admin.delete_topics([topic])
sys.exit(raised is not None)
