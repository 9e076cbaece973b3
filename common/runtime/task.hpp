#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "common/base/error.hpp"

namespace sluice {

/// One event loop: an io_context run by one thread.
using Executor = boost::asio::io_context::executor_type;

/// A coroutine that ends in a Result. Runs and resumes on the executor it was started on.
template <class T = void>
using Task = boost::asio::awaitable<Result<T>, Executor>;

inline constexpr boost::asio::use_awaitable_t<Executor> kAwait{};

}  // namespace sluice
