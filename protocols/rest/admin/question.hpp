#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include <boost/json/object.hpp>

#include "common/model/command.hpp"
#include "common/model/reply.hpp"
#include "protocols/rest/request.hpp"

/// \file
/// The resources of the admin listener that ask the system: read only, JSON. One file a family.

namespace sluice::rest::admin {

/// Which part of a long list is wanted.
struct Page {
  std::string after;  ///< Names behind this one; empty: from the first.
  std::int64_t max = 0;
};

/// What a request asks, and how the reply reads.
struct Question {
  model::Command command;
  /// \param name  What the path names: a topic, a namespace; else empty.
  boost::json::object (*answer)(const model::Reply& reply, const std::string& name,
                                const Page& page);
  std::string name = {};
  Page page = {};
};

/// nullptr if the system answered something else than was asked; an answer() is then an object
/// without members.
template <class T>
[[nodiscard]] const T* name_server_reply_of(const model::Reply& reply) noexcept {
  const auto* const of_name_server = std::get_if<model::NameServerReply>(&reply);
  return of_name_server == nullptr ? nullptr : std::get_if<T>(of_name_server);
}

/// \return invalid_argument for a query parameter: this resource has none.
[[nodiscard]] Result<> expect_no_parameters(const Target& target);

}  // namespace sluice::rest::admin
