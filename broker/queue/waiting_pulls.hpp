#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include <boost/intrusive/set.hpp>

#include "broker/membership/client_key.hpp"
#include "broker/metadata/metadata.hpp"

namespace sluice::broker {

/// The pulls that may wait, by the connection that asked, so that none outlives its connection.
/// Members are safe from any loop.
class WaitingPulls {
 public:
  /// One pull, from before its first co_await to its end: one that a closed session left behind
  /// finds that out when it begins to wait.
  class Pull : public boost::intrusive::set_base_hook<> {
   public:
    Pull(WaitingPulls& pulls, ClientKey key);
    ~Pull();
    Pull(const Pull&) = delete;
    Pull& operator=(const Pull&) = delete;

    /// Where it is going to wait.
    void wait_at(std::shared_ptr<Queue> queue);

    /// For Waiters::wait().
    [[nodiscard]] const std::atomic<bool>& is_over() const noexcept { return is_over_; }

   private:
    friend class WaitingPulls;

    WaitingPulls& pulls_;
    const ClientKey key_;
    std::shared_ptr<Queue> queue_;  ///< Under the mutex of `pulls_`.
    std::atomic<bool> is_over_{false};
  };

  /// The connection is gone, and with it what came through it.
  void close(ClientKey key);

 private:
  /// Via first: what came through one connection lies together.
  struct ByVia {
    using type = std::pair<model::SessionId, model::SessionId>;
    type operator()(const Pull& pull) const noexcept { return {pull.key_.via, pull.key_.session}; }
  };
  using ByKey = boost::intrusive::multiset<Pull, boost::intrusive::key_of_value<ByVia>>;

  std::mutex mutex_;
  ByKey by_key_;
};

}  // namespace sluice::broker
