#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "common/base/error.hpp"
#include "common/base/types.hpp"
#include "protocols/remoting/codec/fields.hpp"
#include "protocols/remoting/codec/header.hpp"

namespace sluice::remoting {

/// The parts of a header that are not extension fields.
struct FrameHead {
  /// A response code, or a request code. Over 32,767 only in JSON: the binary form has 16 bits.
  std::int32_t code = 0;
  std::int32_t opaque = 0;
  std::int32_t flag = 0;
  std::string_view remark{};  ///< Absent if empty. Must live until end_header().
  LanguageCode language = kOurLanguage;
  std::int32_t version = kOurVersion;
};

/// The head of the answer to `request`.
[[nodiscard]] FrameHead answer_to(const Header& request, std::int32_t code,
                                  std::string_view remark = {}) noexcept;

/// Appends one frame to a string that the caller owns, so that answers gather behind each other
/// and a pull answer's records can be appended as they are read:
///
///     FrameWriter writer(out, request_frame.serialize_type, answer_to(header, kSuccess));
///     writer.number("queueOffset", 7);
///     writer.end_header();
///     out.append(body);             // or nothing
///     auto written = writer.end_frame();
///
/// Answers use the serialization of the request (every client reads that one); what the server
/// sends of its own accord is JSON. One writer at a time may append to a string.
class FrameWriter {
 public:
  /// Begins the frame. `out` outlives the writer.
  FrameWriter(std::string& out, SerializeType serialize_type, const FrameHead& head);

  /// Extension fields, each key once; keys need no escape in JSON. JSON holds any bytes (what is
  /// not UTF-8 becomes U+FFFD); the binary form cannot tell an empty value from an absent field.
  void field(std::string_view key, std::string_view value);
  /// As field(), of a value that JSON holds as it is: the caller's own words, digits, letters.
  void plain(std::string_view key, std::string_view value);
  void number(std::string_view key, std::int64_t value);
  void boolean(std::string_view key, bool value);

  /// No field may follow, the body may.
  void end_header();

  /// Fills in the lengths. `detached_body_bytes`: of a body that the caller sends after this
  /// string without copying it here. Ends the header if that was not done.
  ///
  /// \return payload_too_large if the frame or its header is over the limits that next_frame()
  ///         enforces. `out` is then what it was before: the caller may answer with an error.
  [[nodiscard]] Result<> end_frame(std::size_t detached_body_bytes = 0);

 private:
  void binary_field(std::string_view key, std::string_view value);
  [[nodiscard]] std::string_view json_separator() const;
  void begin_json();
  void begin_binary();
  void end_json();

  std::string& out_;
  FrameHead head_;
  std::size_t frame_begin_;
  std::size_t body_begin_ = 0;  // 0 until the header has ended
  std::size_t fields_begin_ = 0;
  SerializeType serialize_type_;
};

/// Appends a whole frame. \return as FrameWriter::end_frame().
[[nodiscard]] Result<> append_frame(std::string& out, SerializeType serialize_type,
                                    const FrameHead& head, std::span<const Field> fields,
                                    BytesView body);

}  // namespace sluice::remoting
