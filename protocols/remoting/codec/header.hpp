#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "common/base/error.hpp"
#include "common/base/types.hpp"
#include "protocols/remoting/codec/fields.hpp"
#include "protocols/remoting/codec/frame.hpp"
#include "protocols/remoting/codec/language.hpp"

namespace sluice::remoting {

/// Bits of Header::flag.
inline constexpr std::int32_t kResponseFlag = 1;
inline constexpr std::int32_t kOnewayFlag = 2;  ///< The receiver must not answer, not even errors.

/// The header of a request or a response. Everything in it is a view: see HeaderDecoder::decode().
struct Header {
  std::int32_t code = 0;  ///< A request code (request_codes.hpp) or response code.
  LanguageCode language = LanguageCode::other;
  std::int32_t version = 0;  ///< The peer's MQVersion ordinal (language.hpp).
  std::int32_t opaque = 0;   ///< Correlates an answer with its request; any value, per direction.
  std::int32_t flag = 0;
  std::string_view remark;  ///< For people; empty if absent.
  Fields fields;

  [[nodiscard]] bool is_response() const noexcept { return (flag & kResponseFlag) != 0; }
  [[nodiscard]] bool is_oneway() const noexcept { return (flag & kOnewayFlag) != 0; }
};

/// Decodes headers of both serializations, reusing its memory: no allocation once it has seen a
/// header as large. One per thread is enough if nothing keeps a Header across the next decode().
/// Memory of a header over 64 KiB is given back by the next smaller one. Not thread-safe.
class HeaderDecoder {
 public:
  HeaderDecoder();
  ~HeaderDecoder();
  HeaderDecoder(HeaderDecoder&&) noexcept;
  HeaderDecoder& operator=(HeaderDecoder&&) noexcept;

  /// The result is valid until the next decode() and, for binary headers, as long as `header` is.
  ///
  /// Lenient where clients in the field need it (docs/formats/remoting.md lists why): unknown
  /// members, numbers and booleans as field values, numbers as text, null for absent, unknown
  /// languages, white space around the object, bytes that are not UTF-8 (read as U+FFFD).
  ///
  /// \return malformed_packet if it is not JSON, not an object, a number is out of 32 bits, a
  /// length
  ///         of the binary form lies, a key is over limits::kRemotingKeyBytesMax or there are more
  ///         than limits::kRemotingFieldsMax fields. Without an opaque nobody can be answered:
  ///         close the connection.
  [[nodiscard]] Result<Header> decode(SerializeType serialize_type, BytesView header);

 private:
  struct State;  // keeps simdjson out of this header
  std::unique_ptr<State> state_;
};

}  // namespace sluice::remoting
