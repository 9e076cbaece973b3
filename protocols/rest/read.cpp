#include "protocols/rest/read.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <limits>

#include "common/base/limits.hpp"
#include "protocols/rest/message_json.hpp"
#include "protocols/rest/problem.hpp"

namespace sluice::rest {

namespace {

namespace json = boost::json;

/// RocketMQ's own name for who reads queues without being a consumer (MixAll.TOOLS_CONSUMER_GROUP).
constexpr std::string_view kReaderGroup = "TOOLS_CONSUMER";

void put_bounds(json::object& into, const model::PullReply& reply) {
  into["next_offset"] = reply.next_offset;
  into["first_offset"] = reply.first_offset;
  into["end_offset"] = reply.end_offset;
}

/// A few compressed messages can become a hundred times as large.
std::size_t body_bytes_of(const json::object& message) {
  const json::value* const text = message.if_contains("body");
  return text != nullptr ? text->get_string().size()
                         : message.at("body_base64").get_string().size();
}

Response out_of_range(const model::Pull& pull, const model::PullReply& reply) {
  const Error error{Errc::offset_out_of_range,
                    "offset " + std::to_string(pull.offset) + " is outside the queue's " +
                        std::to_string(reply.first_offset) + " to " +
                        std::to_string(reply.end_offset) + ": go on at " +
                        std::to_string(reply.next_offset)};
  json::object bounds;
  put_bounds(bounds, reply);
  return to_problem(error, row_of(error.code).http, std::move(bounds));
}

}  // namespace

Result<model::Pull> parse_read(std::string topic, std::string_view queue, const Target& target) {
  model::Pull pull;
  pull.topic = std::move(topic);
  pull.group = std::string(kReaderGroup);
  pull.filter = model::FilterExpression{};
  const auto queue_number =
      parse_number("the queue", queue, 0, std::numeric_limits<std::int32_t>::max());
  SLUICE_TRY(queue_number);
  pull.queue = static_cast<std::int32_t>(*queue_number);
  bool has_offset = false;
  for (const auto& [name, value] : target.parameters) {
    if (name == "offset") {
      const auto offset = parse_number(name, value, 0, std::numeric_limits<std::int64_t>::max());
      SLUICE_TRY(offset);
      pull.offset = *offset;
      has_offset = true;
    } else if (name == "max") {
      const auto max = parse_number(name, value, 1, limits::kPullMessagesMax);
      SLUICE_TRY(max);
      pull.messages_max = static_cast<std::uint32_t>(*max);
    } else if (name == "wait") {
      const auto wait = parse_number(name, value, 0, limits::kPullWaitMax.count());
      SLUICE_TRY(wait);
      pull.wait = std::chrono::milliseconds(*wait);
    } else {
      return fail(Errc::invalid_argument, "unknown parameter " + quoted(name) +
                                              ": offset, max and wait (milliseconds) are known");
    }
  }
  if (!has_offset) {
    return fail(Errc::invalid_argument, "offset is missing: the first to read, such as ?offset=0");
  }
  return pull;
}

Response to_response(const model::Pull& pull, const model::PullReply& reply) {
  if (reply.status == model::PullStatus::offset_moved) return out_of_range(pull, reply);
  json::array messages;
  messages.reserve(reply.records.size());
  std::int64_t next_offset = reply.next_offset;
  std::size_t body_bytes = 0;
  for (const model::StoredRecord& record : reply.records) {
    auto message = message_json(record, reply.store_host);
    if (!message) return to_problem(message.error());
    body_bytes += body_bytes_of(*message);
    if (body_bytes > limits::kHttpAnswerBodiesBytesMax && !messages.empty()) {
      next_offset = record.offset;
      break;
    }
    messages.push_back(std::move(*message));
  }
  json::object result;
  result["messages"] = std::move(messages);
  put_bounds(result, reply);
  result["next_offset"] = next_offset;
  return {.status = 200,
          .content_type = "application/json",
          .body = json::serialize(result),
          .fields = {}};
}

}  // namespace sluice::rest
