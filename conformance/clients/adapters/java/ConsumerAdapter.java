// The adapter for Kafka's Java consumer, and with an argument for its share consumer (`share`) or its producer
// (`producer`): the lines of docs/reference/client-protocol.md. It is run by the JVM's source launcher, with the jars
// of one Kafka release as its class path.

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.AppInfoParser;

public class ConsumerAdapter {
    static final ObjectMapper JSON = new ObjectMapper();
    static final Duration CLOSE = Duration.ofMillis(200);

    KafkaConsumer<byte[], byte[]> consumer;

    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        boolean share = List.of(arguments).contains("share");
        boolean producer = List.of(arguments).contains("producer");
        ConsumerAdapter adapter = share ? new ShareConsumerAdapter()
                : producer ? new ProducerAdapter() : new ConsumerAdapter();
        ObjectNode greeting = JSON.createObjectNode().put("fencepost_client", 1)
                .put("client", share ? "java-share" : producer ? "java-producer" : "java")
                .put("version", AppInfoParser.getVersion())
                .put("kind", share ? "share_consumer" : producer ? "producer" : "consumer");
        adapter.commands().forEach(greeting.putArray("commands")::add);
        new TreeSet<>(adapter.options()).forEach(greeting.putArray("options")::add);
        write(out, greeting);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            ObjectNode answer = JSON.createObjectNode();
            try {
                answer.set("ok", adapter.answer(JSON.readTree(line)));
            } catch (UnsupportedOperationException lacking) {
                answer.put("error", "UNSUPPORTED").put("message", lacking.getMessage());
            } catch (Exception failed) {
                answer.put("error", failed.getClass().getSimpleName())
                        .put("message", String.valueOf(failed.getMessage()));
            }
            write(out, answer);
        }
        System.exit(0);
    }

    static void write(PrintStream out, JsonNode message) throws Exception {
        out.println(JSON.writeValueAsString(message));
        out.flush();
    }

    Set<String> commands() {
        return Set.of("open", "assign", "subscribe", "poll", "pause", "resume", "seek", "position",
                "commit", "close");
    }

    Set<String> options() {
        return ConsumerConfig.configNames();
    }

    ObjectNode answer(JsonNode command) throws Exception {
        ObjectNode ok = JSON.createObjectNode();
        switch (command.get("do").asText()) {
            case "open" -> open(command);
            case "assign" -> consumer.assign(partitions(command));
            case "subscribe" -> consumer.subscribe(topics(command));
            case "poll" -> poll(command.get("timeout_ms").asLong(), ok.putArray("records"));
            case "pause" -> consumer.pause(partitions(command));
            case "resume" -> consumer.resume(partitions(command));
            case "seek" -> consumer.seek(partition(command.get("partition")), command.get("offset").asLong());
            case "position" -> ok.put("offset", consumer.position(partition(command.get("partition"))));
            case "commit" -> commit(command.path("offsets"));
            case "close" -> close();
            default -> throw new UnsupportedOperationException("no command " + command.get("do"));
        }
        return ok;
    }

    void open(JsonNode command) {
        consumer = new KafkaConsumer<>(settings(command));
    }

    Properties settings(JsonNode command) {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", command.get("bootstrap").asText());
        settings.put("key.deserializer", ByteArrayDeserializer.class.getName());
        settings.put("value.deserializer", ByteArrayDeserializer.class.getName());
        command.get("options").fields().forEachRemaining(one -> {
            if (!options().contains(one.getKey())) {
                throw new UnsupportedOperationException("no option " + one.getKey());
            }
            settings.put(one.getKey(), one.getValue().asText());
        });
        return settings;
    }

    void poll(long timeout, ArrayNode records) throws Exception {
        for (ConsumerRecord<byte[], byte[]> one : consumer.poll(Duration.ofMillis(timeout))) {
            add(records, one);
        }
    }

    static ArrayNode add(ArrayNode records, ConsumerRecord<byte[], byte[]> one) throws Exception {
        return records.addArray().add(one.topic()).add(one.partition()).add(one.offset())
                .add(one.key() == null ? null : new String(one.key(), StandardCharsets.UTF_8))
                .add(one.value() == null ? null : hash(one.value()));
    }

    void commit(JsonNode offsets) {
        if (offsets.isEmpty()) {
            consumer.commitSync();
            return;
        }
        Map<TopicPartition, OffsetAndMetadata> wanted = new HashMap<>();
        offsets.forEach(one -> wanted.put(partition(one), new OffsetAndMetadata(one.get(2).asLong())));
        consumer.commitSync(wanted);
    }

    @SuppressWarnings("deprecation") // releases before 4.1 have no other close with a time limit
    void close() {
        if (consumer != null) {
            KafkaConsumer<byte[], byte[]> closing = consumer;
            consumer = null;
            closing.close(CLOSE);
        }
    }

    static String hash(byte[] value) throws Exception {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(value);
        return HexFormat.of().formatHex(digest).substring(0, 16);
    }

    static List<String> topics(JsonNode command) {
        List<String> found = new ArrayList<>();
        command.get("topics").forEach(one -> found.add(one.asText()));
        return found;
    }

    static List<TopicPartition> partitions(JsonNode command) {
        List<TopicPartition> found = new ArrayList<>();
        command.get("partitions").forEach(one -> found.add(partition(one)));
        return found;
    }

    static TopicPartition partition(JsonNode one) {
        return new TopicPartition(one.get(0).asText(), one.get(1).asInt());
    }
}

class ShareConsumerAdapter extends ConsumerAdapter {
    KafkaShareConsumer<byte[], byte[]> sharing;
    final Map<String, ConsumerRecord<byte[], byte[]>> polled = new HashMap<>();

    @Override
    Set<String> commands() {
        return Set.of("open", "subscribe", "poll", "acknowledge", "commit", "close");
    }

    @Override
    ObjectNode answer(JsonNode command) throws Exception {
        ObjectNode ok = JSON.createObjectNode();
        switch (command.get("do").asText()) {
            case "open" -> sharing = new KafkaShareConsumer<>(settings(command));
            case "subscribe" -> sharing.subscribe(topics(command));
            case "poll" -> poll(command.get("timeout_ms").asLong(), ok.putArray("records"));
            case "acknowledge" -> acknowledge(command);
            case "commit" -> commit();
            case "close" -> close();
            default -> throw new UnsupportedOperationException("no command " + command.get("do"));
        }
        return ok;
    }

    @Override
    void poll(long timeout, ArrayNode records) throws Exception {
        polled.clear();
        for (ConsumerRecord<byte[], byte[]> one : sharing.poll(Duration.ofMillis(timeout))) {
            polled.put(one.topic() + "-" + one.partition() + "@" + one.offset(), one);
            ArrayNode record = add(records, one);
            one.deliveryCount().ifPresent(count -> record.add((int) count));
        }
    }

    void acknowledge(JsonNode command) {
        AcknowledgeType way = AcknowledgeType.valueOf(command.get("way").asText().toUpperCase());
        for (JsonNode one : command.get("records")) {
            TopicPartition at = partition(one);
            sharing.acknowledge(polled.get(at + "@" + one.get(2).asLong()), way);
        }
        commit();
    }

    void commit() {
        for (var failed : sharing.commitSync().values()) {
            if (failed.isPresent()) {
                throw failed.get();
            }
        }
    }

    @Override
    void close() {
        if (sharing != null) {
            KafkaShareConsumer<byte[], byte[]> closing = sharing;
            sharing = null;
            closing.close(CLOSE);
        }
    }
}

class ProducerAdapter extends ConsumerAdapter {
    KafkaProducer<byte[], byte[]> producer;

    @Override
    Set<String> commands() {
        return Set.of("open", "produce", "close");
    }

    @Override
    Set<String> options() {
        return ProducerConfig.configNames();
    }

    @Override
    ObjectNode answer(JsonNode command) throws Exception {
        ObjectNode ok = JSON.createObjectNode();
        switch (command.get("do").asText()) {
            case "open" -> {
                Properties settings = settings(command);
                settings.put("key.serializer", ByteArraySerializer.class.getName());
                settings.put("value.serializer", ByteArraySerializer.class.getName());
                producer = new KafkaProducer<>(settings);
            }
            case "produce" -> produce(command.get("records"), ok.putArray("results"));
            case "close" -> close();
            default -> throw new UnsupportedOperationException("no command " + command.get("do"));
        }
        return ok;
    }

    void produce(JsonNode records, ArrayNode results) {
        Object[] found = new Object[records.size()];
        for (int i = 0; i < found.length; i++) {
            int place = i;
            JsonNode one = records.get(i);
            byte[] value = one.get(2).asText().getBytes(StandardCharsets.UTF_8);
            try {
                producer.send(new ProducerRecord<>(one.get(0).asText(), one.get(1).asInt(), null, value),
                        (written, failed) -> found[place] = failed == null ? (Object) written.offset()
                                : failed.getClass().getSimpleName());
            } catch (RuntimeException failed) {
                found[place] = failed.getClass().getSimpleName();
            }
        }
        producer.flush();
        for (Object one : found) {
            if (one instanceof Long offset) {
                results.add(offset);
            } else {
                results.add((String) one);
            }
        }
    }

    @Override
    void close() {
        if (producer != null) {
            KafkaProducer<byte[], byte[]> closing = producer;
            producer = null;
            closing.close(CLOSE);
        }
    }
}
