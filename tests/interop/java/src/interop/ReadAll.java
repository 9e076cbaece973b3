package interop;

import java.io.BufferedOutputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;
import org.apache.rocketmq.client.consumer.DefaultMQPullConsumer;
import org.apache.rocketmq.client.consumer.PullResult;
import org.apache.rocketmq.client.consumer.PullStatus;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;

/**
 * Writes the bodies of a whole topic to {@code --out}, a line feed after each: queue after queue,
 * each in the order of its offsets. Fails where offsets have a gap.
 */
final class ReadAll {
  private static final int BATCH = 32;

  private ReadAll() {}

  static void run(Options options) throws Exception {
    DefaultMQPullConsumer consumer = Clients.startPullConsumer(options);
    try (OutputStream out =
             new BufferedOutputStream(Files.newOutputStream(Path.of(options.get("out"))))) {
      for (MessageQueue queue :
          new TreeSet<>(consumer.fetchSubscribeMessageQueues(options.get("topic")))) {
        copy(consumer, queue, out);
      }
    }
    consumer.shutdown();
  }

  private static void copy(DefaultMQPullConsumer consumer, MessageQueue queue, OutputStream out)
      throws Exception {
    long next = consumer.minOffset(queue);
    while (next < consumer.maxOffset(queue)) {
      PullResult result = consumer.pull(queue, "*", next, BATCH);
      if (result.getPullStatus() != PullStatus.FOUND) {
        throw new IllegalStateException(
            queue + " answers " + result.getPullStatus() + " at offset " + next);
      }
      for (MessageExt message : result.getMsgFoundList()) {
        if (message.getQueueOffset() != next) {
          throw new IllegalStateException(
              queue + " has offset " + message.getQueueOffset() + " where " + next + " belongs");
        }
        out.write(message.getBody());
        out.write('\n');
        next++;
      }
    }
  }
}
