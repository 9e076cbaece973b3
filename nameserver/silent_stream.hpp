#pragma once

#include <mutex>
#include <vector>

#include "common/runtime/one_shot.hpp"
#include "protocols/spi/request_handler.hpp"

namespace sluice::nameserver {

/// The stream of a session that is never told anything: a name server has no news of its own.
class SilentStream final : public protocol::DeliveryStream {
 public:
  Task<std::vector<model::Event>> next(std::uint32_t events_max) override;
  void close() noexcept override;

 private:
  std::mutex mutex_;
  bool is_closed_ = false;
  UniqueFunction<void(bool)> waiting_;
};

}  // namespace sluice::nameserver
