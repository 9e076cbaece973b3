#include "tests/unit/remoting_codec/captured_frames.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <boost/json.hpp>

#include "common/base/byte_reader.hpp"

namespace sluice::remoting::test {

namespace {

namespace json = boost::json;

std::string decode_base64(std::string_view text) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t value = kAlphabet.find(c);
    if (value == std::string_view::npos) break;
    bits = bits << 6U | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> count));
  }
  return bytes;
}

std::string text_or_empty(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  return value == nullptr || value->is_null() ? std::string() : std::string(value->as_string());
}

ExpectedHeader expected_header(const json::object& object, std::string_view fields_key) {
  ExpectedHeader header;
  header.language = text_or_empty(object, "language");
  header.version = object.at("version").as_int64();
  header.flag = object.at("flag").as_int64();
  header.remark = text_or_empty(object, "remark");
  const json::value* const fields = object.if_contains(fields_key);
  if (fields == nullptr || fields->is_null()) return header;
  for (const auto& [key, value] : fields->as_object()) {
    if (value.is_null()) {
      header.has_null_values = true;
    } else {
      header.fields[std::string(key)] = std::string(value.as_string());
    }
  }
  return header;
}

CapturedFrame read_frame(std::size_t line, std::string_view text) {
  const json::value parsed = json::parse(text);
  const json::object& object = parsed.as_object();
  CapturedFrame frame;
  frame.line = line;
  frame.client = text_or_empty(object, "client");
  frame.direction = text_or_empty(object, "direction");
  frame.code = static_cast<std::int32_t>(object.at("code").as_int64());
  if (const json::value* const code = object.if_contains("request_code")) {
    frame.request_code = static_cast<std::int32_t>(code->as_int64());
  }
  frame.bytes = decode_base64(object.at("frame").as_string());
  if (const json::value* const header = object.if_contains("header")) {
    frame.serialize_type = SerializeType::rocketmq;
    frame.header = expected_header(header->as_object(), "ext");
  } else {
    const json::value header_json = json::parse(frame.header_bytes());
    frame.header = expected_header(header_json.as_object(), "extFields");
  }
  frame.header.code = object.at("code").as_int64();
  frame.header.opaque = object.at("opaque").as_int64();
  return frame;
}

}  // namespace

std::string CapturedFrame::name() const {
  return "line " + std::to_string(line) + ": " + client + " " + direction + " " +
         std::to_string(code);
}

std::string_view CapturedFrame::header_bytes() const {
  const auto word = load_big_endian<std::uint32_t>(as_bytes(bytes).data() + 4);
  return std::string_view(bytes).substr(8, word & 0x00FF'FFFFU);
}

std::string_view CapturedFrame::body() const {
  return std::string_view(bytes).substr(8 + header_bytes().size());
}

const std::vector<CapturedFrame>& captured_frames() {
  static const std::vector<CapturedFrame> kFrames = [] {
    // Tests run in their source folder.
    std::ifstream file("../../golden/remoting/frames.jsonl");
    std::vector<CapturedFrame> frames;
    for (std::string line; std::getline(file, line);) {
      frames.push_back(read_frame(frames.size() + 1, line));
    }
    if (frames.empty()) {
      std::fputs("tests/golden/remoting/frames.jsonl is not where it should be\n", stderr);
      std::exit(1);
    }
    return frames;
  }();
  return kFrames;
}

std::vector<const CapturedFrame*> captured(std::string_view direction, std::int32_t code) {
  std::vector<const CapturedFrame*> frames;
  for (const CapturedFrame& frame : captured_frames()) {
    const bool is_answer = frame.request_code != 0;
    const bool is_wanted =
        is_answer ? frame.request_code == code && frame.code == 0 : frame.code == code;
    if (frame.direction == direction && is_wanted) frames.push_back(&frame);
  }
  return frames;
}

}  // namespace sluice::remoting::test
