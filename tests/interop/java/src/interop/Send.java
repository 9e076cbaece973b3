package interop;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendCallback;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.common.message.Message;

/**
 * Sends messages in the ways a producer has: {@code --oneway N --async N --batch N --sync N}, in
 * this order. The sync ones come last, so that their answers also say that the one-way ones before
 * them on the connection have reached the broker.
 *
 * <p>The body of message i of a way is {@code PREFIX-WAY-i}; it is also its key, and the way its
 * tag.
 */
final class Send {
  private final DefaultMQProducer producer;
  private final Options options;

  private Send(DefaultMQProducer producer, Options options) {
    this.producer = producer;
    this.options = options;
  }

  static void run(Options options) throws Exception {
    DefaultMQProducer producer = Clients.startProducer(options);
    Send send = new Send(producer, options);
    send.oneway(send.messages("oneway"));
    send.async(send.messages("async"));
    send.batch(send.messages("batch"));
    send.sync(send.messages("sync"));
    producer.shutdown();
  }

  private List<Message> messages(String way) {
    List<Message> messages = new ArrayList<>();
    for (int i = 0; i < options.number(way, 0); i++) {
      String body = options.get("prefix") + "-" + way + "-" + i;
      Message message =
          new Message(options.get("topic"), way, body, body.getBytes(StandardCharsets.UTF_8));
      message.putUserProperty("number", Integer.toString(i));
      message.putUserProperty("city", "Zürich = \"東京\"");
      messages.add(message);
    }
    return messages;
  }

  private void oneway(List<Message> messages) throws Exception {
    for (Message message : messages) {
      producer.sendOneway(message);
    }
  }

  private void async(List<Message> messages) throws Exception {
    CountDownLatch answers = new CountDownLatch(messages.size());
    for (Message message : messages) {
      producer.send(message, new PrintResult(text(message), answers));
    }
    if (!answers.await(4L * Clients.SEND_TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
      throw new IllegalStateException(answers.getCount() + " asynchronous sends had no answer");
    }
  }

  private void batch(List<Message> messages) throws Exception {
    if (messages.isEmpty()) {
      return;
    }
    Events.sent(options.get("prefix") + "-batch", producer.send(messages));
  }

  private void sync(List<Message> messages) throws Exception {
    for (Message message : messages) {
      Events.sent(text(message), producer.send(message));
    }
  }

  private static String text(Message message) {
    return new String(message.getBody(), StandardCharsets.UTF_8);
  }

  private record PrintResult(String body, CountDownLatch answers) implements SendCallback {
    @Override
    public void onSuccess(SendResult result) {
      Events.sent(body, result);
      answers.countDown();
    }

    @Override
    public void onException(Throwable cause) {
      Events.failed(body, cause);
      answers.countDown();
    }
  }
}
