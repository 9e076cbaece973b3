#pragma once

#include <exception>
#include <utility>

#include <boost/asio/co_spawn.hpp>

#include "common/runtime/task.hpp"

namespace sluice {

/// Starts a coroutine that nobody waits for. Its Result is its own business: a root coroutine
/// reports what went wrong where it happened. An exception that leaves it is our bug and ends the
/// process, rather than vanish as asio::detached would have it.
template <class T>
void spawn(Executor executor, Task<T> task) {
  boost::asio::co_spawn(executor, std::move(task), [](std::exception_ptr bug, const Result<T>&) {
    if (bug) std::rethrow_exception(bug);
  });
}

}  // namespace sluice
