#include "broker/membership/client_calls.hpp"

#include <iterator>
#include <utility>
#include <vector>

#include <boost/asio/this_coro.hpp>

#include "common/base/limits.hpp"
#include "common/runtime/one_shot.hpp"

namespace sluice::broker {

// Numbers begin anywhere: an answer to the broker that was here before finds no question.
ClientCalls::ClientCalls(Runtime& runtime) noexcept
    : runtime_(runtime), next_number_(runtime.environment().random()) {}

Task<model::ClientReply> ClientCalls::ask(ClientKey key, Post post) {
  const Executor executor = co_await boost::asio::this_coro::executor;
  std::uint64_t number = 0;
  TimerWheel::Timer timer([this, key, &number] {
    answer(key, number, fail(Errc::deadline_exceeded, "the client did not answer in time"));
  });
  auto start = [&](Complete complete) {
    Result<> admitted;
    {
      const std::lock_guard lock(mutex_);
      admitted = admit(key);
      number = next_number_++;
      if (admitted) calls_.emplace(Call{key, number}, std::move(complete));
    }
    if (!admitted) return complete(fail(std::move(admitted).error()));
    const auto due = runtime_.environment().steady_now() + limits::kClientAnswerMax;
    runtime_.timers(executor).arm(timer, due);
    post(number);
  };
  auto reply = co_await wait_for_completion<Result<model::ClientReply>>(start);
  co_return std::move(reply);
}

Result<> ClientCalls::admit(ClientKey key) const {
  if (is_released_) return fail(Errc::draining, "the broker is stopping");
  const auto first = calls_.lower_bound({key, 0});
  std::size_t waiting = 0;
  for (auto it = first; it != calls_.end() && it->first.first == key; ++it) ++waiting;
  if (waiting < limits::kClientRequestsPerSessionMax) return {};
  return fail(Errc::quota_exceeded, std::to_string(waiting) +
                                        " questions wait for this client already: ask it again "
                                        "when it has answered");
}

void ClientCalls::answer(ClientKey key, std::uint64_t number, Result<model::ClientReply> reply) {
  Complete complete;
  {
    const std::lock_guard lock(mutex_);
    const auto call = calls_.find({key, number});
    if (call == calls_.end()) return;
    complete = std::move(call->second);
    calls_.erase(call);
  }
  complete(std::move(reply));
}

template <class Matches>
void ClientCalls::end(Matches matches, const Error& error) {
  std::vector<Complete> ended;
  {
    const std::lock_guard lock(mutex_);
    for (auto call = calls_.begin(); call != calls_.end();) {
      if (!matches(call->first.first)) {
        ++call;
        continue;
      }
      ended.push_back(std::move(call->second));
      call = calls_.erase(call);
    }
  }
  for (Complete& complete : ended) complete(fail(error));
}

void ClientCalls::close(ClientKey key) {
  end([key](ClientKey asked) { return ends_with(asked, key); },
      {Errc::group_has_no_members, "the client has left"});
}

void ClientCalls::release() {
  {
    const std::lock_guard lock(mutex_);
    is_released_ = true;
  }
  end([](ClientKey) { return true; }, {Errc::draining, "the broker is stopping"});
}

}  // namespace sluice::broker
