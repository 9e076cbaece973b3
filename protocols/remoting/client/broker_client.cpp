#include "protocols/remoting/client/broker_client.hpp"

#include <optional>
#include <utility>

#include "common/model/message_id.hpp"
#include "common/model/names.hpp"
#include "common/model/stored_message.hpp"
#include "common/runtime/join.hpp"
#include "protocols/remoting/client/ask.hpp"
#include "protocols/remoting/codec/bodies.hpp"
#include "protocols/remoting/codec/private_requests.hpp"
#include "protocols/remoting/codec/request_codes.hpp"
#include "protocols/remoting/codec/response_codes.hpp"
#include "protocols/remoting/translate/data_version.hpp"
#include "protocols/remoting/translate/subscription.hpp"
#include "protocols/remoting/translate/topic_config.hpp"

namespace sluice::remoting {

void write_caller(FrameWriter& writer, const Caller& caller) {
  if (caller.session == 0) return;
  writer.field(kSessionField, std::to_string(caller.session));
  writer.field(kPeerField, model::to_string(caller.peer));
}

namespace {

namespace rc = request_code;

/// A request whose answer is one number.
template <class WriteFields>
Task<model::OffsetReply> ask_number(BrokerRequest request, RequestHead head,
                                    WriteFields write_fields, std::string_view key) {
  auto response = co_await ask(std::move(request), head, std::move(write_fields), Slice{});
  SLUICE_CO_TRY(response);
  auto number = response->fields().int64(key);
  SLUICE_CO_TRY(number);
  co_return model::OffsetReply{.offset = *number};
}

template <class Query>
auto queue_fields(Query query) {
  return [query = std::move(query)](FrameWriter& writer) {
    writer.field("topic", query.topic);
    writer.number("queueId", query.queue);
    write_broker_name(writer, query.broker_name);
  };
}

}  // namespace

// --- offsets ---------------------------------------------------------------------------------

Task<model::OffsetReply> query_offset(BrokerRequest request, model::QueryOffset query) {
  auto fields = [query](FrameWriter& writer) {
    writer.field("consumerGroup", query.group);
    writer.field("topic", query.topic);
    writer.number("queueId", query.queue);
    writer.boolean("setZeroIfNotFound", query.zero_if_not_found);
    write_broker_name(writer, query.broker_name);
  };
  return ask_number(std::move(request), rc::kQueryConsumerOffset, std::move(fields), "offset");
}

Task<> update_offset(BrokerRequest request, model::UpdateOffset update) {
  auto fields = [update](FrameWriter& writer) {
    writer.field("consumerGroup", update.group);
    writer.field("topic", update.topic);
    writer.number("queueId", update.queue);
    writer.number("commitOffset", update.offset);
    write_broker_name(writer, update.broker_name);
  };
  return tell(std::move(request), rc::kUpdateConsumerOffset, std::move(fields), Slice{});
}

Task<model::BoundsReply> query_bounds(BrokerRequest request, model::QueryBounds query) {
  std::vector<Task<model::OffsetReply>> tasks;
  tasks.push_back(ask_number(request, rc::kGetMinOffset, queue_fields(query), "offset"));
  tasks.push_back(ask_number(request, rc::kGetMaxOffset, queue_fields(query), "offset"));
  auto offsets = co_await wait_for_all(std::move(tasks));
  SLUICE_CO_TRY(offsets[0]);
  SLUICE_CO_TRY(offsets[1]);
  co_return model::BoundsReply{.first = offsets[0]->offset, .next = offsets[1]->offset};
}

Task<model::OffsetReply> search_offset(BrokerRequest request, model::SearchOffset search) {
  auto fields = [search](FrameWriter& writer) {
    queue_fields(search)(writer);
    writer.number("timestamp", search.time_ms);
    writer.field("boundaryType", search.boundary == model::Boundary::upper ? "UPPER" : "LOWER");
  };
  return ask_number(std::move(request), rc::kSearchOffsetByTimestamp, std::move(fields), "offset");
}

Task<model::OffsetReply> query_earliest_time(BrokerRequest request,
                                             model::QueryEarliestTime query) {
  return ask_number(std::move(request), rc::kGetEarliestMsgStoretime,
                    queue_fields(std::move(query)), "timestamp");
}

// --- clients ---------------------------------------------------------------------------------

namespace {

ConsumeFromWhere consume_from_where(std::int32_t ordinal) {
  constexpr auto kLast = static_cast<std::int32_t>(ConsumeFromWhere::timestamp);
  const bool is_known = ordinal >= 0 && ordinal <= kLast;
  return is_known ? static_cast<ConsumeFromWhere>(ordinal) : ConsumeFromWhere::last_offset;
}

/// Of a heartbeat between our own processes: without tags and codes, which follow from the rest.
SubscriptionData bare(const model::Subscription& subscription) {
  SubscriptionData data;
  data.topic = subscription.topic;
  data.sub_string = subscription.filter.expression;
  data.expression_type = subscription.filter.type;
  data.sub_version = subscription.version;
  return data;
}

ConsumerData bare(const model::ConsumerRegistration& consumer) {
  ConsumerData data;
  data.group_name = consumer.group;
  data.consume_type = to_wire(consumer.type);
  data.message_model = to_wire(consumer.model);
  data.consume_from_where = consume_from_where(consumer.consume_from_where);
  for (const model::Subscription& subscription : consumer.subscriptions) {
    data.subscriptions.push_back(bare(subscription));
  }
  return data;
}

Slice heartbeat_of(const model::RegisterClient& client) {
  HeartbeatData heartbeat;
  heartbeat.client_id = client.client_id;
  heartbeat.producer_groups = client.producer_groups;
  for (const model::ConsumerRegistration& consumer : client.consumers) {
    heartbeat.consumers.push_back(bare(consumer));
  }
  std::string text;
  append_heartbeat(text, heartbeat);
  return Slice::copy_of(text);
}

}  // namespace

Task<> register_client(BrokerRequest request, model::RegisterClient client) {
  RequestHead head = rc::kHeartBeat;
  head.language = language_from_text(client.language);
  head.version = client.version;
  auto no_fields = [](FrameWriter&) {};
  return tell(std::move(request), head, no_fields, heartbeat_of(client));
}

Task<> unregister_client(BrokerRequest request, model::UnregisterClient client) {
  auto fields = [client](FrameWriter& writer) {
    write_fields(writer, UnregisterClient{.client_id = client.client_id,
                                          .producer_group = client.producer_group,
                                          .consumer_group = client.consumer_group});
  };
  return tell(std::move(request), rc::kUnregisterClient, std::move(fields), Slice{});
}

Task<model::MembersReply> list_members(BrokerRequest request, model::ListMembers query) {
  auto fields = [&](FrameWriter& writer) {
    write_caller(writer, request.caller);
    writer.field("consumerGroup", query.group);
  };
  auto response = co_await request.client->request(rc::kGetConsumerListByGroup, fields, Slice{},
                                                   request.timeout);
  SLUICE_CO_TRY(response);
  SLUICE_CO_TRY(check_success(*response, response_code::kSystemError, Errc::group_has_no_members));
  auto list = decode_consumer_list(response->body().bytes());
  SLUICE_CO_TRY(list);
  co_return model::MembersReply{.client_ids = std::move(list->consumer_ids)};
}

namespace {

/// nullopt for a question that only newer brokers ask.
std::optional<model::Event> event_of(WatchNotice notice) {
  if (!notice.ask) return model::GroupChanged{std::move(notice.group)};
  constexpr auto kLast = static_cast<std::int32_t>(model::ClientQuestion::consumer_status);
  if (notice.ask->question < 0 || notice.ask->question > kLast) return std::nullopt;
  model::ClientRequest request;
  request.number = notice.ask->number;
  request.broker_name = std::move(notice.ask->broker_name);
  request.question = static_cast<model::ClientQuestion>(notice.ask->question);
  request.group = std::move(notice.group);
  request.client_id = std::move(notice.ask->client_id);
  request.wants_stack = notice.ask->wants_stack;
  request.topic = std::move(notice.ask->topic);
  request.message_id = std::move(notice.ask->message_id);
  request.topic_flag = notice.ask->topic_flag;
  request.message = Slice::copy_of(notice.ask->message);
  return request;
}

}  // namespace

Task<model::WatchReply> watch(BrokerRequest request) {
  request.timeout += limits::kPullWaitMax;
  auto no_fields = [](FrameWriter&) {};
  auto response = co_await ask(std::move(request), rc::kWatch, no_fields, Slice{});
  SLUICE_CO_TRY(response);
  auto wire = decode_watch_notices(response->body().bytes());
  SLUICE_CO_TRY(wire);
  model::WatchReply reply;
  for (WatchNotice& notice : wire->notices) {
    const model::SessionId session{notice.session};
    auto event = event_of(std::move(notice));
    if (event) reply.notices.push_back({.session = session, .event = *std::move(event)});
  }
  co_return reply;
}

void close_session(RemotingClient& client, std::uint64_t session) {
  client.call_oneway(rc::kSessionClosed,
                     [session](FrameWriter& writer) {
                       writer.field(kClosedSessionField, std::to_string(session));
                     },
                     {});
}

// --- topics ----------------------------------------------------------------------------------

namespace {

/// `+name=value,-name` (RocketMQ's AttributeParser).
std::string attributes_text(const model::CreateTopic& create) {
  std::string text;
  for (const auto& [name, value] : create.config.attributes) {
    if (!text.empty()) text.push_back(',');
    text.append("+").append(name).append("=").append(value);
  }
  for (const std::string& name : create.removed_attributes) {
    if (!text.empty()) text.push_back(',');
    text.append("-").append(name);
  }
  return text;
}

Task<model::TopicsReply> query_one_topic(BrokerRequest request, std::string topic) {
  auto fields = [topic = std::move(topic)](FrameWriter& writer) { writer.field("topic", topic); };
  auto response = co_await ask(std::move(request), rc::kGetTopicConfig, std::move(fields), Slice{});
  model::TopicsReply reply;
  const bool is_absent = !response && response.error().code == Errc::topic_not_found;
  if (is_absent) co_return reply;
  SLUICE_CO_TRY(response);
  auto config = decode_topic_config(response->body().bytes());
  SLUICE_CO_TRY(config);
  reply.topics.push_back(to_model(std::move(*config)));
  co_return reply;
}

/// Says which page is asked for; nothing if it is all.
auto page_fields(model::Page page) {
  return [page](FrameWriter& writer) {
    if (page.count_max <= 0) return;
    writer.number("topicSeq", page.first);
    writer.number("maxTopicNum", page.count_max);
    if (!page.version) return;
    std::string version;
    append_data_version(version, to_wire(*page.version));
    writer.field("dataVersion", version);
  };
}

}  // namespace

Task<> create_topic(BrokerRequest request, model::CreateTopic create) {
  auto fields = [create = std::move(create)](FrameWriter& writer) {
    const model::TopicConfig& config = create.config;
    writer.field("topic", config.name);
    writer.field("defaultTopic", model::kAutoCreateTopic);
    writer.number("readQueueNums", config.read_queues);
    writer.number("writeQueueNums", config.write_queues);
    writer.number("perm", config.permission);
    writer.field("topicFilterType", config.filter_type);
    writer.number("topicSysFlag", config.system_flag);
    writer.boolean("order", config.is_ordered);
    const std::string attributes = attributes_text(create);
    if (!attributes.empty()) writer.field("attributes", attributes);
  };
  return tell(std::move(request), rc::kUpdateAndCreateTopic, std::move(fields), Slice{});
}

Task<> delete_topic(BrokerRequest request, model::DeleteTopic remove) {
  auto fields = [topic = std::move(remove.topic)](FrameWriter& writer) {
    writer.field("topic", topic);
  };
  return tell(std::move(request), rc::kDeleteTopicInBroker, std::move(fields), Slice{});
}

Task<model::TopicsReply> query_topics(BrokerRequest request, model::QueryTopics query) {
  if (!query.topic.empty()) {
    auto one = co_await query_one_topic(std::move(request), std::move(query.topic));
    co_return one;
  }
  auto response =
      co_await ask(std::move(request), rc::kGetAllTopicConfig, page_fields(query.page), Slice{});
  SLUICE_CO_TRY(response);
  auto table = decode_register_broker_body(response->body().bytes());
  SLUICE_CO_TRY(table);
  model::TopicsReply reply;
  reply.version = to_model(table->data_version);
  for (TopicConfig& config : table->topic_configs) {
    reply.topics.push_back(to_model(std::move(config)));
  }
  const auto listed = static_cast<std::int32_t>(reply.topics.size());
  auto total = response->fields().int32_or("totalTopicNum", listed);
  SLUICE_CO_TRY(total);
  reply.total = *total;
  co_return reply;
}

}  // namespace sluice::remoting
