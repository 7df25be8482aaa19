"""librdkafka passes over records that are still there after a log was truncated.

Run it with nothing but confluent-kafka against a cluster of its own with three nodes, whose ids are
1 to 3, and two commands that crash a node and start it again:

    python passes_over.py localhost:9092,localhost:9094,localhost:9096 \
        'docker kill kafka-{node}' 'docker start kafka-{node}'

A topic with a replica on nodes 1 and 2 has five records on both. Node 2 crashes, five more are
written on node 1 alone, and a consumer fetches all ten; its application takes three. Node 1
crashes, and node 2 leads again, uncleanly: the log ends at offset 5. Ten records are written.

Expected: the consumer delivers offsets 3 and 4 next, which no truncation took. Found: it delivers
offset 5 next, and reports nothing.
"""

import shlex
import subprocess
import sys
import time

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

addresses, crash, start = sys.argv[1:]
topic = f"passed-{time.time_ns()}"
admin = AdminClient({"bootstrap.servers": addresses})
unclean = {"unclean.leader.election.enable": "true", "min.insync.replicas": "1"}
admin.create_topics([NewTopic(topic, 1, replica_assignment=[[1, 2]], config=unclean)])[
    topic
].result()


def do(command, node):
    subprocess.run(shlex.split(command.format(node=node)), check=True)


def wait_for(leader, *in_sync):
    for _ in range(240):
        metadata = admin.list_topics(topic, timeout=10).topics[topic].partitions.get(0)
        if metadata and metadata.leader == leader and set(metadata.isrs) == set(in_sync):
            return
        time.sleep(0.5)
    sys.exit(f"expected node {leader} to lead with {in_sync} in sync after two minutes")


def produce(count):
    producer = Producer({"bootstrap.servers": addresses, "acks": "all", "linger.ms": 100})
    for number in range(count):
        producer.produce(topic, value=f"{time.time()} {number}", partition=0)
    assert producer.flush(60) == 0


def take(count, within_s):
    taken, end = [], time.time() + within_s
    while len(taken) < count and time.time() < end:
        message = consumer.poll(1)
        if message is not None and message.error():
            print("an error is reported:", message.error())
        elif message is not None:
            taken.append(message.offset())
    return taken


wait_for(1, 1, 2)
produce(5)
do(crash, 2)
wait_for(1, 1)
produce(5)
consumer = Consumer(
    {
        "bootstrap.servers": addresses,
        "group.id": topic,
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
    }
)
consumer.assign([TopicPartition(topic, 0, 0)])
print("delivered first:", take(3, 60))
time.sleep(2)  # all ten are fetched
do(crash, 1)
do(start, 2)
wait_for(2, 2)
produce(10)
time.sleep(10)  # the consumer learns of it
then = take(12, 30)
print("delivered then:", then)
do(start, 1)
sys.exit(then[:2] != [3, 4])
