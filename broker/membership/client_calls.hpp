#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "broker/membership/client_key.hpp"
#include "common/base/unique_function.hpp"
#include "common/model/client_request.hpp"
#include "common/runtime/runtime.hpp"
#include "common/runtime/task.hpp"

namespace sluice::broker {

/// The questions to clients that wait for an answer. Safe from any loop.
class ClientCalls {
 public:
  using Post = UniqueFunction<void(std::uint64_t)>;

  explicit ClientCalls(Runtime& runtime) noexcept;

  /// Gives a question a number, has `post` send it on its way, and waits for the answer.
  ///
  /// \return what answer() was given; deadline_exceeded after limits::kClientAnswerMax;
  ///         group_has_no_members once the connection is gone; quota_exceeded if
  ///         limits::kClientRequestsPerSessionMax wait there already; draining after release().
  Task<model::ClientReply> ask(ClientKey key, Post post);

  /// The answer to question `number`, from the connection `key`. Nothing if nobody waits for it
  /// there.
  void answer(ClientKey key, std::uint64_t number, Result<model::ClientReply> reply);

  /// The connection is gone, and with it what came through it.
  void close(ClientKey key);

  /// Ends every wait, those that begin later at once.
  void release();

 private:
  using Complete = UniqueFunction<void(Result<model::ClientReply>)>;
  using Call = std::pair<ClientKey, std::uint64_t>;
  using Calls = std::map<Call, Complete>;

  /// Takes the calls that `matches(key)` out, and ends them with `error`.
  template <class Matches>
  void end(Matches matches, const Error& error);
  [[nodiscard]] Result<> admit(ClientKey key) const;

  Runtime& runtime_;
  std::mutex mutex_;
  Calls calls_;
  std::uint64_t next_number_;
  bool is_released_ = false;
};

}  // namespace sluice::broker
