#include "protocols/rest/publish.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <span>

#include "common/base/limits.hpp"
#include "common/model/filter.hpp"
#include "common/model/message_id.hpp"
#include "common/model/names.hpp"
#include "common/model/properties.hpp"
#include "protocols/rest/encoding.hpp"

namespace sluice::rest {

namespace {

constexpr std::string_view kOurPrefix = "Sluice-";
constexpr std::string_view kProducerGroup = "http";

/// What a Send's views point into.
class PublishedMessage final : public SliceOwner {
 public:
  PublishedMessage(std::string properties, Slice body)
      : properties_(std::move(properties)), body_(std::move(body)) {}

  [[nodiscard]] std::string_view properties() const noexcept { return properties_; }
  [[nodiscard]] BytesView body() const noexcept { return body_.bytes(); }

 private:
  std::string properties_;
  Slice body_;
};

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view blanks = " \t";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// The elements of a list-based field (RFC 9110 §5.6.1); empty ones do not count.
std::vector<std::string_view> list_items(std::string_view value) {
  std::vector<std::string_view> items;
  while (!value.empty()) {
    const std::size_t comma = std::min(value.find(','), value.size());
    const std::string_view item = trimmed(value.substr(0, comma));
    if (!item.empty()) items.push_back(item);
    value.remove_prefix(std::min(comma + 1, value.size()));
  }
  return items;
}

Result<std::string> decode(std::string_view field, std::string_view value) {
  auto decoded = percent_decode(value);
  if (!decoded) return fail(decoded.error().code, std::string(field) + ": " + decoded.error().text);
  return decoded;
}

/// Gathers the properties of one message from the fields of its request.
class PropertyBuilder {
 public:
  Result<> take(const HeaderField& field) {
    const auto is = [&](std::string_view name) { return equal_ignoring_case(field.name, name); };
    const std::string_view value = trimmed(field.value);
    if (is("Content-Type")) return take_content_type(value);
    if (is("Content-Encoding")) return take_content_encoding(value);
    if (!is_ours(field.name)) return {};
    if (is("Sluice-Tag")) return set_once(tag_, "Sluice-Tag", value);
    if (is("Sluice-Message-Group")) return set_once(group_, "Sluice-Message-Group", value);
    if (is("Sluice-Key")) return take_keys(value);
    if (is("Sluice-Property")) return take_properties(value);
    return fail(Errc::invalid_argument, quoted(field.name) +
                                            " is no header we know: Sluice-Tag, Sluice-Key, "
                                            "Sluice-Message-Group and Sluice-Property are");
  }

  Result<std::string> finish() {
    const std::pair<std::string_view, const std::optional<std::string>*> singles[] = {
        {model::property::kTags, &tag_},
        {model::property::kShardingKey, &group_},
        {model::property::kContentType, &content_type_}};
    for (const auto& [name, value] : singles) {
      if (!value->has_value()) continue;
      const auto added = model::add_property(encoded_, name, **value);
      SLUICE_TRY(added);
    }
    if (!keys_.empty()) {
      const auto added = model::add_property(encoded_, model::property::kKeys, keys_);
      SLUICE_TRY(added);
    }
    if (encoded_.size() > limits::kPropertiesBytesMax) {
      return fail(Errc::message_illegal, "the properties have " + std::to_string(encoded_.size()) +
                                             " bytes; the limit is " +
                                             std::to_string(limits::kPropertiesBytesMax));
    }
    return std::move(encoded_);
  }

 private:
  static bool is_ours(std::string_view name) {
    return equal_ignoring_case(name.substr(0, kOurPrefix.size()), kOurPrefix);
  }

  static Result<> set_once(std::optional<std::string>& into, std::string_view field,
                           std::string_view value) {
    if (into) return fail(Errc::invalid_argument, std::string(field) + " is given twice");
    auto decoded = decode(field, value);
    SLUICE_TRY(decoded);
    if (decoded->empty()) return fail(Errc::invalid_argument, std::string(field) + " is empty");
    into = std::move(*decoded);
    return {};
  }

  Result<> take_content_type(std::string_view value) {
    if (content_type_) return fail(Errc::invalid_argument, "Content-Type is given twice");
    if (!value.empty()) content_type_ = std::string(value);
    return {};
  }

  // The body is stored as it comes, and its readers would not know that it is compressed.
  static Result<> take_content_encoding(std::string_view value) {
    if (value.empty() || equal_ignoring_case(value, "identity")) return {};
    return fail(Errc::unsupported, "Content-Encoding " + quoted(value) +
                                       " is not served: send the body as it is, or name the "
                                       "compression in a property");
  }

  Result<> take_keys(std::string_view value) {
    for (const std::string_view item : list_items(value)) {
      auto key = decode("Sluice-Key", item);
      SLUICE_TRY(key);
      if (key->find(' ') != std::string::npos) {
        return fail(Errc::invalid_argument,
                    "Sluice-Key " + quoted(*key) + " holds a blank, which separates keys");
      }
      if (!keys_.empty()) keys_.push_back(' ');
      keys_.append(*key);
    }
    return {};
  }

  Result<> take_properties(std::string_view value) {
    for (const std::string_view item : list_items(value)) {
      const std::size_t equals = item.find('=');
      if (equals == std::string_view::npos) {
        return fail(Errc::invalid_argument,
                    "Sluice-Property " + quoted(item) +
                        " is not name=value; a comma inside a value is written %2C");
      }
      auto name = decode("Sluice-Property", trimmed(item.substr(0, equals)));
      SLUICE_TRY(name);
      auto text = decode("Sluice-Property", trimmed(item.substr(equals + 1)));
      SLUICE_TRY(text);
      const auto added = add(*name, *text);
      SLUICE_TRY(added);
    }
    return {};
  }

  Result<> add(std::string_view name, std::string_view value) {
    const bool has_own_header =
        name == model::property::kShardingKey || name == model::property::kContentType;
    if (model::is_reserved_property(name) || has_own_header) {
      return fail(Errc::invalid_argument, "the property name " + quoted(name) +
                                              " is reserved: choose another, or use the "
                                              "header that stands for it");
    }
    return model::add_property(encoded_, name, value);
  }

  std::optional<std::string> tag_;
  std::optional<std::string> group_;
  std::optional<std::string> content_type_;
  std::string keys_;
  std::string encoded_;
};

Result<std::int32_t> parse_queue_parameter(const Target& target) {
  std::int32_t queue = -1;
  for (const auto& [name, value] : target.parameters) {
    if (name != "queue") {
      return fail(Errc::invalid_argument, "unknown parameter " + quoted(name) + ": queue is one");
    }
    const auto number = parse_number("queue", value, 0, std::numeric_limits<std::int32_t>::max());
    SLUICE_TRY(number);
    queue = static_cast<std::int32_t>(*number);
  }
  return queue;
}

}  // namespace

Result<Publish> parse_publish(std::string topic, const Target& target, const RequestHead& head) {
  const auto queue = parse_queue_parameter(target);
  SLUICE_TRY(queue);
  PropertyBuilder builder;
  for (const HeaderField& field : head.fields) {
    const auto taken = builder.take(field);
    SLUICE_TRY(taken);
  }
  auto properties = builder.finish();
  SLUICE_TRY(properties);
  return Publish{.topic = std::move(topic),
                 .queue = *queue,
                 .broker_name = {},
                 .properties = std::move(*properties)};
}

std::optional<std::string> group_to_place(const Publish& publish) {
  if (publish.queue >= 0) return std::nullopt;
  const auto group = model::find_property(publish.properties, model::property::kShardingKey);
  if (!group) return std::nullopt;
  return std::string(*group);
}

std::optional<ChosenQueue> choose_queue(const model::Route& route, std::string_view message_group) {
  std::int64_t queues = 0;
  const auto takes_messages = [](const model::QueueData& data) {
    return (data.permission & model::permission::kWrite) != 0 && data.write_queues > 0;
  };
  for (const model::QueueData& data : route.queues) {
    if (takes_messages(data)) queues += data.write_queues;
  }
  if (queues == 0) return std::nullopt;
  // tag_hash() is Java's String.hashCode(), which is negative for half of all texts.
  auto index = std::abs(static_cast<std::int64_t>(model::tag_hash(message_group)) % queues);
  for (const model::QueueData& data : route.queues) {
    if (!takes_messages(data)) continue;
    if (index < data.write_queues) {
      return ChosenQueue{data.broker_name, static_cast<std::int32_t>(index)};
    }
    index -= data.write_queues;
  }
  return std::nullopt;
}

model::Send to_send(Publish publish, Slice body, const model::Endpoint& peer, std::int64_t now_ms) {
  const boost::intrusive_ptr<const PublishedMessage> owner(
      new PublishedMessage(std::move(publish.properties), std::move(body)));
  model::Send send;
  send.topic = std::move(publish.topic);
  send.queue = publish.queue;
  send.broker_name = std::move(publish.broker_name);
  send.messages.push_back({.body = owner->body(), .properties = owner->properties(), .flag = 0});
  send.owner = owner;
  send.born_at_ms = now_ms;
  send.born_host = peer;
  // An unknown topic is made as a RocketMQ producer would have it made, if the broker allows it;
  // the template says with how many queues.
  send.template_topic = std::string(model::kAutoCreateTopic);
  send.template_queues = limits::kQueuesPerTopicMax;
  send.producer_group = std::string(kProducerGroup);
  return send;
}

Response to_response(std::string_view topic, const model::SendReply& reply) {
  boost::json::object receipt;
  receipt["id"] = reply.unique_key;
  receipt["topic"] = topic;
  receipt["queue"] = reply.queue;
  receipt["offset"] = reply.offset;
  // A broker in another process does not say it.
  if (reply.stored_at_ms > 0) receipt["stored_at"] = reply.stored_at_ms;
  if (!reply.positions.empty()) {
    // A string: positions do not fit into the 53 bits that JavaScript has for a number.
    receipt["position"] = std::to_string(reply.positions.front());
    std::string message_id;
    model::append_offset_message_id(message_id, reply.store_host, reply.positions.front());
    receipt["offset_message_id"] = message_id;
  }
  Response response{.status = 201,
                    .content_type = "application/json",
                    .body = boost::json::serialize(receipt),
                    .fields = {}};
  response.fields.emplace_back("Location", "/v1/topics/" + percent_encode(topic) + "/queues/" +
                                               std::to_string(reply.queue) +
                                               "/messages?offset=" + std::to_string(reply.offset));
  return response;
}

}  // namespace sluice::rest
