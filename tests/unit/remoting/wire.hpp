#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/byte_reader.hpp"
#include "protocols/remoting/codec/frame.hpp"
#include "protocols/remoting/codec/frame_writer.hpp"
#include "protocols/remoting/codec/header.hpp"
#include "protocols/remoting/codec/request_codes.hpp"
#include "protocols/remoting/codec/response_codes.hpp"
#include "protocols/remoting/handlers/request.hpp"

/// \file
/// Requests as clients write them and answers as they read them.

namespace sluice::remoting {

using FieldMap = std::map<std::string, std::string, std::less<>>;

struct RequestOptions {
  std::int32_t opaque = 1;
  std::int32_t flag = 0;
  std::int32_t version = kVersion5_5_0;
  SerializeType serialize_type = SerializeType::json;
};

inline std::string request_frame(std::int32_t code, const FieldMap& fields,
                                 std::string_view body = {}, RequestOptions options = {}) {
  std::string out;
  FrameWriter writer(
      out, options.serialize_type,
      {.code = code, .opaque = options.opaque, .flag = options.flag, .version = options.version});
  for (const auto& [key, value] : fields) writer.field(key, value);
  writer.end_header();
  out.append(body);
  EXPECT_TRUE(writer.end_frame());
  return out;
}

/// A frame in memory of its own.
struct Received {
  std::int32_t code = -1;
  std::int32_t opaque = -1;
  std::int32_t flag = -1;
  std::int32_t version = -1;
  SerializeType serialize_type = SerializeType::json;
  std::string remark;
  FieldMap fields;
  std::string body;

  [[nodiscard]] std::string field(std::string_view key) const {
    const auto found = fields.find(key);
    return found == fields.end() ? "(absent)" : found->second;
  }
};

/// The frames that `bytes` are made of.
inline std::vector<Received> read_frames(std::string_view bytes) {
  std::vector<Received> result;
  HeaderDecoder decoder;
  while (!bytes.empty()) {
    const auto frame = next_frame(as_bytes(bytes));
    if (!frame || !*frame) {
      ADD_FAILURE() << "no whole frame in " << bytes.size() << " bytes";
      break;
    }
    const auto header = decoder.decode((*frame)->serialize_type, (*frame)->header);
    if (!header) {
      ADD_FAILURE() << describe(header.error());
      break;
    }
    Received& received = result.emplace_back();
    received.code = header->code;
    received.opaque = header->opaque;
    received.flag = header->flag;
    received.version = header->version;
    received.serialize_type = (*frame)->serialize_type;
    received.remark = header->remark;
    for (const Field& field : header->fields) received.fields.emplace(field.key, field.value);
    received.body = as_text((*frame)->body);
    bytes.remove_prefix((*frame)->size);
  }
  return result;
}

/// The one frame that `bytes` are.
inline Received read_frame(std::string_view bytes) {
  auto frames = read_frames(bytes);
  EXPECT_EQ(frames.size(), 1);
  return frames.empty() ? Received{} : std::move(frames.front());
}

/// A request as a session hands it to a handler, along with the memory it lies in.
class DecodedRequest {
 public:
  DecodedRequest(std::int32_t code, const FieldMap& fields, std::string_view body = {},
                 RequestOptions options = {}) {
    const std::string bytes = request_frame(code, fields, body, options);
    memory_ = Buffer::make(bytes.size());
    std::ranges::copy(as_bytes(bytes), memory_->data());
    const auto frame = next_frame({memory_->data(), memory_->size()});
    EXPECT_TRUE(frame && *frame);
    auto header = decoder_.decode((*frame)->serialize_type, (*frame)->header);
    EXPECT_TRUE(header);
    request_ = {.header = *header,
                .serialize_type = (*frame)->serialize_type,
                .body = (*frame)->body,
                .header_memory = {memory_->data() + kFramePrefixBytes, (*frame)->header.size()},
                .memory = memory_,
                .peer = *model::parse_endpoint("10.0.0.9:1234")};
  }

  [[nodiscard]] const Request& get() const noexcept { return request_; }

  /// What a session does while it waits: the header's views die.
  void decode_something_else() {
    const std::string other = R"({"code":1,"extFields":{"a":")" + std::string(4000, 'z') + R"("}})";
    EXPECT_TRUE(decoder_.decode(SerializeType::json, as_bytes(other)));
  }

 private:
  boost::intrusive_ptr<Buffer> memory_;
  HeaderDecoder decoder_;
  Request request_;
};

inline FieldMap send_fields(std::string_view topic = "t", std::string_view properties = {}) {
  return {{"a", "pg"},
          {"b", std::string(topic)},
          {"c", "TBW102"},
          {"d", "4"},
          {"e", "2"},
          {"f", "0"},
          {"g", "123"},
          {"h", "7"},
          {"i", std::string(properties)}};
}

inline FieldMap pull_fields(std::int64_t offset = 5, std::int32_t flags = 0,
                            std::int64_t suspend_ms = 15'000) {
  return {{"consumerGroup", "g"}, {"topic", "t"},
          {"queueId", "3"},       {"queueOffset", std::to_string(offset)},
          {"maxMsgNums", "32"},   {"sysFlag", std::to_string(flags)},
          {"commitOffset", "4"},  {"suspendTimeoutMillis", std::to_string(suspend_ms)},
          {"subVersion", "99"}};
}

}  // namespace sluice::remoting
