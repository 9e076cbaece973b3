#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tests/conformance/broker_api/broker_api_fixture.hpp"

namespace sluice {

using Names = std::vector<std::string>;

template <class T>
[[nodiscard]] Errc code_of(const Result<T>& result) {
  return result ? Errc{} : result.error().code;
}

/// Short words for what the cases of BrokerApi::administer ask.
class BrokerApiAdminTest : public BrokerApiTest {
 protected:
  Result<model::AdminReply> ask(model::AdminCommand command) {
    return run(api_->administer(caller(), std::move(command)));
  }

  /// The reply, which must be of the kind; else a default one, and the test has failed.
  template <class T>
  T reply_to(model::AdminCommand command) {
    auto reply = ask(std::move(command));
    if (!reply) {
      ADD_FAILURE() << describe(reply.error());
      return {};
    }
    T* const kind = std::get_if<T>(&*reply);
    if (kind == nullptr) {
      ADD_FAILURE() << "a reply of another kind: " << reply->index();
      return {};
    }
    return std::move(*kind);
  }

  void put_group(model::GroupConfig group) {
    model::PutGroups put;
    put.groups.push_back(std::move(group));
    ASSERT_TRUE(ask(std::move(put)));
  }

  static model::GroupConfig group_named(std::string name) {
    model::GroupConfig group;
    group.name = std::move(name);
    return group;
  }

  std::vector<model::GroupConfig> groups(std::string name = {}) {
    model::QueryGroups query;
    query.group = std::move(name);
    return reply_to<model::GroupsReply>(std::move(query)).groups;
  }

  void create_topic(std::string name, std::int32_t queues = 4) {
    model::CreateTopic create;
    create.config.name = std::move(name);
    create.config.read_queues = create.config.write_queues = queues;
    ASSERT_TRUE(run(api_->create_topic(caller(), std::move(create))));
  }

  model::TopicConfig topic_named(std::string name) {
    model::QueryTopics query;
    query.topic = std::move(name);
    auto reply = run(api_->query_topics(caller(), std::move(query)));
    if (!reply || reply->topics.size() != 1) {
      ADD_FAILURE() << "no such topic";
      return {};
    }
    return std::move(reply->topics.front());
  }

  void commit(std::string topic, std::string group, std::int32_t queue, std::int64_t offset) {
    model::UpdateOffset update;
    update.topic = std::move(topic);
    update.group = std::move(group);
    update.queue = queue;
    update.offset = offset;
    ASSERT_TRUE(run(api_->update_offset(caller(), std::move(update))));
  }

  Result<model::OffsetReply> committed(std::string topic, std::string group, std::int32_t queue) {
    model::QueryOffset query;
    query.topic = std::move(topic);
    query.group = std::move(group);
    query.queue = queue;
    query.zero_if_not_found = false;
    return run(api_->query_offset(caller(), std::move(query)));
  }

  void register_client(std::uint64_t session, model::RegisterClient client) {
    ASSERT_TRUE(run(api_->register_client(caller(session), std::move(client))));
  }

  static model::QueryProgress progress_of(std::string group, Names topics = {}) {
    model::QueryProgress query;
    query.group = std::move(group);
    query.topics = std::move(topics);
    return query;
  }

  static model::CopyProgress copy_from_g_to_h(std::string topic = {}) {
    model::CopyProgress copy;
    copy.from_group = "g";
    copy.to_group = "h";
    copy.topic = std::move(topic);
    return copy;
  }

  static model::RegisterClient producer(std::string client_id, std::string group) {
    model::RegisterClient client;
    client.client_id = std::move(client_id);
    client.language = "GO";
    client.version = 317;
    client.producer_groups.push_back(std::move(group));
    return client;
  }
};

}  // namespace sluice
