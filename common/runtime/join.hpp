#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include "common/runtime/one_shot.hpp"

namespace sluice {

/// Runs all `tasks` at the same time on the caller's loop.
/// \return their results, in the same order, once the last has ended.
template <class T>
[[nodiscard]] boost::asio::awaitable<std::vector<Result<T>>, Executor> wait_for_all(
    std::vector<Task<T>> tasks) {
  struct State {
    std::vector<Result<T>> results;
    std::size_t running = 0;
    UniqueFunction<void(bool)> resume;
  };
  if (tasks.empty()) co_return std::vector<Result<T>>{};
  const Executor executor = co_await boost::asio::this_coro::executor;
  auto state = std::make_shared<State>();
  state->results.resize(tasks.size());
  state->running = tasks.size();
  auto start = [&](UniqueFunction<void(bool)> resume) {
    state->resume = std::move(resume);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      // Posted, so that none ends before this loop has, whose variables lie in the waiting frame.
      auto finish = [state, i](std::exception_ptr bug, Result<T> result) {
        if (bug) std::rethrow_exception(bug);
        state->results[i] = std::move(result);
        if (--state->running > 0) return;
        auto resume_waiting = std::move(state->resume);
        resume_waiting(true);
      };
      boost::asio::post(
          executor, [executor, task = std::move(tasks[i]), finish = std::move(finish)]() mutable {
            boost::asio::co_spawn(executor, std::move(task), std::move(finish));
          });
    }
  };
  co_await wait_for_completion<bool>(start);
  co_return std::move(state->results);
}

/// Runs `task` on another loop; the caller resumes on its own.
template <class T>
[[nodiscard]] Task<T> run_on(Executor executor, Task<T> task) {
  auto result = co_await boost::asio::co_spawn(executor, std::move(task), kAwait);
  co_return std::move(result);
}

}  // namespace sluice
