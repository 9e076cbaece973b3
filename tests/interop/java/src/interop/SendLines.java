package interop;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.common.message.Message;

/** Sends every line of {@code --file} as one message: the stand-in for {@code sluice produce}. */
final class SendLines {
  private SendLines() {}

  static void run(Options options) throws Exception {
    DefaultMQProducer producer = Clients.startProducer(options);
    // ISO 8859-1 gives every byte one character and back.
    String text = Files.readString(Path.of(options.get("file")), StandardCharsets.ISO_8859_1);
    for (String line : text.split("\n")) {
      producer.send(new Message(options.get("topic"), line.getBytes(StandardCharsets.ISO_8859_1)));
    }
    producer.shutdown();
  }
}
