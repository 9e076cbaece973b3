#include "protocols/rest/message_json.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <string>

#include "common/base/base64.hpp"
#include "common/compression/stored_body.hpp"
#include "common/model/message_id.hpp"
#include "common/model/properties.hpp"
#include "common/model/stored_message.hpp"
#include "protocols/rest/encoding.hpp"

namespace sluice::rest {

namespace {

namespace json = boost::json;

// `name`, or `name_base64` where the bytes are no text.
void put_bytes(json::object& into, std::string_view name, BytesView bytes) {
  if (is_text(bytes)) {
    into[name] = as_text(bytes);
  } else {
    into[std::string(name) + "_base64"] = encode_base64(bytes);
  }
}

json::array keys_of(std::string_view keys) {
  json::array list;
  while (!keys.empty()) {
    const std::size_t blank = std::min(keys.find(' '), keys.size());
    if (blank > 0) list.emplace_back(keys.substr(0, blank));
    keys.remove_prefix(std::min(blank + 1, keys.size()));
  }
  return list;
}

// Members that stand for a property of their own. The first of its name is the one that counts, for
// RocketMQ's clients too.
std::string_view member_of(std::string_view property) {
  if (property == model::property::kUniqueKey) return "id";
  if (property == model::property::kTags) return "tag";
  if (property == model::property::kKeys) return "keys";
  if (property == model::property::kShardingKey) return "message_group";
  if (property == model::property::kContentType) return "content_type";
  return {};
}

void put_properties(json::object& message, std::string_view encoded) {
  json::array users;
  json::array system;
  model::PropertyCursor cursor(encoded);
  while (const auto property = cursor.next()) {
    const std::string_view member = member_of(property->name);
    const bool has_member =
        !member.empty() && !message.contains(member) && is_utf8(as_bytes(property->value));
    if (has_member) {
      if (member == "keys") {
        message["keys"] = keys_of(property->value);
      } else {
        message[member] = property->value;
      }
      continue;
    }
    json::object pair;
    put_bytes(pair, "name", as_bytes(property->name));
    put_bytes(pair, "value", as_bytes(property->value));
    (model::is_reserved_property(property->name) ? system : users).push_back(std::move(pair));
  }
  message["properties"] = std::move(users);
  if (!system.empty()) message["system_properties"] = std::move(system);
}

}  // namespace

Result<json::object> message_json(const model::StoredRecord& record,
                                  const model::Endpoint& store_host) {
  const auto view = model::StoredMessageView::parse(record.payload.bytes());
  SLUICE_TRY(view);
  json::object message;
  put_properties(message, view->properties());
  message["queue"] = view->queue();
  message["offset"] = record.offset;
  message["position"] = std::to_string(record.position);
  std::string offset_message_id;
  model::append_offset_message_id(offset_message_id, store_host, record.position);
  if (!message.contains("id")) message["id"] = offset_message_id;
  message["offset_message_id"] = std::move(offset_message_id);
  message["born_at"] = view->born_at_ms();
  message["born_host"] = model::to_string(view->born_host());
  message["stored_at"] = record.stored_at_ms;
  message["flag"] = view->flag();
  message["reconsume_times"] = view->reconsume_times();
  const auto body = compression::StoredBody::of(*view);
  if (body.encoding().empty()) {
    put_bytes(message, "body", body.bytes());
  } else {
    message["body_base64"] = encode_base64(body.bytes());
    message["body_encoding"] = body.encoding();
  }
  return message;
}

}  // namespace sluice::rest
