#pragma once

#include <chrono>
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

  /// Past limits::kNoticesPerGatewayMax the oldest go, and are counted: a notice is a hint, and
  /// clients balance anew by themselves every 20 s.
  void post(Membership::Notices notices);

  /// What waits for `via`; waits up to `duration` for the first. A second call for the same `via`
  /// ends the first with nothing.
  boost::asio::awaitable<std::vector<model::Notice>, Executor> take(
      model::SessionId via, std::chrono::milliseconds duration);

  /// Nobody takes notices for `via` any more.
  void forget(model::SessionId via);

  /// Ends every wait with nothing, those that begin later at once.
  void release();

 private:
  struct Box {
    std::vector<model::Notice> notices;
    std::shared_ptr<UniqueFunction<void(bool)>> waiting;
  };

  /// Ends the wait at `box`, if there is one. \return what to call once the mutex is free.
  static std::shared_ptr<UniqueFunction<void(bool)>> end_wait(Box& box);

  Runtime& runtime_;
  std::mutex mutex_;
  std::map<model::SessionId, Box> boxes_;
  bool is_closed_ = false;
};

}  // namespace sluice::broker
