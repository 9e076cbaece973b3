#include "nameserver/silent_stream.hpp"

#include <utility>

namespace sluice::nameserver {

Task<std::vector<model::Event>> SilentStream::next(std::uint32_t /*events_max*/) {
  auto start = [this](UniqueFunction<void(bool)> resume) {
    {
      const std::lock_guard lock(mutex_);
      if (!is_closed_) {
        waiting_ = std::move(resume);
        return;
      }
    }
    resume(true);
  };
  co_await wait_for_completion<bool>(start);
  co_return fail(Errc::cancelled, "the stream was closed");
}

void SilentStream::close() noexcept {
  UniqueFunction<void(bool)> resume;
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    resume = std::move(waiting_);
  }
  if (resume) resume(true);
}

}  // namespace sluice::nameserver
