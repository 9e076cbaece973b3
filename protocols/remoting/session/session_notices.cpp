#include <utility>
#include <variant>

#include <boost/asio/post.hpp>

#include "common/base/limits.hpp"
#include "common/base/log.hpp"
#include "common/runtime/one_shot.hpp"
#include "common/runtime/spawn.hpp"
#include "protocols/remoting/handlers/clients.hpp"
#include "protocols/remoting/handlers/consumers.hpp"
#include "protocols/remoting/session/session.hpp"
#include "protocols/remoting/session/session_parts.hpp"

namespace sluice::remoting {

namespace {

/// How often a session whose peer does not read looks whether notices can go on.
constexpr std::chrono::milliseconds kNoticePause{100};

}  // namespace

/// Ends before run() does, and owns no share of the session: the session owns the stream, and the
/// stream this coroutine while it waits.
Task<> Session::forward_notices() {
  while (!is_closed_) {
    const auto events = co_await extras_->stream->next(limits::kNoticesPerSessionMax);
    if (!events || is_closed_) break;
    for (const model::Event& event : *events) {
      std::visit([this](const auto& one) { forward(one); }, event);
    }
    flush_soon();
    while (!is_closed_ && !has_room()) co_await sleep_for(services_->runtime, kNoticePause);
  }
  extras_->is_forwarding = false;
  if (extras_->resume_finish) {
    boost::asio::post(
        services_->executor,
        [resume = std::exchange(extras_->resume_finish, {})]() mutable { resume(true); });
  }
  co_return Result<>{};
}

Task<> Session::end_notices() {
  if (!extras_ || !extras_->stream) co_return Result<>{};
  extras_->stream->close();
  if (extras_->is_forwarding) {
    auto start = [this](UniqueFunction<void(bool)> resume) {
      extras_->resume_finish = std::move(resume);
    };
    co_await wait_for_completion<bool>(start);
  }
  extras_->stream.reset();
  co_return Result<>{};
}

void Session::forward(const model::GroupChanged& changed) {
  append_group_changed(outbound_, extras_->next_opaque++, changed.group);
}

void Session::forward(const model::ClientRequest& request) {
  const std::int32_t opaque = extras_->next_opaque++;
  const auto appended = append_client_request(outbound_, opaque, request);
  if (!appended) {
    log::warn("a question to a client does not fit a frame: {}", describe(appended.error()));
    return;  // Who asks waits no longer than for a client that is silent.
  }
  auto& asked = extras_->asked;
  if (asked.size() >= limits::kClientRequestsRemembered) asked.erase(asked.begin());
  asked[opaque] = {.number = request.number, .broker_name = request.broker_name};
}

void Session::take_response(const Request& response) {
  if (!extras_) return;
  const auto asked = extras_->asked.find(response.header.opaque);
  if (asked == extras_->asked.end()) return;
  model::AnswerClientRequest answer;
  answer.number = asked->second.number;
  answer.broker_name = std::move(asked->second.broker_name);
  answer.code = response.header.code;
  answer.remark = response.header.remark;
  answer.body = Slice::copy_of(response.body);
  extras_->asked.erase(asked);
  spawn(services_->executor, pass_on(shared_from_this(), std::move(answer)));
}

/// Whoever waits for the answer is told by the broker, or that there was none.
Task<> Session::pass_on(std::shared_ptr<Session> self, model::AnswerClientRequest answer) {
  const model::CallContext context{.session = self->identity_};
  model::Command command = std::move(answer);
  const auto passed = co_await self->services_->handler.handle(context, std::move(command));
  if (!passed) log::warn("a client's answer was lost: {}", describe(passed.error()));
  co_return Result<>{};
}

}  // namespace sluice::remoting
