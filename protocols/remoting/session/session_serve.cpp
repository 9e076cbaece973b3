#include <utility>
#include <variant>

#include <fmt/format.h>

#include "common/base/limits.hpp"
#include "common/runtime/spawn.hpp"
#include "protocols/remoting/codec/private_requests.hpp"
#include "protocols/remoting/handlers/answer.hpp"
#include "protocols/remoting/handlers/pull.hpp"
#include "protocols/remoting/handlers/send.hpp"
#include "protocols/remoting/session/session.hpp"
#include "protocols/remoting/session/session_parts.hpp"

namespace sluice::remoting {

namespace {

bool is_nothing_new(const Result<model::Reply>& reply) {
  if (!reply) return false;
  const auto* const pulled = std::get_if<model::PullReply>(&*reply);
  return pulled != nullptr && pulled->status == model::PullStatus::nothing_new;
}

bool registers_consumer(const model::Command& command) {
  const auto* const client = std::get_if<model::RegisterClient>(&command);
  return client != nullptr && !client->consumers.empty();
}

std::string unsupported_remark(std::int32_t code) {
  return fmt::format(" request type {} not supported", code);
}

}  // namespace

Task<std::size_t> Session::serve() {
  Gathered gathered;
  std::size_t frames = 0;
  while (!is_closed_) {
    const auto frame = next_frame(received_.unread());
    if (!frame) {
      end(metrics().malformed_frame);
      break;
    }
    if (!*frame) break;
    auto request = decode(**frame);
    if (!request) {
      end(metrics().malformed_header);
      break;
    }
    if (request->header.is_response()) {
      take_response(*request);
      received_.consume((*frame)->size);
      ++frames;
      continue;
    }
    const TableRow* const row = find_row(request->header.code);
    const auto* const kind = row ? std::get_if<SendRequest>(&row->kind) : nullptr;
    auto identity = identity_of(request->fields());
    if (identity) request->peer = (*identity)->peer;
    const bool is_gathered =
        kind != nullptr && identity && gather(*request, *kind, *identity, gathered);
    if (!is_gathered && !gathered.sends.empty()) {
      // First things first. The request is decoded again: its views will have died.
      auto sent = std::exchange(gathered, {});
      co_await send(std::move(sent));
      continue;
    }
    received_.consume((*frame)->size);
    ++frames;
    if (is_gathered) {
      row->served.add();
      continue;
    }
    if (!identity) {
      refuse(AnswerTo::request(*request), identity.error());
      continue;
    }
    co_await serve_other(*std::move(request), row, *std::move(identity), **frame);
    if (!has_room()) co_await wait_until_written(limits::kSessionOutboundBytesMax / 2);
  }
  if (!gathered.sends.empty()) co_await send(std::move(gathered));
  co_return frames;
}

Result<Request> Session::decode(const Frame& frame) {
  const auto header = services_->decoder.decode(frame.serialize_type, frame.header);
  SLUICE_TRY(header);
  return Request{.header = *header,
                 .serialize_type = frame.serialize_type,
                 .body = frame.body,
                 .header_memory = received_.writable(frame.header),
                 .memory = received_.owner(),
                 .peer = identity_->peer};
}

Result<Session::Identity> Session::identity_of(const Fields& fields) {
  if (!fields.find(kSessionField)) return identity_;
  return extras().forwarded.find(fields, *identity_);
}

bool Session::gather(const Request& request, const SendRequest& kind, const Identity& identity,
                     Gathered& gathered) {
  const bool is_other = !gathered.sends.empty() && gathered.identity != identity;
  if (is_other || gathered.sends.size() >= limits::kSendsPerCallMax) return false;
  const auto to = AnswerTo::request(request);
  auto sent = kind.to_send(request);
  if (!sent) {
    if (!to.is_oneway) answer_send(outbound_, to, fail(std::move(sent).error()));
    return true;
  }
  gathered.identity = identity;
  gathered.sends.push_back(*std::move(sent));
  gathered.answers.push_back(to);
  return true;
}

Task<> Session::send(Gathered gathered) {
  model::CallContext context{.session = std::move(gathered.identity)};
  const auto results =
      co_await services_->handler.send(std::move(context), std::move(gathered.sends));
  for (std::size_t i = 0; i < gathered.answers.size(); ++i) {
    const AnswerTo& to = gathered.answers[i];
    if (to.is_oneway) continue;
    if (results) {
      answer_send(outbound_, to, (*results)[i]);
    } else {
      answer_send(outbound_, to, fail(results.error()));
    }
  }
  co_return Result<>{};
}

Task<> Session::serve_other(Request request, const TableRow* row, Identity identity, Frame frame) {
  const auto to = AnswerTo::request(request);
  if (row == nullptr) {
    metrics().unsupported.add();
    if (to.is_oneway) co_return Result<>{};
    Answer(outbound_, to, response_code::kRequestCodeNotSupported,
           unsupported_remark(request.header.code))
        .end();
    co_return Result<>{};
  }
  row->served.add();
  if (const auto* const kind = std::get_if<CommandRequest>(&row->kind)) {
    auto call = kind->to_call(request);
    if (!call) {
      refuse(to, call.error());
      co_return Result<>{};
    }
    co_await serve_command(to, *std::move(call), std::move(identity), frame);
  } else if (const auto* const asking = std::get_if<AskingRequest>(&row->kind)) {
    ask_client(request, *asking, std::move(identity));
  } else if (const auto* const fixed = std::get_if<FixedRequest>(&row->kind)) {
    if (!to.is_oneway) fixed->answer(outbound_, to);
  } else if (std::holds_alternative<WatchRequest>(row->kind)) {
    if (may_wait(to)) spawn(services_->executor, answer_waiting_watch(shared_from_this(), to));
  } else if (std::holds_alternative<SessionClosedRequest>(row->kind)) {
    serve_closed_session(request, to);
  }
  co_return Result<>{};
}

Task<> Session::serve_command(AnswerTo to, Call call, Identity identity, Frame frame) {
  auto* const pull = std::get_if<model::Pull>(&call.command);
  const bool may_wait_for_messages = pull != nullptr && pull->wait.count() > 0;
  // Most pulls find something: only those that do not are worth a coroutine.
  if (may_wait_for_messages) pull->wait = {};
  const bool is_own = identity == identity_;
  if (is_own && registers_consumer(call.command)) attach();
  const model::CallContext context{.session = identity};
  const auto reply = co_await services_->handler.handle(context, std::move(call.command));
  if (may_wait_for_messages && is_nothing_new(reply)) {
    wait_for_messages(frame, std::move(identity));
  } else if (to.is_oneway) {
    co_return Result<>{};
  } else if (!reply) {
    call.refuse(outbound_, to, reply.error());
  } else {
    call.answer(outbound_, to, *reply);
  }
  co_return Result<>{};
}

void Session::refuse(const AnswerTo& to, const Error& error) {
  if (!to.is_oneway) answer_error(outbound_, to, error);
}

/// Counts one more request that waits. False, and answered, if there are too many.
bool Session::may_wait(const AnswerTo& to) {
  if (to.is_oneway) return false;
  if (waiting_requests_ >= limits::kRemotingRequestsInFlightMax) {
    refuse(to, {Errc::quota_exceeded, fmt::format("[OVERLOAD]{} requests of this connection wait "
                                                  "already",
                                                  waiting_requests_)});
    return false;
  }
  ++waiting_requests_;
  return true;
}

/// The frame was decoded before, and is again: to keep a copy of each pull would cost more.
void Session::wait_for_messages(const Frame& frame, Identity identity) {
  const auto request = decode(frame);
  SLUICE_ASSERT(request, "what was decoded once is decoded twice");
  const auto to = AnswerTo::request(*request);
  auto call = to_pull(*request);
  SLUICE_ASSERT(call, "what was a pull is one");
  auto pull = std::get<model::Pull>(std::move(call->command));
  pull.commit_offset.reset();  // That was done.
  if (!may_wait(to)) return;
  spawn(services_->executor,
        answer_waiting_pull(shared_from_this(), to, std::move(pull), std::move(identity)));
}

Task<> Session::answer_waiting_pull(std::shared_ptr<Session> self, AnswerTo to, model::Pull pull,
                                    Identity identity) {
  if (self->is_closed_) {
    // The broker has been told of the end: it would keep what comes after.
    --self->waiting_requests_;
    co_return Result<>{};
  }
  const std::int64_t offset = pull.offset;
  const model::CallContext context{.session = std::move(identity)};
  model::Command command = std::move(pull);
  const auto reply = co_await self->services_->handler.handle(context, std::move(command));
  --self->waiting_requests_;
  if (self->is_closed_) co_return Result<>{};
  if (!reply) {
    self->refuse(to, reply.error());
  } else if (self->has_room()) {
    answer_pull(self->outbound_, to, *reply);
  } else {
    answer_pull_again(self->outbound_, to, reply_as<model::PullReply>(*reply), offset);
  }
  self->flush_soon();
  co_return Result<>{};
}

Task<> Session::answer_waiting_watch(std::shared_ptr<Session> self, AnswerTo to) {
  const model::CallContext context{.session = self->identity_};
  const auto answer = co_await answer_watch(&self->services_->handler, context, to);
  --self->waiting_requests_;
  if (self->is_closed_) co_return Result<>{};
  self->outbound_.append(*answer);
  self->flush_soon();
  co_return Result<>{};
}

void Session::ask_client(const Request& request, const AskingRequest& kind, Identity identity) {
  const auto to = AnswerTo::request(request);
  auto call = kind.to_call(request);
  if (!call) return refuse(to, call.error());
  if (!may_wait(to)) return;
  spawn(services_->executor,
        answer_asking(shared_from_this(), to, *std::move(call), std::move(identity)));
}

Task<> Session::answer_asking(std::shared_ptr<Session> self, AnswerTo to, Call call,
                              Identity identity) {
  const model::CallContext context{.session = std::move(identity)};
  const auto reply = co_await self->services_->handler.handle(context, std::move(call.command));
  --self->waiting_requests_;
  if (self->is_closed_) co_return Result<>{};
  if (reply) {
    call.answer(self->outbound_, to, *reply);
  } else {
    call.refuse(self->outbound_, to, reply.error());
  }
  self->flush_soon();
  co_return Result<>{};
}

void Session::serve_closed_session(const Request& request, const AnswerTo& to) {
  const auto session = to_closed_session(request);
  if (!session) return refuse(to, session.error());
  services_->handler.session_closed(*session, identity_->id);
  extras().forwarded.forget(*session);
  if (!to.is_oneway) answer_success(outbound_, to);
}

void Session::attach() {
  if (extras().stream) return;
  extras().stream = services_->handler.attach({.session = identity_});
  extras().is_forwarding = true;
  spawn(services_->executor, forward_notices());
}

}  // namespace sluice::remoting
