package interop;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.common.message.MessageClientExt;
import org.apache.rocketmq.common.message.MessageExt;

/** What happened, one JSON object a line; safe from any thread. */
final class Events {
  private Events() {}

  static void ready() {
    print("{\"event\":\"ready\"}");
  }

  static void sent(String body, SendResult result) {
    print("{\"event\":\"sent\",\"body\":" + base64(body.getBytes(StandardCharsets.UTF_8))
        + ",\"status\":" + quoted(result.getSendStatus().name())
        + ",\"id\":" + quoted(result.getMsgId())
        + ",\"queue\":" + result.getMessageQueue().getQueueId()
        + ",\"offset\":" + result.getQueueOffset() + "}");
  }

  static void failed(String body, Throwable cause) {
    print("{\"event\":\"failed\",\"body\":" + base64(body.getBytes(StandardCharsets.UTF_8))
        + ",\"cause\":" + quoted(String.valueOf(cause)) + "}");
  }

  /** "record" is the place where the broker keeps the message, the same for all its deliveries. */
  static void received(MessageExt message) {
    StringBuilder properties = new StringBuilder();
    for (Map.Entry<String, String> property : message.getProperties().entrySet()) {
      properties.append(properties.length() == 0 ? "" : ",")
          .append(quoted(property.getKey()))
          .append(':')
          .append(quoted(property.getValue()));
    }
    print("{\"event\":\"received\",\"body\":" + base64(message.getBody())
        + ",\"topic\":" + quoted(message.getTopic())
        + ",\"id\":" + quoted(message.getMsgId())
        + ",\"record\":" + quoted(recordOf(message))
        + ",\"queue\":" + message.getQueueId()
        + ",\"offset\":" + message.getQueueOffset()
        + ",\"stored_at\":" + message.getStoreTimestamp()
        + ",\"reconsume_times\":" + message.getReconsumeTimes()
        + ",\"properties\":{" + properties + "}}");
  }

  /** What the server gives outside a pull is no MessageClientExt in 4.x: its id is the record's. */
  private static String recordOf(MessageExt message) {
    return message instanceof MessageClientExt pulled ? pulled.getOffsetMsgId()
                                                      : message.getMsgId();
  }

  static void offsets(int queue, long first, long found, long next, long earliest) {
    print("{\"event\":\"offsets\",\"queue\":" + queue + ",\"first\":" + first + ",\"found\":" + found
        + ",\"next\":" + next + ",\"earliest\":" + earliest + "}");
  }

  private static synchronized void print(String line) {
    System.out.println(line);
    System.out.flush();
  }

  private static String base64(byte[] bytes) {
    return '"' + Base64.getEncoder().encodeToString(bytes) + '"';
  }

  private static String quoted(String text) {
    if (text == null) {
      return "null";
    }
    StringBuilder quoted = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < 0x20 || c > 0x7e) {
        quoted.append(String.format("\\u%04x", (int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
