package interop;

import java.util.HashMap;
import java.util.Map;

/** The {@code --name value} pairs after the subcommand. */
final class Options {
  private final Map<String, String> values = new HashMap<>();

  private Options() {}

  static Options parse(String[] arguments) {
    Options options = new Options();
    for (int i = 1; i < arguments.length; i += 2) {
      if (!arguments[i].startsWith("--") || i + 1 == arguments.length) {
        throw new IllegalArgumentException("expected --name value, got " + arguments[i]);
      }
      options.values.put(arguments[i].substring(2), arguments[i + 1]);
    }
    return options;
  }

  String get(String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException("--" + name + " is missing");
    }
    return value;
  }

  String get(String name, String otherwise) {
    return values.getOrDefault(name, otherwise);
  }

  int number(String name, int otherwise) {
    String value = values.get(name);
    return value == null ? otherwise : Integer.parseInt(value);
  }
}
