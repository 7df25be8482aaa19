// Kafka's producer lets records time out that its broker would take, where the batch in which it sent
// them was too large for the topic and a smaller batch was under way behind it. Run it against any
// broker with nothing but the client's jars; it makes a topic of its own and deletes it in the end:
//
//     java -cp 'kafka-clients-4.3.1.jar:slf4j-api-1.7.36.jar' SplitBatchTimesOut.java localhost:9092
//
// Three records of 900 bytes for one partition make a batch of some 2800 bytes; ten of 1900 bytes, each
// a batch of its own, follow at once. The topic takes batches of up to 2000 bytes. A round in which the
// answer to the first batch comes before the second one is sent shows nothing, so there are up to ten.
//
// Expected: an offset for each record. Found: a TimeoutException for each of the first three.

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

public class SplitBatchTimesOut {
    static final int ROUNDS = 10;

    public static void main(String[] arguments) throws Exception {
        boolean written = true;
        for (int round = 0; round < ROUNDS && written; round++) {
            written = sendAll(arguments[0], "split-batch-" + System.nanoTime());
        }
        System.out.println(written ? "every record was written" : "expected every record to be written");
        System.exit(written ? 0 : 1);
    }

    static boolean sendAll(String bootstrap, String topic) throws Exception {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", bootstrap,
                "key.serializer", ByteArraySerializer.class.getName(),
                "value.serializer", ByteArraySerializer.class.getName(),
                "batch.size", 3000,
                "linger.ms", 100,
                "request.timeout.ms", 2000,
                "delivery.timeout.ms", 5000);
        boolean written = true;
        try (Admin admin = Admin.create(Map.<String, Object>of("bootstrap.servers", bootstrap))) {
            admin.createTopics(List.of(new NewTopic(topic, Optional.of(1), Optional.empty())
                    .configs(Map.of("max.message.bytes", "2000")))).all().get();
            try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings)) {
                List<Future<RecordMetadata>> results = new ArrayList<>();
                for (int number = 0; number < 13; number++) {
                    byte[] value = new byte[number < 3 ? 900 : 1900];
                    results.add(producer.send(new ProducerRecord<>(topic, 0, null, value)));
                }
                producer.flush();
                for (int number = 0; number < results.size(); number++) {
                    try {
                        System.out.println("record " + number + ": offset " + results.get(number).get().offset());
                    } catch (ExecutionException failed) {
                        System.out.println("record " + number + ": " + failed.getCause());
                        written = false;
                    }
                }
            } finally {
                admin.deleteTopics(List.of(topic)).all().get();
            }
        }
        return written;
    }
}
