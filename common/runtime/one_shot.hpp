#pragma once

#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>

#include "common/base/unique_function.hpp"
#include "common/runtime/task.hpp"

namespace sluice {

/// Suspends the calling coroutine until somebody calls the function that `start` is given, once and
/// from any thread; the coroutine resumes on its own executor with the value.
///
/// `start` is called as start(UniqueFunction<void(T)> complete) after the coroutine is suspended.
/// Completing from the coroutine's own loop resumes it at once, inside the call.
/// Destroying the function unused destroys the coroutine.
template <class T, class Start>
[[nodiscard]] boost::asio::awaitable<T, Executor> wait_for_completion(Start start) {
  return boost::asio::async_initiate<const boost::asio::use_awaitable_t<Executor>, void(T)>(
      [](auto handler, Start begin) {
        const Executor executor = boost::asio::get_associated_executor(handler);
        begin([executor, handler = std::move(handler)](T value) mutable {
          if (executor.running_in_this_thread()) {
            std::move(handler)(std::move(value));
            return;
          }
          boost::asio::post(executor,
                            [handler = std::move(handler), value = std::move(value)]() mutable {
                              std::move(handler)(std::move(value));
                            });
        });
      },
      kAwait, std::move(start));
}

}  // namespace sluice
