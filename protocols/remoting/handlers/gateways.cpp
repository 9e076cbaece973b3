#include "protocols/remoting/handlers/gateways.hpp"

#include <utility>
#include <variant>

#include "common/base/limits.hpp"
#include "protocols/remoting/codec/private_requests.hpp"
#include "protocols/remoting/handlers/answer.hpp"

namespace sluice::remoting {

namespace {

Result<model::SessionId> session_id(const Fields& fields, std::string_view key) {
  const auto text = fields.text(key);
  SLUICE_TRY(text);
  const auto number = parse_decimal<std::uint64_t>(*text);
  if (!number || *number == 0) return fail(invalid_field(key, "a session number", *text));
  return model::SessionId{*number};
}

Result<model::Endpoint> peer_of(const Fields& fields) {
  const auto text = fields.text(kPeerField);
  SLUICE_TRY(text);
  const auto endpoint = model::parse_endpoint(*text);
  if (!endpoint) return fail(invalid_field(kPeerField, "an address and port", *text));
  return *endpoint;
}

WatchNotice to_wire(const model::GroupChanged& changed) {
  return {.group = changed.group};
}

WatchNotice to_wire(const model::ClientRequest& request) {
  WatchAsk ask;
  ask.number = request.number;
  ask.broker_name = request.broker_name;
  ask.question = static_cast<std::int32_t>(request.question);
  ask.client_id = request.client_id;
  ask.wants_stack = request.wants_stack;
  ask.topic = request.topic;
  ask.topic_flag = request.topic_flag;
  ask.message_id = request.message_id;
  ask.message = request.message.text();
  return {.group = request.group, .ask = std::move(ask)};
}

WatchNotices to_wire(const model::WatchReply& reply) {
  WatchNotices wire;
  for (const model::Notice& notice : reply.notices) {
    auto one = std::visit([](const auto& event) { return to_wire(event); }, notice.event);
    one.session = notice.session.value;
    wire.notices.push_back(std::move(one));
  }
  return wire;
}

}  // namespace

Task<std::string> answer_watch(protocol::RequestHandler* handler, model::CallContext context,
                               AnswerTo to) {
  auto reply = co_await handler->watch(std::move(context), model::Watch{});
  std::string out;
  if (!reply) {
    answer_error(out, to, reply.error());
    co_return out;
  }
  Answer answer(out, to, response_code::kSuccess);
  answer.end_header();
  append_watch_notices(out, to_wire(*reply));
  answer.end();
  co_return out;
}

Result<model::SessionId> to_closed_session(const Request& request) {
  return session_id(request.fields(), kClosedSessionField);
}

Result<std::shared_ptr<const model::Session>> ForwardedSessions::find(
    const Fields& fields, const model::Session& gateway) {
  const auto id = session_id(fields, kSessionField);
  SLUICE_TRY(id);
  const auto peer = peer_of(fields);
  SLUICE_TRY(peer);
  const auto known = sessions_.find(*id);
  if (known != sessions_.end() && known->second->peer == *peer) return known->second;
  if (sessions_.size() >= limits::kForwardedSessionsMax) sessions_.clear();
  auto session = std::make_shared<const model::Session>(
      model::Session{.id = *id, .via = gateway.id, .peer = *peer, .protocol = gateway.protocol});
  sessions_[*id] = session;
  return std::shared_ptr<const model::Session>(std::move(session));
}

}  // namespace sluice::remoting
