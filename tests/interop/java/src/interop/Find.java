package interop;

import java.util.List;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;

/**
 * Looks messages up through the client's administrative calls: {@code --key KEY}, or {@code --id ID}
 * with an offset message id or a unique one; and prints what is found. {@code --offsets-at MILLIS}
 * prints a line with the offsets of each queue.
 */
final class Find {
  private static final int MESSAGES_MAX = 64;

  private final DefaultMQProducer producer;
  private final Options options;

  private Find(DefaultMQProducer producer, Options options) {
    this.producer = producer;
    this.options = options;
  }

  static void run(Options options) throws Exception {
    DefaultMQProducer producer = Clients.startProducer(options);
    Find find = new Find(producer, options);
    if (options.get("key", null) != null) {
      find.messages(options.get("key")).forEach(Events::received);
    }
    if (options.get("id", null) != null) {
      Events.received(producer.viewMessage(options.get("topic"), options.get("id")));
    }
    if (options.get("offsets-at", null) != null) {
      find.printOffsets(Long.parseLong(options.get("offsets-at")));
    }
    producer.shutdown();
  }

  /** Empty where the client says that there is none. */
  private List<MessageExt> messages(String key) throws Exception {
    long first = Long.parseLong(options.get("first", "0"));
    long last = Long.parseLong(options.get("last", Long.toString(Long.MAX_VALUE)));
    try {
      return producer.queryMessage(options.get("topic"), key, MESSAGES_MAX, first, last)
          .getMessageList();
    } catch (MQClientException nothing) {
      return List.of();
    }
  }

  private void printOffsets(long millis) throws Exception {
    for (MessageQueue queue : producer.fetchPublishMessageQueues(options.get("topic"))) {
      Events.offsets(queue.getQueueId(), producer.minOffset(queue),
          producer.searchOffset(queue, millis), producer.maxOffset(queue),
          producer.earliestMsgStoreTime(queue));
    }
  }
}
