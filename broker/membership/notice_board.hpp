#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "broker/membership/membership.hpp"
#include "common/runtime/one_shot.hpp"
#include "common/runtime/runtime.hpp"

namespace sluice::broker {

/// Holds notices until the gateway they are for takes them (watch). Safe from any loop.
class NoticeBoard {
 public:
  explicit NoticeBoard(Runtime& runtime) : runtime_(runtime) {}

  /// Past limits::kNoticesPerGatewayMax or limits::kNoticeBytesPerGatewayMax the oldest go, and are
  /// counted: a notice is a hint, clients balance anew by themselves every 20 s, and who asks a
  /// client waits only so long.
  void post(Membership::Notices notices);

  /// What waits for `via`, the oldest, at most limits::kNoticeBytesPerWatchMax but at least one;
  /// waits up to `duration` for it. A second call for the same `via`
  /// ends the first with nothing.
  boost::asio::awaitable<std::vector<model::Notice>, Executor> take(
      model::SessionId via, std::chrono::milliseconds duration);

  /// Nobody takes notices for `via` any more.
  void forget(model::SessionId via);

  /// Ends every wait with nothing, those that begin later at once.
  void release();

 private:
  struct Box {
    std::deque<model::Notice> notices;
    std::size_t bytes = 0;  ///< Of the messages in them.
    std::shared_ptr<UniqueFunction<void(bool)>> waiting;
  };

  static void drop_oldest(Box& box);
  static std::vector<model::Notice> take_some(Box& box);

  /// Ends the wait at `box`, if there is one. \return what to call once the mutex is free.
  static std::shared_ptr<UniqueFunction<void(bool)>> end_wait(Box& box);

  Runtime& runtime_;
  std::mutex mutex_;
  std::map<model::SessionId, Box> boxes_;
  bool is_closed_ = false;
};

}  // namespace sluice::broker
