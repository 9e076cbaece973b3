#include "protocols/remoting/codec/frame_writer.hpp"

#include <algorithm>
#include <array>
#include <charconv>

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
constexpr std::size_t kPlainKeyBytesMax = 64;

/// A part of a header that is built first and appended at once.
class Piece {
 public:
  Piece& text(std::string_view text) {
    end_ = std::copy(text.begin(), text.end(), end_);
    return *this;
  }
  Piece& number(std::int32_t number) {
    end_ = std::to_chars(end_, bytes_.data() + bytes_.size(), number).ptr;
    return *this;
  }
  [[nodiscard]] std::string_view view() const { return {bytes_.data(), end_}; }

 private:
  // More than two numbers of 11 characters, a language and the longest names take; or a separator,
  // kPlainKeyBytesMax and a number of 20.
  std::array<char, 128> bytes_;
  char* end_ = bytes_.data();
};

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
  Piece piece;
  piece.text("{\"code\":").number(head_.code);
  out_.append(piece.view());
  fields_begin_ = out_.size();
}

void FrameWriter::end_json() {
  Piece piece;
  if (out_.size() != fields_begin_) piece.text("}");
  piece.text(",\"flag\":").number(head_.flag);
  piece.text(",\"language\":\"").text(name_of(head_.language));
  piece.text("\",\"opaque\":").number(head_.opaque);
  out_.append(piece.view());
  if (!head_.remark.empty()) {
    out_.push_back(',');
    append_json_member(out_, "remark", head_.remark);
  }
  Piece last;
  last.text(",\"version\":").number(head_.version).text("}");
  out_.append(last.view());
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

void FrameWriter::plain_field(std::string_view key, std::string_view value) {
  SLUICE_ASSERT(body_begin_ == 0, "fields come before end_header()");
  if (serialize_type_ == SerializeType::rocketmq) return binary_field(key, value);
  SLUICE_ASSERT(key.size() <= kPlainKeyBytesMax, "keys of numbers are short");
  Piece piece;
  piece.text(json_separator()).text("\"").text(key).text("\":\"").text(value).text("\"");
  out_.append(piece.view());
}

void FrameWriter::binary_field(std::string_view key, std::string_view value) {
  ByteWriter writer(out_);
  writer.write(static_cast<std::int16_t>(key.size()));
  writer.write_text(key);
  writer.write(static_cast<std::int32_t>(value.size()));
  writer.write_text(value);
}

void FrameWriter::number(std::string_view key, std::int64_t value) {
  std::array<char, 20> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  plain_field(key, std::string_view(digits.data(), end));
}

void FrameWriter::boolean(std::string_view key, bool value) {
  plain_field(key, value ? "true" : "false");
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
