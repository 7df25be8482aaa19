import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.jar.JarFile;
import jdk.internal.org.objectweb.asm.ClassReader;
import jdk.internal.org.objectweb.asm.ClassWriter;
import jdk.internal.org.objectweb.asm.Opcodes;
import jdk.internal.org.objectweb.asm.Type;
import jdk.internal.org.objectweb.asm.tree.AbstractInsnNode;
import jdk.internal.org.objectweb.asm.tree.ClassNode;
import jdk.internal.org.objectweb.asm.tree.InsnList;
import jdk.internal.org.objectweb.asm.tree.InsnNode;
import jdk.internal.org.objectweb.asm.tree.JumpInsnNode;
import jdk.internal.org.objectweb.asm.tree.LdcInsnNode;
import jdk.internal.org.objectweb.asm.tree.LineNumberNode;
import jdk.internal.org.objectweb.asm.tree.MethodInsnNode;
import jdk.internal.org.objectweb.asm.tree.MethodNode;
import jdk.internal.org.objectweb.asm.tree.TypeInsnNode;

/**
 * Small faults in the classes of a broker: `list JAR CLASS` prints each place that can be changed; as
 * a Java agent with `CLASS,NUMBER,FILE` it changes one as the class is loaded, and writes a line of
 * the file when the changed place is reached for the first time. With `CLASS,all,FILE` it changes
 * nothing and writes a line for each place that is reached.
 */
public final class KafkaMutants implements ClassFileTransformer, Opcodes {
  private static final Map<Integer, Integer> NEGATED = new HashMap<>();
  private static final Map<Integer, Integer> SHIFTED = new HashMap<>();
  private static final Map<Integer, Integer> SWAPPED = new HashMap<>();
  private static final String UNTOUCHED = "toString|hashCode|equals|<clinit>|.*[mM]etric.*";
  private static final String NO_OWNER =
      ".*(slf4j|[mM]etric|Logger|Logging|Stats|Iterator|Lock|Sensor).*";
  private static final String NO_CALL = ".*([lL]ock|debug|info|warn|error|trace|[mM]etric).*";

  static {
    pairs(NEGATED, IFEQ, IFNE, IFLT, IFGE, IFGT, IFLE, IFNULL, IFNONNULL, IF_ACMPEQ, IF_ACMPNE);
    pairs(NEGATED, IF_ICMPEQ, IF_ICMPNE, IF_ICMPLT, IF_ICMPGE, IF_ICMPGT, IF_ICMPLE);
    pairs(SHIFTED, IFLT, IFLE, IFGT, IFGE, IF_ICMPLT, IF_ICMPLE, IF_ICMPGT, IF_ICMPGE);
    pairs(SWAPPED, IADD, ISUB, LADD, LSUB, LCONST_0, LCONST_1);
  }

  private static final Set<String> REACHED = ConcurrentHashMap.newKeySet();
  private static volatile Path file;
  private final String changed;
  private final String numbers;

  private KafkaMutants(String changed, String numbers) {
    this.changed = changed;
    this.numbers = numbers;
  }

  private static void pairs(Map<Integer, Integer> to, int... codes) {
    for (int at = 0; at < codes.length; at += 2) {
      to.put(codes[at], codes[at + 1]);
      to.put(codes[at + 1], codes[at]);
    }
  }

  public static void premain(String arguments, Instrumentation instrumentation) {
    String[] given = arguments.split(",", 3);
    file = Path.of(given[2]);
    instrumentation.addTransformer(new KafkaMutants(given[0], given[1]));
  }

  public static void main(String[] arguments) throws IOException {
    ClassNode node = new ClassNode();
    try (JarFile jar = new JarFile(arguments[1])) {
      new ClassReader(jar.getInputStream(jar.getEntry(arguments[2] + ".class"))).accept(node, 0);
    }
    visit(
        node,
        (number, kind, method, line, at) ->
            System.out.println(number + "\t" + kind + "\t" + method.name + "\t" + line));
  }

  /** Called where a place is reached. */
  public static void reached(String place) {
    if (REACHED.add(place)) {
      try {
        Files.writeString(
            file, place + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      } catch (IOException ignored) {
        // the line is missed by whoever waits for it
      }
    }
  }

  @Override
  public byte[] transform(
      ClassLoader loader, String name, Class<?> old, ProtectionDomain domain, byte[] code) {
    if (!changed.equals(name)) {
      return null;
    }
    ClassNode node = new ClassNode();
    new ClassReader(code).accept(node, 0);
    visit(
        node,
        (number, kind, method, line, at) -> {
          boolean wanted = numbers.equals(String.valueOf(number));
          if (wanted || numbers.equals("all")) {
            mark(method.instructions, at, name + "\t" + number);
          }
          if (wanted) {
            change(method.instructions, at, kind);
          }
        });
    ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    node.accept(writer);
    return writer.toByteArray();
  }

  /** What is done at each place. */
  private interface Visitor {
    void at(int number, String kind, MethodNode method, int line, AbstractInsnNode place);
  }

  private static void visit(ClassNode node, Visitor visitor) {
    int number = 0;
    for (MethodNode method : node.methods) {
      if (method.name.matches(UNTOUCHED)) {
        continue;
      }
      int line = 0;
      for (AbstractInsnNode at : method.instructions.toArray()) {
        line = at instanceof LineNumberNode ? ((LineNumberNode) at).line : line;
        for (String kind : kinds(at)) {
          visitor.at(number++, kind, method, line, at);
        }
      }
    }
  }

  private static List<String> kinds(AbstractInsnNode at) {
    List<String> kinds = new ArrayList<>();
    int code = at.getOpcode();
    if (NEGATED.containsKey(code)) {
      kinds.add("negated");
    }
    if (SHIFTED.containsKey(code)) {
      kinds.add("boundary");
    }
    if (SWAPPED.containsKey(code)) {
      kinds.add("arithmetic");
    }
    int next = after(at);
    if ((code == ICONST_0 || code == ICONST_1) && next == IRETURN) {
      kinds.add("returned");
    }
    if (at instanceof MethodInsnNode) {
      MethodInsnNode call = (MethodInsnNode) at;
      boolean unused = call.desc.endsWith(")V") || next == POP || next == POP2;
      boolean plain = !call.owner.matches(NO_OWNER) && !call.name.matches(NO_CALL);
      if (unused && plain && !call.name.equals("<init>")) {
        kinds.add("left out");
      }
    }
    return kinds;
  }

  private static int after(AbstractInsnNode at) {
    AbstractInsnNode next = at.getNext();
    while (next != null && next.getOpcode() < 0) {
      next = next.getNext();
    }
    return next == null ? -1 : next.getOpcode();
  }

  private static void mark(InsnList list, AbstractInsnNode at, String place) {
    String takes = "(Ljava/lang/String;)V";
    list.insertBefore(at, new LdcInsnNode(place));
    list.insertBefore(at, new MethodInsnNode(INVOKESTATIC, "KafkaMutants", "reached", takes, false));
  }

  private static void change(InsnList list, AbstractInsnNode at, String kind) {
    int code = at.getOpcode();
    switch (kind) {
      case "negated" -> ((JumpInsnNode) at).setOpcode(NEGATED.get(code));
      case "boundary" -> ((JumpInsnNode) at).setOpcode(SHIFTED.get(code));
      case "arithmetic" -> list.set(at, new InsnNode(SWAPPED.get(code)));
      case "returned" -> list.set(at, new InsnNode(code == ICONST_1 ? ICONST_0 : ICONST_1));
      default -> leaveOut(list, (MethodInsnNode) at);
    }
  }

  private static void leaveOut(InsnList list, MethodInsnNode call) {
    InsnList instead = new InsnList();
    Type[] given = Type.getArgumentTypes(call.desc);
    for (int at = given.length - 1; at >= 0; at--) {
      instead.add(new InsnNode(given[at].getSize() == 2 ? POP2 : POP));
    }
    if (call.getOpcode() != INVOKESTATIC) {
      instead.add(new InsnNode(POP));
    }
    Type result = Type.getReturnType(call.desc);
    switch (result.getSort()) {
      case Type.VOID -> { }
      case Type.LONG -> instead.add(new InsnNode(LCONST_0));
      case Type.DOUBLE -> instead.add(new InsnNode(DCONST_0));
      case Type.FLOAT -> instead.add(new InsnNode(FCONST_0));
      case Type.OBJECT, Type.ARRAY -> {
        instead.add(new InsnNode(ACONST_NULL));
        instead.add(new TypeInsnNode(CHECKCAST, result.getInternalName()));
      }
      default -> instead.add(new InsnNode(ICONST_0));
    }
    list.insert(call, instead);
    list.remove(call);
  }
}
