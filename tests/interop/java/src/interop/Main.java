package interop;

/**
 * The Java side of the interoperability tests: one subcommand for each thing that a test asks of an
 * unmodified RocketMQ client. Events go to standard output, one JSON object a line.
 */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) throws Exception {
    if (arguments.length == 0) {
      throw new IllegalArgumentException(
          "usage: Main send|send-lines|push|pull|lite-pull|read-all|find --nameserver ADDR ...");
    }
    Options options = Options.parse(arguments);
    switch (arguments[0]) {
      case "send" -> Send.run(options);
      case "send-lines" -> SendLines.run(options);
      case "push" -> Push.run(options);
      case "pull" -> Pull.run(options);
      case "lite-pull" -> LitePull.run(options);
      case "read-all" -> ReadAll.run(options);
      case "find" -> Find.run(options);
      default -> throw new IllegalArgumentException("no such subcommand: " + arguments[0]);
    }
    System.out.flush();
    // Client threads that are not daemons must not keep a finished program alive.
    System.exit(0);
  }
}
