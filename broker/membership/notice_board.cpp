#include "broker/membership/notice_board.hpp"

#include <utility>
#include <variant>

#include "common/base/limits.hpp"
#include "common/base/metrics.hpp"

namespace sluice::broker {

using Waiting = std::shared_ptr<UniqueFunction<void(bool)>>;

namespace {

std::size_t bytes_of(const model::Notice& notice) noexcept {
  const auto* const request = std::get_if<model::ClientRequest>(&notice.event);
  return request == nullptr ? 0 : request->message.size();
}

}  // namespace

Waiting NoticeBoard::end_wait(Box& box) {
  return std::exchange(box.waiting, nullptr);
}

void NoticeBoard::drop_oldest(Box& box) {
  static metrics::Counter& dropped =
      metrics::counter("sluice_notices_dropped_total", "", "Notices that no gateway took in time");
  box.bytes -= bytes_of(box.notices.front());
  box.notices.pop_front();
  dropped.add();
}

std::vector<model::Notice> NoticeBoard::take_some(Box& box) {
  std::vector<model::Notice> taken;
  std::size_t bytes = 0;
  while (!box.notices.empty()) {
    const std::size_t size = bytes_of(box.notices.front());
    if (!taken.empty() && bytes + size > limits::kNoticeBytesPerWatchMax) break;
    bytes += size;
    taken.push_back(std::move(box.notices.front()));
    box.notices.pop_front();
  }
  box.bytes -= bytes;
  return taken;
}

void NoticeBoard::post(Membership::Notices notices) {
  std::vector<Waiting> ended;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [via, notice] : notices) {
      Box& box = boxes_[via];
      box.bytes += bytes_of(notice);
      box.notices.push_back(std::move(notice));
      while (box.notices.size() > limits::kNoticesPerGatewayMax ||
             box.bytes > limits::kNoticeBytesPerGatewayMax) {
        drop_oldest(box);
      }
      if (box.waiting) ended.push_back(end_wait(box));
    }
  }
  for (const Waiting& waiting : ended) {
    auto resume = std::move(*waiting);
    resume(true);
  }
}

boost::asio::awaitable<std::vector<model::Notice>, Executor> NoticeBoard::take(
    model::SessionId via, std::chrono::milliseconds duration) {
  const Executor executor = co_await boost::asio::this_coro::executor;
  Waiting mine;
  TimerWheel::Timer timer([this, via, &mine] {
    {
      const std::lock_guard lock(mutex_);
      const auto box = boxes_.find(via);
      if (box == boxes_.end() || box->second.waiting != mine) return;
      box->second.waiting = nullptr;
    }
    auto resume = std::move(*mine);
    resume(false);
  });
  const auto due = runtime_.environment().steady_now() + duration;
  auto start = [&](UniqueFunction<void(bool)> complete) {
    runtime_.timers(executor).arm(timer, due);
    Waiting replaced;
    {
      const std::lock_guard lock(mutex_);
      Box& box = boxes_[via];
      replaced = end_wait(box);
      if (box.notices.empty() && !is_closed_) {
        mine = std::make_shared<UniqueFunction<void(bool)>>(std::move(complete));
        box.waiting = mine;
      }
    }
    if (replaced) {
      auto resume = std::move(*replaced);
      resume(false);
    }
    if (!mine) complete(true);
  };
  static_cast<void>(co_await wait_for_completion<bool>(start));
  const std::lock_guard lock(mutex_);
  const auto box = boxes_.find(via);
  co_return box == boxes_.end() ? std::vector<model::Notice>{} : take_some(box->second);
}

void NoticeBoard::forget(model::SessionId via) {
  Waiting ended;
  {
    const std::lock_guard lock(mutex_);
    const auto box = boxes_.find(via);
    if (box == boxes_.end()) return;
    ended = end_wait(box->second);
    boxes_.erase(box);
  }
  if (!ended) return;
  auto resume = std::move(*ended);
  resume(false);
}

void NoticeBoard::release() {
  std::vector<Waiting> ended;
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    for (auto& [via, box] : boxes_) {
      if (box.waiting) ended.push_back(end_wait(box));
    }
  }
  for (const Waiting& waiting : ended) {
    auto resume = std::move(*waiting);
    resume(false);
  }
}

}  // namespace sluice::broker
