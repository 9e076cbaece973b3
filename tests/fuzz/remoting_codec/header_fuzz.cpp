// Any bytes as a stream of frames: whatever decodes must survive being written and read again.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/assert.hpp"
#include "protocols/remoting/codec/frame.hpp"
#include "protocols/remoting/codec/frame_writer.hpp"
#include "protocols/remoting/codec/header.hpp"
#include "protocols/remoting/codec/heartbeat_body.hpp"
#include "protocols/remoting/codec/json_text.hpp"
#include "protocols/remoting/codec/pull_header.hpp"
#include "protocols/remoting/codec/send_header.hpp"

namespace sluice::remoting {
namespace {

std::string repaired(std::string_view text) {
  std::string valid;
  append_valid_utf8(valid, text);
  return valid;
}

/// The fields that the binary form keeps.
std::vector<Field> fields_with_values(const Header& header) {
  std::vector<Field> fields;
  for (const Field& field : header.fields) {
    if (!field.key.empty() && !field.value.empty()) fields.push_back(field);
  }
  return fields;
}

bool fits_16_bits(std::int32_t number) {
  return number == static_cast<std::int16_t>(number);
}

void check_round_trip(SerializeType type, const Header& header) {
  const bool is_writable =
      type == SerializeType::json || (fits_16_bits(header.code) && fits_16_bits(header.version));
  if (!is_writable) return;
  const FrameHead head{.code = header.code,
                       .opaque = header.opaque,
                       .flag = header.flag,
                       .remark = header.remark,
                       .language = header.language,
                       .version = header.version};
  const std::vector<Field> fields = fields_with_values(header);
  std::string out;
  if (!append_frame(out, type, head, fields, {})) return;  // escapes can take it over the limit
  const auto frame = next_frame(as_bytes(out));
  SLUICE_ASSERT(frame && *frame && (*frame)->size == out.size(), "a written frame is a frame");
  HeaderDecoder decoder;
  const auto again = decoder.decode(type, (*frame)->header);
  SLUICE_ASSERT(again, "a written header decodes");
  SLUICE_ASSERT(again->code == header.code && again->opaque == header.opaque &&
                    again->flag == header.flag && again->version == header.version &&
                    again->language == header.language,
                "numbers stay");
  const bool is_json = type == SerializeType::json;
  const auto same = [is_json](std::string_view before, std::string_view after) {
    return is_json ? repaired(before) == after : before == after;
  };
  SLUICE_ASSERT(same(header.remark, again->remark), "the remark stays");
  SLUICE_ASSERT(again->fields.size() == fields.size(), "fields stay");
  std::size_t i = 0;
  for (const Field& field : again->fields) {
    SLUICE_ASSERT(same(fields[i].key, field.key) && same(fields[i].value, field.value),
                  "a field stays");
    ++i;
  }
}

void check_header(SerializeType type, BytesView bytes) {
  static HeaderDecoder decoder;  // used again, as sessions do
  const auto header = decoder.decode(type, bytes);
  if (!header) return;
  (void)decode_send_header(header->code, header->fields);
  (void)decode_send_header(10, header->fields);
  (void)decode_send_header(310, header->fields);
  (void)decode_pull_header(header->fields);
  (void)decode_unregister_client(header->fields);
  check_round_trip(type, *header);
}

}  // namespace
}  // namespace sluice::remoting

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;            // NOLINT(google-build-using-namespace)
  using namespace sluice::remoting;  // NOLINT(google-build-using-namespace)
  BytesView input = std::as_bytes(std::span(data, size));
  if (size > 0) {
    // The bytes as a bare header too, so that a mutation need not keep the lengths right.
    check_header(SerializeType::json, input);
    check_header(SerializeType::rocketmq, input);
  }
  while (true) {
    const auto frame = next_frame(input);
    SLUICE_ASSERT(frame.has_value() == frame_bytes_needed(input).has_value(), "both agree");
    if (!frame || !*frame) return 0;
    check_header((*frame)->serialize_type, (*frame)->header);
    input = input.subspan((*frame)->size);
  }
}
