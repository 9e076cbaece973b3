#include "gateway/gateway.hpp"

#include <algorithm>
#include <map>
#include <type_traits>
#include <utility>
#include <variant>

#include "common/runtime/join.hpp"
#include "gateway/admin/merge.hpp"

namespace sluice::gateway {

namespace {

Task<model::Reply> refuse(Error error) {
  co_return fail(std::move(error));
}

/// What a call to all brokers comes to when one success will do: a broker that is down must not
/// keep a client from the others.
Result<model::Reply> any_of(std::vector<Result<>> results) {
  for (Result<>& result : results) {
    if (result) return model::Acknowledged{};
  }
  return fail(std::move(results.front()).error());
}

Result<model::Reply> all_of(std::vector<Result<>> results) {
  for (Result<>& result : results) {
    if (!result) return fail(std::move(result).error());
  }
  return model::Acknowledged{};
}

}  // namespace

Gateway::Gateway(Runtime& runtime, std::unique_ptr<Routing> routing, Pipeline pipeline)
    : session_ids_(runtime.environment()),
      pipeline_(std::move(pipeline)),
      routing_(std::move(routing)),
      local_broker_(routing_->local_broker()),
      hub_(runtime) {
  routing_->start([this](BrokerApi& broker) { hub_.watch(broker); });
}

Task<model::Reply> Gateway::handle(model::CallContext context, model::Command command) {
  auto admitted = pipeline_.admit(context, command);
  if (!admitted) return refuse(std::move(admitted).error());
  return std::visit([&](auto& request) { return serve(std::move(context), std::move(request)); },
                    command);
}

// --- sends -----------------------------------------------------------------------------------

Task<Gateway::SendReplies> Gateway::send(model::CallContext context,
                                         std::vector<model::Send> sends) {
  std::vector<Result<>> admitted;  // stays empty while all are
  const auto authenticated = pipeline_.authenticate(context);
  for (std::size_t i = 0; i < sends.size(); ++i) {
    auto one = authenticated ? pipeline_.admit(context, sends[i]) : authenticated;
    if (one) continue;
    if (admitted.empty()) admitted.resize(sends.size());
    admitted[i] = std::move(one);
  }
  if (admitted.empty()) {
    BrokerApi* const broker = one_known_broker(sends);
    if (broker != nullptr) return broker->send(std::move(context), std::move(sends));
    admitted.resize(sends.size());
  }
  return send_to_brokers(std::move(context), std::move(sends), std::move(admitted));
}

BrokerApi* Gateway::one_known_broker(const std::vector<model::Send>& sends) noexcept {
  if (local_broker_ != nullptr) return local_broker_;
  BrokerApi* one = nullptr;
  for (const model::Send& send : sends) {
    BrokerApi* const broker = routing_->known_broker(send.topic, send.broker_name);
    if (broker == nullptr || (one != nullptr && broker != one)) return nullptr;
    one = broker;
  }
  return one;
}

Task<Gateway::SendReplies> Gateway::send_to_brokers(model::CallContext context,
                                                    std::vector<model::Send> sends,
                                                    std::vector<Result<>> admitted) {
  struct Part {
    std::vector<model::Send> sends;
    std::vector<std::size_t> indexes;
  };
  SendReplies replies(sends.size());
  std::map<BrokerApi*, Part> parts;
  for (std::size_t i = 0; i < sends.size(); ++i) {
    if (!admitted[i]) {
      replies[i] = fail(std::move(admitted[i]).error());
      continue;
    }
    auto broker = co_await broker_of(sends[i].topic, sends[i].broker_name);
    if (!broker) {
      replies[i] = fail(std::move(broker).error());
      continue;
    }
    Part& part = parts[*broker];
    part.sends.push_back(std::move(sends[i]));
    part.indexes.push_back(i);
  }
  std::vector<Task<SendReplies>> tasks;
  for (auto& [broker, part] : parts) {
    tasks.push_back(broker->send(context, std::move(part.sends)));
  }
  auto answers = co_await wait_for_all(std::move(tasks));
  auto answer = answers.begin();
  for (auto& [broker, part] : parts) {
    for (std::size_t k = 0; k < part.indexes.size(); ++k) {
      Result<model::SendReply>& reply = replies[part.indexes[k]];
      if (*answer) {
        reply = std::move((**answer)[k]);
      } else {
        reply = fail(answer->error());
      }
    }
    ++answer;
  }
  co_return replies;
}

// --- finding the broker ----------------------------------------------------------------------

Task<BrokerApi*> Gateway::broker_of(std::string topic, std::string broker_name) {
  BrokerApi* const known = routing_->known_broker(topic, broker_name);
  if (known != nullptr) co_return known;
  auto found = co_await routing_->find_broker(std::move(topic), std::move(broker_name));
  co_return found;
}

template <class Request, class Answer>
Task<model::Reply> Gateway::at_broker(model::CallContext context, Request request,
                                      Task<Answer> (BrokerApi::*call)(model::CallContext,
                                                                      Request)) {
  // As broker_of() does, without a coroutine more for every pull.
  BrokerApi* broker = routing_->known_broker(request.topic, request.broker_name);
  if (broker == nullptr) {
    auto found = co_await routing_->find_broker(request.topic, request.broker_name);
    SLUICE_CO_TRY(found);
    broker = *found;
  }
  auto answer = co_await (broker->*call)(std::move(context), std::move(request));
  SLUICE_CO_TRY(answer);
  if constexpr (std::is_void_v<Answer>) {
    co_return model::Acknowledged{};
  } else {
    co_return std::move(*answer);
  }
}

template <class Request>
Task<std::vector<Result<>>> Gateway::at_all_brokers(model::CallContext context, Request request,
                                                    Task<> (BrokerApi::*call)(model::CallContext,
                                                                              Request)) {
  auto brokers = co_await routing_->brokers();
  SLUICE_CO_TRY(brokers);
  std::vector<Result<>> results;
  if (brokers->size() == 1) {
    auto result = co_await (brokers->front()->*call)(std::move(context), std::move(request));
    results.push_back(std::move(result));
    co_return results;
  }
  std::vector<Task<>> tasks;
  for (BrokerApi* broker : *brokers) tasks.push_back((broker->*call)(context, request));
  results = co_await wait_for_all(std::move(tasks));
  co_return results;
}

// --- queues ----------------------------------------------------------------------------------

Task<model::Reply> Gateway::serve(model::CallContext context, model::Pull pull) {
  return at_broker(std::move(context), std::move(pull), &BrokerApi::pull);
}

Task<model::Reply> Gateway::serve(model::CallContext context, model::QueryOffset query) {
  return at_broker(std::move(context), std::move(query), &BrokerApi::query_offset);
}

Task<model::Reply> Gateway::serve(model::CallContext context, model::UpdateOffset update) {
  return at_broker(std::move(context), std::move(update), &BrokerApi::update_offset);
}

Task<model::Reply> Gateway::serve(model::CallContext context, model::QueryBounds query) {
  return at_broker(std::move(context), std::move(query), &BrokerApi::query_bounds);
}

Task<model::Reply> Gateway::serve(model::CallContext context, model::SearchOffset search) {
  return at_broker(std::move(context), std::move(search), &BrokerApi::search_offset);
}

Task<model::Reply> Gateway::serve(model::CallContext context, model::QueryEarliestTime query) {
  return at_broker(std::move(context), std::move(query), &BrokerApi::query_earliest_time);
}

// --- groups ----------------------------------------------------------------------------------

Task<model::Reply> Gateway::serve(model::CallContext context, model::RegisterClient client) {
  auto results =
      co_await at_all_brokers(std::move(context), std::move(client), &BrokerApi::register_client);
  SLUICE_CO_TRY(results);
  co_return any_of(std::move(*results));
}

Task<model::Reply> Gateway::serve(model::CallContext context, model::UnregisterClient client) {
  auto results =
      co_await at_all_brokers(std::move(context), std::move(client), &BrokerApi::unregister_client);
  SLUICE_CO_TRY(results);
  co_return any_of(std::move(*results));
}

Task<model::Reply> Gateway::serve(model::CallContext context, model::ListMembers query) {
  // Every broker has the heartbeats of all clients. All gateways ask in the same order, so that
  // all clients of a group see one list.
  auto brokers = co_await routing_->brokers();
  SLUICE_CO_TRY(brokers);
  Error first_error;
  for (BrokerApi* broker : *brokers) {
    auto members = co_await broker->list_members(context, query);
    if (members) co_return std::move(*members);
    if (broker == brokers->front()) first_error = std::move(members).error();
  }
  co_return fail(std::move(first_error));
}

Task<model::Reply> Gateway::serve(model::CallContext /*context*/,
                                  model::CheckSubscription /*query*/) {
  co_return model::Acknowledged{};  // validate() has read the expression
}

// --- topics ----------------------------------------------------------------------------------

Task<model::Reply> Gateway::serve(model::CallContext context, model::CreateTopic create) {
  const std::string topic = create.config.name;
  auto results =
      co_await at_all_brokers(std::move(context), std::move(create), &BrokerApi::create_topic);
  routing_->forget_topic(topic);
  SLUICE_CO_TRY(results);
  co_return all_of(std::move(*results));
}

Task<model::Reply> Gateway::serve(model::CallContext context, model::CreateTopics create) {
  for (model::CreateTopic& topic : create.topics) {
    auto created = co_await serve(context, std::move(topic));
    SLUICE_CO_TRY(created);
  }
  co_return model::Acknowledged{};
}

Task<model::Reply> Gateway::serve(model::CallContext context, model::DeleteTopic remove) {
  const std::string topic = remove.topic;
  auto results =
      co_await at_all_brokers(std::move(context), std::move(remove), &BrokerApi::delete_topic);
  routing_->forget_topic(topic);
  SLUICE_CO_TRY(results);
  // Not every broker needs to have had it.
  const auto is_absent = [](const Result<>& result) {
    return !result && result.error().code == Errc::topic_not_found;
  };
  if (std::ranges::all_of(*results, is_absent)) co_return any_of(std::move(*results));
  std::erase_if(*results, is_absent);
  co_return all_of(std::move(*results));
}

Task<model::Reply> Gateway::serve(model::CallContext context, model::QueryTopics query) {
  if (local_broker_ != nullptr) {
    auto reply = co_await local_broker_->query_topics(std::move(context), std::move(query));
    SLUICE_CO_TRY(reply);
    co_return std::move(*reply);
  }
  auto topics = co_await routing_->topics(std::move(query.topic));
  SLUICE_CO_TRY(topics);
  // Name servers have no version for all topics of all brokers: pages are of what there is now.
  model::TopicsReply reply;
  reply.total = static_cast<std::int32_t>(topics->size());
  std::ranges::sort(*topics, {}, &model::TopicConfig::name);
  query.page.version.reset();
  model::keep_page(*topics, query.page, reply.version);
  reply.topics = std::move(*topics);
  co_return reply;
}

Task<model::Reply> Gateway::serve(model::CallContext /*context*/, model::QueryRoute query) {
  auto route = co_await routing_->route(std::move(query.topic));
  SLUICE_CO_TRY(route);
  co_return model::RouteReply{std::move(*route)};
}

Task<model::Reply> Gateway::serve(model::CallContext /*context*/, model::QueryCluster /*query*/) {
  auto brokers = co_await routing_->cluster();
  SLUICE_CO_TRY(brokers);
  co_return model::ClusterReply{std::move(*brokers)};
}

Task<model::Reply> Gateway::serve(model::CallContext /*context*/,
                                  model::RegisterBroker /*registration*/) {
  co_return fail(Errc::unsupported, "brokers register at a name server");
}

Task<model::Reply> Gateway::serve(model::CallContext /*context*/,
                                  model::UnregisterBroker /*broker*/) {
  co_return fail(Errc::unsupported, "brokers register at a name server");
}

Task<model::Reply> Gateway::serve(model::CallContext /*context*/,
                                  model::NameServerCommand command) {
  // Tools that delete a topic at a broker and then where they ask for routes mean us both times.
  if (const auto* const topic = std::get_if<model::ForgetTopic>(&command)) {
    routing_->forget_topic(topic->topic);
    co_return model::Acknowledged{};
  }
  co_return fail(Errc::unsupported, "a name server serves this request: ask one of them");
}

// --- administration --------------------------------------------------------------------------

Task<model::Reply> Gateway::serve(model::CallContext context, model::Administer administer) {
  std::vector<BrokerApi*> brokers;
  if (administer.broker_name.empty() || local_broker_ != nullptr) {
    auto all = co_await routing_->brokers();
    SLUICE_CO_TRY(all);
    brokers = std::move(*all);
  } else {
    auto named = co_await routing_->find_broker({}, std::move(administer.broker_name));
    SLUICE_CO_TRY(named);
    brokers.push_back(*named);
  }
  if (brokers.size() > 1 && concerns_one_broker(administer.command)) {
    co_return fail(
        Errc::invalid_argument,
        "this gateway has several brokers: name the one that is meant (bname), or ask it "
        "at its own address");
  }
  std::vector<Task<model::AdminReply>> tasks;
  for (BrokerApi* broker : brokers) {
    tasks.push_back(broker->administer(context, administer.command));
  }
  auto replies = co_await wait_for_all(std::move(tasks));
  auto merged = merge(administer.command, std::move(replies));
  SLUICE_CO_TRY(merged);
  co_return std::move(*merged);
}

// --- sessions --------------------------------------------------------------------------------

std::unique_ptr<protocol::DeliveryStream> Gateway::attach(model::CallContext context) {
  return hub_.attach(context.session ? context.session->id : model::SessionId{});
}

Task<model::WatchReply> Gateway::watch(model::CallContext context, model::Watch watch) {
  const auto authenticated = pipeline_.authenticate(context);
  if (authenticated && local_broker_ != nullptr) {
    return local_broker_->watch(std::move(context), watch);
  }
  auto refusal = [](Error error) -> Task<model::WatchReply> { co_return fail(std::move(error)); };
  if (!authenticated) return refusal(authenticated.error());
  return refusal({Errc::unsupported, "this gateway has no broker of its own"});
}

model::SessionId Gateway::next_session_id() noexcept {
  return session_ids_.next();
}

void Gateway::session_closed(model::SessionId session, model::SessionId via) noexcept {
  for (BrokerApi* broker : routing_->known_brokers()) broker->session_closed(session, via);
}

Task<> Gateway::stop() {
  std::vector<Task<>> tasks;
  tasks.push_back(routing_->stop());
  tasks.push_back(hub_.stop());
  auto done = co_await wait_for_all(std::move(tasks));
  co_return Result<>{};
}

}  // namespace sluice::gateway
