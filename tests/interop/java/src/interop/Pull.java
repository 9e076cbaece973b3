package interop;

import org.apache.rocketmq.client.consumer.DefaultMQPullConsumer;
import org.apache.rocketmq.client.consumer.PullResult;
import org.apache.rocketmq.client.consumer.PullStatus;
import org.apache.rocketmq.common.message.MessageQueue;

/**
 * A pull consumer that takes every queue of the topic from the group's offset to its end, prints
 * the messages and commits.
 */
final class Pull {
  private static final int BATCH = 16;

  private Pull() {}

  static void run(Options options) throws Exception {
    DefaultMQPullConsumer consumer = Clients.startPullConsumer(options);
    for (MessageQueue queue : consumer.fetchSubscribeMessageQueues(options.get("topic"))) {
      long committed = consumer.fetchConsumeOffset(queue, true);
      long next = drain(consumer, queue, Math.max(committed, consumer.minOffset(queue)));
      consumer.getOffsetStore().updateConsumeOffsetToBroker(queue, next, false);
    }
    consumer.shutdown();
  }

  private static long drain(DefaultMQPullConsumer consumer, MessageQueue queue, long from)
      throws Exception {
    long next = from;
    while (next < consumer.maxOffset(queue)) {
      PullResult result = consumer.pull(queue, "*", next, BATCH);
      if (result.getPullStatus() == PullStatus.FOUND) {
        result.getMsgFoundList().forEach(Events::received);
      }
      next = result.getNextBeginOffset();
    }
    return next;
  }
}
