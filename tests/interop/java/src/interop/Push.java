package interop;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.MessageExt;

/**
 * A push consumer that prints what its listener gets, until standard input ends. {@code --model
 * BROADCASTING}: not the default, clustering. {@code --order queue}: one thread a queue. Messages
 * tagged {@code --reject-tag} are answered with RECONSUME_LATER the first time.
 *
 * <p>A line of standard input changes what it consumes: {@code subscribe TOPIC} or {@code
 * unsubscribe TOPIC}.
 */
final class Push implements MessageListenerConcurrently {
  /** Without it shutdown() interrupts whoever is about to count what was consumed. */
  private static final long SHUTDOWN_MILLIS_MAX = 10_000;

  private final String rejectedTag;
  private final Map<String, Integer> deliveries = new HashMap<>();

  private Push(String rejectedTag) {
    this.rejectedTag = rejectedTag;
  }

  static void run(Options options) throws Exception {
    DefaultMQPushConsumer consumer = new DefaultMQPushConsumer(options.get("group"));
    Clients.configure(consumer, options);
    consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
    consumer.subscribe(options.get("topic"), options.get("filter", "*"));
    consumer.setAwaitTerminationMillisWhenShutdown(SHUTDOWN_MILLIS_MAX);
    // Broadcasting consumers of one machine keep their offsets in one file unless they differ here.
    consumer.setInstanceName(options.get("instance", consumer.getInstanceName()));
    Clients.setMessageModel(consumer, options.get("model", "CLUSTERING"));
    // Two objects: the client takes one that is a listener of both kinds for an orderly one.
    if (options.get("order", "").equals("queue")) {
      MessageListenerOrderly listener = Push::consumeInOrder;
      consumer.registerMessageListener(listener);
    } else {
      MessageListenerConcurrently listener = new Push(options.get("reject-tag", ""));
      consumer.registerMessageListener(listener);
    }
    consumer.start();
    Events.ready();
    obey(consumer);
    consumer.shutdown();
  }

  private static void obey(DefaultMQPushConsumer consumer) throws Exception {
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      String[] words = line.split(" ");
      switch (words[0]) {
        case "subscribe" -> consumer.subscribe(words[1], "*");
        case "unsubscribe" -> consumer.unsubscribe(words[1]);
        default -> throw new IllegalArgumentException("no such command: " + line);
      }
    }
  }

  private static ConsumeOrderlyStatus consumeInOrder(
      List<MessageExt> messages, ConsumeOrderlyContext context) {
    messages.forEach(Events::received);
    return ConsumeOrderlyStatus.SUCCESS;
  }

  @Override
  public ConsumeConcurrentlyStatus consumeMessage(
      List<MessageExt> messages, ConsumeConcurrentlyContext context) {
    boolean isRejected = false;
    for (MessageExt message : messages) {
      Events.received(message);
      isRejected |= rejectedTag.equals(message.getTags()) && isFirstDelivery(message.getKeys());
    }
    return isRejected ? ConsumeConcurrentlyStatus.RECONSUME_LATER
                      : ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
  }

  private synchronized boolean isFirstDelivery(String key) {
    return deliveries.merge(key, 1, Integer::sum) == 1;
  }
}
