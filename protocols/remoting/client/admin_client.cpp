#include "protocols/remoting/client/admin_client.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "protocols/remoting/client/ask.hpp"
#include "protocols/remoting/codec/list_bodies.hpp"
#include "protocols/remoting/codec/register_broker_body.hpp"
#include "protocols/remoting/codec/request_codes.hpp"
#include "protocols/remoting/translate/broker_bodies.hpp"
#include "protocols/remoting/translate/connection_bodies.hpp"
#include "protocols/remoting/translate/data_version.hpp"
#include "protocols/remoting/translate/group_bodies.hpp"
#include "protocols/remoting/translate/progress_bodies.hpp"

namespace sluice::remoting {

namespace {

namespace rc = request_code;

/// Extension fields as they are written; empty texts are left out.
using TextFields = std::vector<std::pair<std::string_view, std::string>>;

auto writes(TextFields fields) {
  return [fields = std::move(fields)](FrameWriter& writer) {
    for (const auto& [key, value] : fields) {
      if (!value.empty()) writer.field(key, value);
    }
  };
}

/// A request whose answer is a body that `decode` reads.
template <class Reply>
Task<model::AdminReply> ask_body(BrokerRequest request, std::int32_t code, TextFields fields,
                                 Result<Reply> (*decode)(BytesView body)) {
  auto response = co_await ask(std::move(request), code, writes(std::move(fields)), Slice{});
  SLUICE_CO_TRY(response);
  auto reply = decode(response->body().bytes());
  SLUICE_CO_TRY(reply);
  co_return std::move(*reply);
}

/// A request that is only done.
Task<model::AdminReply> order(BrokerRequest request, std::int32_t code, TextFields fields,
                              std::string body) {
  auto done = co_await tell(std::move(request), code, writes(std::move(fields)),
                            Slice::copy_of(std::string_view(body)));
  SLUICE_CO_TRY(done);
  co_return model::Administered{};
}

Result<model::NameListReply> decode_topic_names(BytesView body) {
  auto list = decode_topic_list(body);
  SLUICE_TRY(list);
  return model::NameListReply{std::move(list->topics)};
}

Result<model::SettingsReply> decode_runtime(BytesView body) {
  auto table = decode_table(body);
  SLUICE_TRY(table);
  return model::SettingsReply{.settings = *std::move(table), .version = {}};
}

std::string flag(bool value) {
  return value ? "true" : "false";
}

// --- groups ----------------------------------------------------------------------------------

Task<model::AdminReply> run(BrokerRequest request, model::PutGroups put) {
  std::string body;
  // 4.x knows no list.
  if (put.groups.size() == 1) {
    append_group_config(body, put.groups.front());
    return order(std::move(request), rc::kUpdateAndCreateSubscriptionGroup, {}, std::move(body));
  }
  append_group_list(body, put.groups);
  return order(std::move(request), rc::kUpdateAndCreateSubscriptionGroupList, {}, std::move(body));
}

Task<model::AdminReply> run(BrokerRequest request, model::DeleteGroup remove) {
  return order(std::move(request), rc::kDeleteSubscriptionGroup,
               {{"groupName", remove.group}, {"cleanOffset", flag(remove.forgets_progress)}}, {});
}

std::string version_text(const std::optional<model::DataVersion>& version) {
  std::string text;
  if (!version) return text;
  append_data_version(text, to_wire(*version));
  return text;
}

Task<model::AdminReply> list_groups(BrokerRequest request, model::Page page) {
  TextFields fields;
  if (page.count_max > 0) {
    fields = {{"groupSeq", std::to_string(page.first)},
              {"maxGroupNum", std::to_string(page.count_max)},
              {"dataVersion", version_text(page.version)}};
  }
  auto response = co_await ask(std::move(request), rc::kGetAllSubscriptionGroupConfig,
                               writes(std::move(fields)), Slice{});
  SLUICE_CO_TRY(response);
  auto reply = decode_group_table(response->body().bytes());
  SLUICE_CO_TRY(reply);
  const auto listed = static_cast<std::int32_t>(reply->groups.size());
  auto total = response->fields().int32_or("totalGroupNum", listed);
  SLUICE_CO_TRY(total);
  reply->total = *total;
  co_return std::move(*reply);
}

/// RocketMQ's request for one group makes it where groups are made by themselves.
Task<model::AdminReply> ask_or_make_group(BrokerRequest request, std::string group) {
  auto response = co_await ask(std::move(request), rc::kGetSubscriptionGroupConfig,
                               writes({{"group", group}}), Slice{});
  model::GroupsReply reply;
  const bool is_absent = !response && response.error().code == Errc::group_not_found;
  if (is_absent) co_return reply;
  SLUICE_CO_TRY(response);
  auto config = decode_group_config(response->body().bytes());
  SLUICE_CO_TRY(config);
  reply.groups.push_back(std::move(*config));
  reply.total = 1;
  co_return reply;
}

Task<model::AdminReply> find_group(BrokerRequest request, std::string group) {
  auto all = co_await list_groups(std::move(request), model::Page{});
  SLUICE_CO_TRY(all);
  auto reply = std::get<model::GroupsReply>(std::move(*all));
  std::erase_if(reply.groups, [&](const auto& config) { return config.name != group; });
  reply.total = static_cast<std::int32_t>(reply.groups.size());
  co_return reply;
}

Task<model::AdminReply> run(BrokerRequest request, model::QueryGroups query) {
  if (query.group.empty()) return list_groups(std::move(request), query.page);
  if (query.makes_missing) return ask_or_make_group(std::move(request), std::move(query.group));
  return find_group(std::move(request), std::move(query.group));
}

// --- topics ----------------------------------------------------------------------------------

Task<model::AdminReply> run(BrokerRequest request, model::QuerySystemTopics /*query*/) {
  return ask_body(std::move(request), rc::kGetSystemTopicListFromBroker, {}, decode_topic_names);
}

Task<model::AdminReply> run(BrokerRequest request, model::QueryTopicStats query) {
  return ask_body(std::move(request), rc::kGetTopicStatsInfo, {{"topic", query.topic}},
                  decode_topic_stats);
}

Task<model::AdminReply> run(BrokerRequest request, model::InspectQueue query) {
  return ask_body(std::move(request), rc::kQueryConsumeQueue,
                  {{"topic", query.topic},
                   {"queueId", std::to_string(query.queue)},
                   {"index", std::to_string(query.first)},
                   {"count", std::to_string(query.count)},
                   {"consumerGroup", query.group}},
                  decode_queue_entries);
}

// --- connections -----------------------------------------------------------------------------

Task<model::AdminReply> run(BrokerRequest request, model::QueryConsumers query) {
  return ask_body(std::move(request), rc::kGetConsumerConnectionList,
                  {{"consumerGroup", query.group}}, decode_consumer_connection);
}

Task<model::AdminReply> ask_producers(BrokerRequest request, std::string group) {
  auto answer = co_await ask_body(std::move(request), rc::kGetProducerConnectionList,
                                  {{"producerGroup", group}}, decode_producer_connection);
  // RocketMQ has no code of its own for it.
  if (!answer && answer.error().code == Errc::internal) {
    answer.error().code = Errc::group_has_no_members;
  }
  SLUICE_CO_TRY(answer);
  std::get<model::ProducersReply>(*answer).groups.front().name = std::move(group);
  co_return std::move(*answer);
}

Task<model::AdminReply> run(BrokerRequest request, model::QueryProducers query) {
  if (!query.group.empty()) return ask_producers(std::move(request), std::move(query.group));
  return ask_body(std::move(request), rc::kGetAllProducerInfo, {}, decode_producer_table);
}

// --- progress --------------------------------------------------------------------------------

Task<model::AdminReply> ask_progress(BrokerRequest request, model::QueryProgress query) {
  std::string topics;
  for (const std::string& topic : query.topics) {
    if (!topics.empty()) topics.push_back(';');
    topics.append(topic);
  }
  TextFields fields = {{"consumerGroup", query.group}, {"topicList", std::move(topics)}};
  // What 4.x reads.
  if (query.topics.size() == 1) fields.emplace_back("topic", query.topics.front());
  auto answer = co_await ask_body(std::move(request), rc::kGetConsumeStats, std::move(fields),
                                  decode_consume_stats);
  SLUICE_CO_TRY(answer);
  for (auto& part : std::get<model::ProgressReply>(*answer).parts) part.group = query.group;
  co_return std::move(*answer);
}

Task<model::AdminReply> run(BrokerRequest request, model::QueryProgress query) {
  if (!query.group.empty()) return ask_progress(std::move(request), std::move(query));
  return ask_body(std::move(request), rc::kGetBrokerConsumeStats, {{"isOrder", "false"}},
                  decode_consume_stats_list);
}

Task<model::AdminReply> run(BrokerRequest request, model::QueryGroupsOfTopic query) {
  return ask_body(std::move(request), rc::kQueryTopicConsumeByWho, {{"topic", query.topic}},
                  decode_group_names);
}

Task<model::AdminReply> run(BrokerRequest request, model::QueryTopicsOfGroup query) {
  return ask_body(std::move(request), rc::kQueryTopicsByConsumer, {{"group", query.group}},
                  decode_topic_names);
}

Task<model::AdminReply> run(BrokerRequest request, model::QuerySubscription query) {
  return ask_body(std::move(request), rc::kQuerySubscriptionByConsumer,
                  {{"group", query.group}, {"topic", query.topic}}, decode_group_subscription);
}

Task<model::AdminReply> run(BrokerRequest request, model::QueryTimeSpans query) {
  return ask_body(std::move(request), rc::kQueryConsumeTimeSpan,
                  {{"group", query.group}, {"topic", query.topic}}, decode_time_spans);
}

Task<model::AdminReply> run(BrokerRequest request, model::QueryAllProgress /*query*/) {
  return ask_body(std::move(request), rc::kGetAllConsumerOffset, {}, decode_all_progress);
}

Task<model::AdminReply> run(BrokerRequest request, model::CopyProgress copy) {
  return order(std::move(request), rc::kCloneGroupOffset,
               {{"srcGroup", copy.from_group},
                {"destGroup", copy.to_group},
                {"topic", copy.topic},
                {"offline", flag(!copy.only_subscribed)}},
               {});
}

// --- the broker ------------------------------------------------------------------------------

Task<model::AdminReply> run(BrokerRequest request, model::QueryRuntime /*query*/) {
  return ask_body(std::move(request), rc::kGetBrokerRuntimeInfo, {}, decode_runtime);
}

Task<model::AdminReply> run(BrokerRequest request, model::QueryBrokerSettings /*query*/) {
  auto response = co_await ask(std::move(request), rc::kGetBrokerConfig, writes({}), Slice{});
  SLUICE_CO_TRY(response);
  model::SettingsReply reply;
  auto settings = decode_properties(response->body().bytes());
  SLUICE_CO_TRY(settings);
  reply.settings = std::move(*settings);
  const std::string_view version = response->fields().text_or("version", "{}");
  auto known = decode_data_version(as_bytes(version));
  SLUICE_CO_TRY(known);
  reply.version = to_model(*known);
  co_return reply;
}

Task<model::AdminReply> run(BrokerRequest request, model::ChangeBrokerSettings change) {
  std::string body;
  append_properties(body, change.settings);
  return order(std::move(request), rc::kUpdateBrokerConfig, {}, std::move(body));
}

Task<model::AdminReply> run(BrokerRequest request, model::QueryRates query) {
  return ask_body(std::move(request), rc::kViewBrokerStatsData,
                  {{"statsName", query.name}, {"statsKey", query.key}}, decode_rates);
}

}  // namespace

Task<model::AdminReply> administer(BrokerRequest request, model::AdminCommand command) {
  return std::visit([&](auto& asked) { return run(std::move(request), std::move(asked)); },
                    command);
}

}  // namespace sluice::remoting
