package interop;

import java.io.IOException;
import java.lang.reflect.Method;
import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.consumer.DefaultMQPullConsumer;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;

/** Client objects with the settings that all subcommands share. */
final class Clients {
  /** Long enough for a machine whose cores are all busy with other tests. */
  static final int SEND_TIMEOUT_MS = 15_000;

  private static final int INTERVAL_MS = 1_000;

  private Clients() {}

  static DefaultMQProducer startProducer(Options options) throws MQClientException {
    DefaultMQProducer producer = new DefaultMQProducer(options.get("group", "interop-producer"));
    configure(producer, options);
    producer.setSendMsgTimeout(SEND_TIMEOUT_MS);
    producer.setDefaultTopicQueueNums(options.number("queues", 4));
    producer.start();
    return producer;
  }

  static DefaultMQPullConsumer startPullConsumer(Options options) throws MQClientException {
    DefaultMQPullConsumer consumer = new DefaultMQPullConsumer(options.get("group"));
    configure(consumer, options);
    consumer.start();
    return consumer;
  }

  /** Only intervals are shortened, so that a test need not wait for the 30 s of the defaults. */
  static void configure(ClientConfig client, Options options) {
    client.setNamesrvAddr(options.get("nameserver"));
    client.setVipChannelEnabled(false);
    client.setPollNameServerInterval(INTERVAL_MS);
    client.setHeartbeatBrokerInterval(INTERVAL_MS);
    client.setPersistConsumerOffsetInterval(INTERVAL_MS);
  }

  /** By name: the enumeration lies in another package in each version. */
  static void setMessageModel(DefaultMQPushConsumer consumer, String name) throws Exception {
    for (Method method : DefaultMQPushConsumer.class.getMethods()) {
      if (!method.getName().equals("setMessageModel")) {
        continue;
      }
      for (Object value : method.getParameterTypes()[0].getEnumConstants()) {
        if (value.toString().equals(name)) {
          method.invoke(consumer, value);
          return;
        }
      }
    }
    throw new IllegalArgumentException("no such message model: " + name);
  }

  /** Returns when standard input ends: that is how the test says stop. */
  static void waitForEndOfInput() throws IOException {
    while (System.in.read() != -1) {
      continue;
    }
  }
}
