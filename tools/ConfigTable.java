import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.config.ConfigDef;

/**
 * Prints what the jars on the class path define: configs as
 * `plane TAB name TAB type TAB default TAB validator TAB update mode TAB internal TAB synonyms`, and
 * compiled constants, named by the arguments as `class#field`, as `constant TAB class#field TAB value`.
 * Used by config_table.py; the documentation of configs is not printed.
 */
public final class ConfigTable {
    private static final String NONE = "-";

    public static void main(String[] constants) throws Exception {
        Map<String, String> modes = updateModes();
        Map<String, List<?>> synonyms = synonyms();
        print("broker", definition("kafka.server.KafkaConfig", "configDef", "CONFIG_DEF"), modes, "read-only", Map.of());
        print("topic", definition("org.apache.kafka.storage.internals.log.LogConfig", "configDefCopy", "CONFIG_DEF"), Map.of(), "per-topic", synonyms);
        print("group", definition("org.apache.kafka.coordinator.group.GroupConfig", "configDef", "CONFIG_DEF"), Map.of(), "per-group", Map.of());
        print("producer", definition("org.apache.kafka.clients.producer.ProducerConfig", "configDef", "CONFIG_DEF"), Map.of(), "client", Map.of());
        print("consumer", definition("org.apache.kafka.clients.consumer.ConsumerConfig", "configDef", "CONFIG_DEF"), Map.of(), "client", Map.of());
        for (String constant : constants) {
            String[] parts = constant.split("#");
            System.out.println("constant\t" + constant + "\t" + constant(parts[0], parts[1]));
        }
    }

    private static String constant(String owner, String name) {
        try {
            Field field = Class.forName(owner).getDeclaredField(name);
            field.setAccessible(true);
            return String.valueOf(field.get(null));
        } catch (ReflectiveOperationException missing) {
            return NONE;
        }
    }

    private static ConfigDef definition(String owner, String method, String field) throws Exception {
        Class<?> found = Class.forName(owner);
        try {
            return (ConfigDef) found.getMethod(method).invoke(null);
        } catch (NoSuchMethodException elsewhere) {
            return (ConfigDef) found.getField(field).get(null);
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, String> updateModes() throws Exception {
        try {
            Class<?> owner = Class.forName("org.apache.kafka.server.config.DynamicBrokerConfig");
            return (Map<String, String>) owner.getMethod("dynamicConfigUpdateModes").invoke(null);
        } catch (ClassNotFoundException inScala) {
            Class<?> owner = Class.forName("kafka.server.DynamicBrokerConfig$");
            Object companion = owner.getField("MODULE$").get(null);
            return (Map<String, String>) owner.getMethod("dynamicConfigUpdateModes").invoke(companion);
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, List<?>> synonyms() throws Exception {
        Class<?> owner = Class.forName("org.apache.kafka.server.config.ServerTopicConfigSynonyms");
        return (Map<String, List<?>>) owner.getField("ALL_TOPIC_CONFIG_SYNONYMS").get(null);
    }

    private static void print(String plane, ConfigDef definition, Map<String, String> modes, String otherwise, Map<String, List<?>> synonyms)
            throws Exception {
        for (ConfigDef.ConfigKey key : new TreeMap<>(definition.configKeys()).values()) {
            String value = key.hasDefault() ? String.valueOf(ConfigDef.convertToString(key.defaultValue, key.type)) : "<required>";
            System.out.println(String.join("\t", plane, key.name, key.type.toString(), shown(key.defaultValue == null ? "null" : value),
                shown(validator(key.validator)), modes.getOrDefault(key.name, otherwise),
                key.internalConfig ? "internal" : "public", names(synonyms.getOrDefault(key.name, List.of()))));
        }
    }

    /** A list's validator does not print whether the list may be empty or null, where it knows of that. */
    private static String validator(ConfigDef.Validator validator) throws Exception {
        if (validator == null) {
            return NONE;
        }
        StringBuilder text = new StringBuilder(validator.toString());
        if (validator instanceof ConfigDef.ValidList) {
            for (String field : new String[] {"isEmptyAllowed", "isNullAllowed"}) {
                try {
                    Field found = ConfigDef.ValidList.class.getDeclaredField(field);
                    found.setAccessible(true);
                    String what = field.contains("Empty") ? "empty" : "null";
                    text.append(text.length() == 0 ? "" : ", ").append(found.getBoolean(validator) ? "may be " : "never ").append(what);
                } catch (NoSuchFieldException unknown) {
                    continue;
                }
            }
        }
        return text.toString();
    }

    private static String names(List<?> synonyms) throws Exception {
        StringBuilder names = new StringBuilder();
        for (Object synonym : synonyms) {
            Method name = synonym.getClass().getMethod("name");
            name.setAccessible(true);
            names.append(names.length() == 0 ? "" : " ").append(name.invoke(synonym));
        }
        return names.length() == 0 ? NONE : names.toString();
    }

    private static String shown(String text) {
        return text.replaceAll("\\s+", " ");
    }
}
