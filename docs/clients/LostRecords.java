// Kafka's Java consumer loses records that a poll has already taken when an error code that it does
// not expect stands behind them in the same response. Run it with nothing but the client's jars:
//
//     java -cp 'kafka-clients-4.3.1.jar:slf4j-api-1.7.36.jar' LostRecords.java
//
// A server in this file speaks what the consumer needs: one topic, two partitions. Partition 1 holds
// offsets 0 and 1, partition 0 holds offset 0. Its first Fetch response has offset 0 of partition 1,
// then error 42 (INVALID_REQUEST) for partition 0; every later one has what is asked for.
//
// Expected: every record is delivered once. Found: offset 0 of partition 1 never is.

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

public class LostRecords {
    static final String TOPIC = "t";
    static final int[] ENDS = {1, 2};
    static final short INVALID_REQUEST = 42;
    static final AtomicBoolean failed = new AtomicBoolean();

    public static void main(String[] arguments) throws Exception {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread accepting = new Thread(() -> accept(server));
        accepting.setDaemon(true);
        accepting.start();
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", "127.0.0.1:" + server.getLocalPort(),
                "key.deserializer", ByteArrayDeserializer.class.getName(),
                "value.deserializer", ByteArrayDeserializer.class.getName(),
                "auto.offset.reset", "earliest");
        List<String> delivered = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings)) {
            consumer.assign(List.of(new TopicPartition(TOPIC, 0), new TopicPartition(TOPIC, 1)));
            for (int number = 0; number < 8; number++) {
                try {
                    for (ConsumerRecord<byte[], byte[]> one : consumer.poll(Duration.ofMillis(500))) {
                        delivered.add(one.partition() + "@" + one.offset());
                    }
                } catch (IllegalStateException thrown) {
                    System.out.println("poll " + number + " throws " + thrown);
                }
            }
            System.out.println("position of partition 1: " + consumer.position(new TopicPartition(TOPIC, 1)));
        }
        System.out.println("expected in any order: [0@0, 1@0, 1@1]");
        System.out.println("found:                 " + delivered.stream().sorted().toList());
        System.exit(delivered.contains("1@0") ? 0 : 1);
    }

    static void accept(ServerSocket server) {
        while (true) {
            try {
                Socket socket = server.accept();
                Thread serving = new Thread(() -> serve(socket, server.getLocalPort()));
                serving.setDaemon(true);
                serving.start();
            } catch (Exception closed) {
                return;
            }
        }
    }

    static void serve(Socket socket, int port) {
        try (socket) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            while (true) {
                byte[] frame = new byte[in.readInt()];
                in.readFully(frame);
                ByteBuffer buffer = ByteBuffer.wrap(frame);
                ApiKeys api = ApiKeys.forId(buffer.getShort(0));
                short version = buffer.getShort(2);
                ByteBufferAccessor reading = new ByteBufferAccessor(buffer);
                RequestHeaderData header = new RequestHeaderData(reading, api.requestHeaderVersion(version));
                byte[] head = bytes(new ResponseHeaderData().setCorrelationId(header.correlationId()),
                        api.responseHeaderVersion(version));
                byte[] body = bytes(answer(api, reading, version, port), version);
                out.writeInt(head.length + body.length);
                out.write(head);
                out.write(body);
                out.flush();
            }
        } catch (Exception ended) {
            // the consumer closed its connection
        }
    }

    static byte[] bytes(ApiMessage message, short version) {
        ObjectSerializationCache cache = new ObjectSerializationCache();
        ByteBuffer buffer = ByteBuffer.allocate(message.size(cache, version));
        message.write(new ByteBufferAccessor(buffer), cache, version);
        return buffer.array();
    }

    static ApiMessage answer(ApiKeys api, ByteBufferAccessor body, short version, int port) throws Exception {
        return switch (api) {
            case API_VERSIONS -> versions();
            case METADATA -> metadata(port);
            case LIST_OFFSETS -> beginnings(new ListOffsetsRequestData(body, version));
            case FETCH -> fetched(new FetchRequestData(body, version));
            default -> throw new IllegalArgumentException("not served: " + api);
        };
    }

    static ApiMessage versions() {
        ApiVersionsResponseData data = new ApiVersionsResponseData();
        int[][] served = {{ApiKeys.API_VERSIONS.id, 0, 4}, {ApiKeys.METADATA.id, 4, 9},
            {ApiKeys.LIST_OFFSETS.id, 1, 7}, {ApiKeys.FETCH.id, 4, 12}};
        for (int[] one : served) {
            data.apiKeys().add(new ApiVersionsResponseData.ApiVersion().setApiKey((short) one[0])
                    .setMinVersion((short) one[1]).setMaxVersion((short) one[2]));
        }
        return data;
    }

    static ApiMessage metadata(int port) {
        MetadataResponseData data = new MetadataResponseData().setControllerId(1).setClusterId("c");
        data.brokers().add(new MetadataResponseData.MetadataResponseBroker().setNodeId(1)
                .setHost("127.0.0.1").setPort(port));
        MetadataResponseData.MetadataResponseTopic topic =
                new MetadataResponseData.MetadataResponseTopic().setName(TOPIC);
        for (int partition = 0; partition < ENDS.length; partition++) {
            topic.partitions().add(new MetadataResponseData.MetadataResponsePartition()
                    .setPartitionIndex(partition).setLeaderId(1).setLeaderEpoch(0)
                    .setReplicaNodes(List.of(1)).setIsrNodes(List.of(1)));
        }
        data.topics().add(topic);
        return data;
    }

    static ApiMessage beginnings(ListOffsetsRequestData asked) {
        ListOffsetsResponseData data = new ListOffsetsResponseData();
        for (var topic : asked.topics()) {
            var answered = new ListOffsetsResponseData.ListOffsetsTopicResponse().setName(topic.name());
            for (var part : topic.partitions()) {
                answered.partitions().add(new ListOffsetsResponseData.ListOffsetsPartitionResponse()
                        .setPartitionIndex(part.partitionIndex()).setOffset(0).setTimestamp(-1));
            }
            data.topics().add(answered);
        }
        return data;
    }

    static ApiMessage fetched(FetchRequestData asked) throws Exception {
        FetchResponseData data = new FetchResponseData();
        var answered = new FetchResponseData.FetchableTopicResponse().setTopic(TOPIC);
        for (int partition = ENDS.length - 1; partition >= 0; partition--) {
            for (var topic : asked.topics()) {
                for (var part : topic.partitions()) {
                    if (part.partition() == partition) {
                        answered.partitions().add(part(partition, part.fetchOffset()));
                    }
                }
            }
        }
        data.responses().add(answered);
        if (answered.partitions().stream().allMatch(one -> one.records().sizeInBytes() == 0)) {
            Thread.sleep(100);
        }
        return data;
    }

    static FetchResponseData.PartitionData part(int partition, long offset) {
        var data = new FetchResponseData.PartitionData().setPartitionIndex(partition)
                .setHighWatermark(ENDS[partition]).setLastStableOffset(ENDS[partition])
                .setLogStartOffset(0).setRecords(MemoryRecords.EMPTY);
        if (partition == 0 && failed.compareAndSet(false, true)) {
            return data.setErrorCode(INVALID_REQUEST);
        }
        if (offset < ENDS[partition]) {
            data.setRecords(MemoryRecords.withRecords(offset, Compression.NONE,
                    new SimpleRecord(("record " + offset).getBytes())));
        }
        return data;
    }
}
