#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/base/slice.hpp"
#include "common/model/endpoint.hpp"
#include "protocols/remoting/codec/frame.hpp"
#include "protocols/remoting/codec/header.hpp"

namespace sluice::remoting {

/// One request, decoded where it lies. Everything in it is a view that dies with the next decoded
/// header of the loop: a handler reads it before it waits for anything.
struct Request {
  Header header;
  SerializeType serialize_type = SerializeType::json;
  BytesView body;
  /// The bytes the header came as. What must outlive the decoder may be written over them, if the
  /// decoder's answer does not lie here itself.
  std::span<std::byte> header_memory;
  SliceOwnerPtr memory;  ///< Keeps `body` and `header_memory`.
  model::Endpoint peer;  ///< Who asks.

  [[nodiscard]] const Fields& fields() const noexcept { return header.fields; }
};

/// What an answer must know of its request once the request's bytes are gone.
struct AnswerTo {
  std::int32_t opaque = 0;
  SerializeType serialize_type = SerializeType::json;
  bool is_oneway = false;  ///< Never answered, not even errors.

  [[nodiscard]] static AnswerTo request(const Request& request) noexcept {
    return {.opaque = request.header.opaque,
            .serialize_type = request.serialize_type,
            .is_oneway = request.header.is_oneway()};
  }
};

}  // namespace sluice::remoting
