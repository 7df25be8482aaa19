// Kafka's producer sends requests that are larger than max.request.size where batch.size is larger
// than it. Run it against any broker with nothing but the client's jars; it makes a topic of its own
// and deletes it in the end:
//
//     java -cp 'kafka-clients-4.3.1.jar:slf4j-api-1.7.36.jar' LargeRequest.java localhost:9092
//
// Expected: no request above max.request.size, 2000 bytes. Found: one of some 9200.

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

public class LargeRequest {
    static final int LIMIT = 2000;

    public static void main(String[] arguments) throws Exception {
        String topic = "large-request-" + System.nanoTime();
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", arguments[0],
                "key.serializer", ByteArraySerializer.class.getName(),
                "value.serializer", ByteArraySerializer.class.getName(),
                "linger.ms", 100,
                "max.request.size", LIMIT);
        double largest;
        try (Admin admin = Admin.create(Map.<String, Object>of("bootstrap.servers", arguments[0]))) {
            admin.createTopics(List.of(new NewTopic(topic, Optional.of(1), Optional.empty()))).all().get();
            try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings)) {
                for (int number = 0; number < 10; number++) {
                    producer.send(new ProducerRecord<>(topic, 0, null, new byte[900]));
                }
                producer.flush();
                largest = producer.metrics().entrySet().stream()
                        .filter(one -> one.getKey().name().equals("request-size-max"))
                        .filter(one -> one.getKey().group().equals("producer-metrics"))
                        .mapToDouble(one -> (double) one.getValue().metricValue()).max().getAsDouble();
            } finally {
                admin.deleteTopics(List.of(topic)).all().get();
            }
        }
        System.out.printf("max.request.size %d, the largest request %.0f bytes%n", LIMIT, largest);
        System.exit(largest <= LIMIT ? 0 : 1);
    }
}
