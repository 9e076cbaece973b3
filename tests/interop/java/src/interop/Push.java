package interop;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.MessageExt;

/**
 * A push consumer (clustering, the default) that prints what its listener gets, until standard
 * input ends. Messages tagged {@code --reject-tag} are answered with RECONSUME_LATER the first
 * time.
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
    consumer.registerMessageListener(new Push(options.get("reject-tag", "")));
    consumer.start();
    Events.ready();
    Clients.waitForEndOfInput();
    consumer.shutdown();
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
