#include "protocols/remoting/codec/frame_writer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>

#include <fmt/format.h>

#include "common/base/assert.hpp"
#include "common/base/byte_writer.hpp"
#include "common/base/limits.hpp"
#include "protocols/remoting/codec/json_text.hpp"

namespace sluice::remoting {

namespace {

constexpr std::size_t kLengthFieldBytes = 4;
constexpr std::size_t kFieldsLengthBytes = 4;
constexpr std::uint32_t kSerializeTypeShift = 24;

/// A number's decimal digits.
class Digits {
 public:
  explicit Digits(std::int64_t number)
      : end_(std::to_chars(digits_.data(), digits_.data() + digits_.size(), number).ptr) {}

  operator std::string_view() const { return {digits_.data(), end_}; }  // NOLINT(*-explicit-*)

 private:
  std::array<char, 20> digits_;
  char* end_;
};

/// Grows `out` once, then only copies.
template <std::convertible_to<std::string_view>... Texts>
void append_texts(std::string& out, const Texts&... texts) {
  const std::size_t begin = out.size();
  out.resize(begin + (std::string_view(texts).size() + ...));
  char* to = out.data() + begin;
  const auto copy = [&to](std::string_view text) { to = std::copy(text.begin(), text.end(), to); };
  (copy(texts), ...);
}

bool fits_16_bits(std::int32_t number) {
  return number == static_cast<std::int16_t>(number);
}

}  // namespace

FrameHead answer_to(const Header& request, std::int32_t code, std::string_view remark) noexcept {
  return {.code = code, .opaque = request.opaque, .flag = kResponseFlag, .remark = remark};
}

FrameWriter::FrameWriter(std::string& out, SerializeType serialize_type, const FrameHead& head)
    : out_(out), head_(head), frame_begin_(out.size()), serialize_type_(serialize_type) {
  out_.append(kFramePrefixBytes, '\0');
  if (serialize_type_ == SerializeType::json) {
    begin_json();
  } else {
    begin_binary();
  }
}

// Members in alphabetical order, as fastjson writes them: captured frames come out byte for byte.
void FrameWriter::begin_json() {
  append_texts(out_, "{\"code\":", Digits(head_.code));
  fields_begin_ = out_.size();
}

void FrameWriter::end_json() {
  const bool has_fields = out_.size() != fields_begin_;
  append_texts(out_, has_fields ? "}" : "", ",\"flag\":", Digits(head_.flag), ",\"language\":\"",
               name_of(head_.language), "\",\"opaque\":", Digits(head_.opaque));
  if (!head_.remark.empty()) {
    out_.push_back(',');
    append_json_member(out_, "remark", head_.remark);
  }
  append_texts(out_, ",\"version\":", Digits(head_.version), "}");
}

void FrameWriter::begin_binary() {
  SLUICE_ASSERT(fits_16_bits(head_.code), "a code over 16 bits is sent in JSON");
  SLUICE_ASSERT(fits_16_bits(head_.version), "versions have 16 bits in the binary form");
  ByteWriter writer(out_);
  writer.write(static_cast<std::int16_t>(head_.code));
  writer.write(static_cast<std::uint8_t>(head_.language));
  writer.write(static_cast<std::int16_t>(head_.version));
  writer.write(head_.opaque);
  writer.write(head_.flag);
  writer.write(static_cast<std::int32_t>(head_.remark.size()));
  writer.write_text(head_.remark);
  writer.write(std::int32_t{0});  // bytes of the fields: end_header() fills it in
  fields_begin_ = out_.size();
}

std::string_view FrameWriter::json_separator() const {
  return out_.size() == fields_begin_ ? ",\"extFields\":{" : ",";
}

void FrameWriter::field(std::string_view key, std::string_view value) {
  SLUICE_ASSERT(body_begin_ == 0, "fields come before end_header()");
  SLUICE_ASSERT(key.size() <= limits::kRemotingKeyBytesMax, "keys have a 16-bit length");
  if (serialize_type_ == SerializeType::rocketmq) return binary_field(key, value);
  out_.append(json_separator());
  append_json_member(out_, key, value);
}

void FrameWriter::plain(std::string_view key, std::string_view value) {
  SLUICE_ASSERT(body_begin_ == 0, "fields come before end_header()");
  if (serialize_type_ == SerializeType::rocketmq) return binary_field(key, value);
  append_texts(out_, json_separator(), "\"", key, "\":\"", value, "\"");
}

void FrameWriter::binary_field(std::string_view key, std::string_view value) {
  ByteWriter writer(out_);
  writer.write(static_cast<std::int16_t>(key.size()));
  writer.write_text(key);
  writer.write(static_cast<std::int32_t>(value.size()));
  writer.write_text(value);
}

void FrameWriter::number(std::string_view key, std::int64_t value) {
  plain(key, Digits(value));
}

void FrameWriter::boolean(std::string_view key, bool value) {
  plain(key, value ? "true" : "false");
}

void FrameWriter::end_header() {
  SLUICE_ASSERT(body_begin_ == 0, "a header ends once");
  if (serialize_type_ == SerializeType::json) {
    end_json();
  } else {
    const std::size_t fields_bytes = out_.size() - fields_begin_;
    ByteWriter(out_).patch(fields_begin_ - kFieldsLengthBytes,
                           static_cast<std::int32_t>(fields_bytes));
  }
  body_begin_ = out_.size();
}

Result<> FrameWriter::end_frame(std::size_t detached_body_bytes) {
  if (body_begin_ == 0) end_header();
  const std::size_t header_bytes = body_begin_ - frame_begin_ - kFramePrefixBytes;
  const std::size_t frame_bytes = out_.size() - frame_begin_ + detached_body_bytes;
  const bool is_too_large = header_bytes > limits::kRemotingHeaderBytesMax ||
                            frame_bytes > limits::kRemotingFrameBytesMax;
  if (is_too_large) {
    out_.resize(frame_begin_);
    return fail(
        Errc::payload_too_large,
        fmt::format("a frame of {} bytes with a header of {} is over the limits of {} and {}",
                    frame_bytes, header_bytes, limits::kRemotingFrameBytesMax,
                    limits::kRemotingHeaderBytesMax));
  }
  const auto serialize_byte = static_cast<std::uint32_t>(serialize_type_) << kSerializeTypeShift;
  ByteWriter writer(out_);
  writer.patch(frame_begin_, static_cast<std::int32_t>(frame_bytes - kLengthFieldBytes));
  writer.patch(frame_begin_ + kLengthFieldBytes,
               serialize_byte | static_cast<std::uint32_t>(header_bytes));
  return {};
}

Result<> append_frame(std::string& out, SerializeType serialize_type, const FrameHead& head,
                      std::span<const Field> fields, BytesView body) {
  FrameWriter writer(out, serialize_type, head);
  for (const Field& field : fields) writer.field(field.key, field.value);
  writer.end_header();
  out.append(as_text(body));
  return writer.end_frame();
}

}  // namespace sluice::remoting
