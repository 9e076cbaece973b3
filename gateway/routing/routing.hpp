#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/broker_api/broker_api.hpp"
#include "common/model/reply.hpp"
#include "common/model/route.hpp"
#include "common/runtime/task.hpp"

namespace sluice::gateway {

/// Which broker serves what, and what clients are told of it. Two forms: one broker in this process
/// (local_routing.hpp), or those that name servers know (cluster_routing.hpp). Safe from any loop.
///
/// Brokers live as long as the routing.
class Routing {
 public:
  virtual ~Routing() = default;

  /// Calls `found` for every broker, those found later too. Once, before anything else.
  virtual void start(std::function<void(BrokerApi&)> found) = 0;

  /// The broker of a queue, or where a topic is created, if that is known without asking anybody;
  /// else null. Names may be empty.
  [[nodiscard]] virtual BrokerApi* known_broker(std::string_view topic,
                                                std::string_view broker_name) noexcept = 0;

  /// The same, asking if need be.
  /// \return topic_not_found; unavailable if no name server answers; invalid_argument if several
  ///         brokers have the topic and no name says which is meant.
  virtual Task<BrokerApi*> find_broker(std::string topic, std::string broker_name) = 0;

  /// Those that take messages, in the order of their names.
  /// \return unavailable if there is none.
  virtual Task<std::vector<BrokerApi*>> brokers() = 0;

  /// The same, as far as they are known now.
  [[nodiscard]] virtual std::vector<BrokerApi*> known_brokers() = 0;

  /// The broker in this process, if that is the form; else null.
  [[nodiscard]] virtual BrokerApi* local_broker() noexcept = 0;

  /// What a client may know: the addresses are those that it can reach.
  /// \return topic_not_found, unavailable.
  virtual Task<model::Route> route(std::string topic) = 0;
  virtual Task<std::vector<model::BrokerData>> cluster() = 0;
  /// One topic, nothing if there is none; with an empty name: all. Name servers list topics by
  /// their names: of all, the other members may then say nothing.
  virtual Task<std::vector<model::TopicConfig>> topics(std::string topic) = 0;

  /// A topic was made, changed or deleted: what is remembered of it is out of date.
  virtual void forget_topic(std::string_view topic) = 0;

  /// Ends what runs in the background. Once. Brokers that are known stay known; new ones are not
  /// learnt.
  virtual Task<> stop() = 0;
};

}  // namespace sluice::gateway
