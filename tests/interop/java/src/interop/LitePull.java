package interop;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.rocketmq.client.consumer.DefaultLitePullConsumer;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;

/** A lite pull consumer that subscribes, prints and commits, until standard input ends. */
final class LitePull {
  private static final int POLL_MS = 100;

  private LitePull() {}

  static void run(Options options) throws Exception {
    DefaultLitePullConsumer consumer = new DefaultLitePullConsumer(options.get("group"));
    Clients.configure(consumer, options);
    consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
    consumer.setAutoCommit(false);
    consumer.subscribe(options.get("topic"), options.get("filter", "*"));
    consumer.start();
    Events.ready();
    AtomicBoolean isStopped = stopAtEndOfInput();
    while (!isStopped.get()) {
      consumer.poll(POLL_MS).forEach(Events::received);
      consumer.commitSync();
    }
    consumer.shutdown();
  }

  private static AtomicBoolean stopAtEndOfInput() {
    AtomicBoolean isStopped = new AtomicBoolean();
    Thread watcher = new Thread(() -> {
      try {
        Clients.waitForEndOfInput();
      } catch (java.io.IOException e) {
        throw new java.io.UncheckedIOException(e);
      } finally {
        isStopped.set(true);
      }
    });
    watcher.setDaemon(true);
    watcher.start();
    return isStopped;
  }
}
