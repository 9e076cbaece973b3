#include "protocols/remoting/codec/register_broker_body.hpp"

#include <optional>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "common/base/byte_reader.hpp"
#include "common/base/limits.hpp"
#include "protocols/remoting/codec/fields.hpp"
#include "protocols/remoting/codec/inflate.hpp"
#include "protocols/remoting/codec/json_reader.hpp"
#include "protocols/remoting/codec/json_text.hpp"

namespace sluice::remoting {

namespace {

namespace json = boost::json;

constexpr std::string_view kWhat = "broker registration";
constexpr std::size_t kAttributesMax = 1024;

DataVersion read_data_version(const JsonObject& object) {
  return {.state_version = object.int64("stateVersion"),
          .timestamp = object.int64("timestamp"),
          .counter = object.int64("counter")};
}

std::map<std::string, std::string> read_attributes(const JsonObject& topic) {
  std::map<std::string, std::string> attributes;
  topic.for_each_member("attributes", kAttributesMax,
                        [&](std::string_view key, const json::value& value) {
                          attributes[std::string(key)] = scalar_text(value).value_or(std::string{});
                        });
  return attributes;
}

TopicConfig read_topic(std::string_view key, const JsonObject& object) {
  TopicConfig config;
  config.topic_name = key;  // "topicName" says the same
  config.read_queue_nums = object.int32("readQueueNums", config.read_queue_nums);
  config.write_queue_nums = object.int32("writeQueueNums", config.write_queue_nums);
  config.perm = object.int32("perm", config.perm);
  config.topic_filter_type = object.text("topicFilterType", config.topic_filter_type);
  config.topic_sys_flag = object.int32("topicSysFlag");
  config.order = object.boolean("order");
  config.attributes = read_attributes(object);
  return config;
}

std::string read_server(const json::value& value) {
  return scalar_text(value).value_or(std::string{});
}

/// Cuts the next word of a topic's text form off.
std::string_view take_word(std::string_view& rest) {
  const std::string_view word = rest.substr(0, rest.find(' '));
  rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  return word;
}

/// `name read write perm filterType attributes`; 4.x brokers write no attributes.
std::optional<TopicConfig> read_topic_text(std::string_view text) {
  TopicConfig config;
  config.topic_name = take_word(text);
  const auto read_queue_nums = parse_decimal<std::int32_t>(take_word(text));
  const auto write_queue_nums = parse_decimal<std::int32_t>(take_word(text));
  const auto perm = parse_decimal<std::int32_t>(take_word(text));
  const bool is_complete =
      !config.topic_name.empty() && read_queue_nums && write_queue_nums && perm;
  if (!is_complete) return std::nullopt;
  config.read_queue_nums = *read_queue_nums;
  config.write_queue_nums = *write_queue_nums;
  config.perm = *perm;
  const std::string_view filter_type = take_word(text);
  if (!filter_type.empty()) config.topic_filter_type = filter_type;
  if (text.empty() || text == "null") return config;
  const auto attributes = parse_json(as_bytes(text), kWhat);
  if (!attributes || !attributes->is_object()) return std::nullopt;
  for (const auto& [key, value] : attributes->get_object()) {
    config.attributes[std::string(key)] = scalar_text(value).value_or(std::string{});
  }
  return config;
}

/// Reads the parts of the inflated form in their order.
class CompressedReader {
 public:
  explicit CompressedReader(std::string_view text) : reader_(as_bytes(text)) {}

  Result<RegisterBrokerBody> read() {
    const auto version = decode_data_version(read_part());
    if (!reader_.ok()) return lying();
    SLUICE_TRY(version);
    body_.data_version = *version;
    auto done = read_topics();
    SLUICE_TRY(done);
    done = read_filter_servers();
    SLUICE_TRY(done);
    done = read_mappings();
    SLUICE_TRY(done);
    return std::move(body_);
  }

 private:
  static tl::unexpected<Error> lying() {
    return fail(Errc::malformed_packet, fmt::format("{} ends inside its parts", kWhat));
  }

  static bool is_too_many(std::int32_t count) {
    return count > static_cast<std::int64_t>(limits::kTopicsPerNameServerMax);
  }
  static tl::unexpected<Error> too_many() {
    return fail(Errc::malformed_packet, fmt::format("{} names more than {} topics", kWhat,
                                                    limits::kTopicsPerNameServerMax));
  }

  BytesView read_part() { return reader_.read_bytes(reader_.read<std::int32_t>()); }

  Result<> read_topics() {
    const auto count = reader_.read<std::int32_t>();
    if (is_too_many(count)) return too_many();
    for (std::int32_t i = 0; i < count && reader_.ok(); ++i) {
      auto topic = read_topic_text(as_text(read_part()));
      if (!reader_.ok()) break;
      if (!topic) {
        return fail(Errc::malformed_packet, fmt::format("{}: topic {} is not one", kWhat, i));
      }
      body_.topic_configs.push_back(*std::move(topic));
    }
    if (!reader_.ok() || count < 0) return lying();
    return {};
  }

  Result<> read_filter_servers() {
    const BytesView part = read_part();
    if (!reader_.ok()) return lying();
    const auto servers = parse_json(part, kWhat);
    SLUICE_TRY(servers);
    const json::array* const array = servers->if_array();
    if (array == nullptr) return {};
    if (array->size() > limits::kBrokersPerNameServerMax) return lying();
    for (const json::value& server : *array) {
      body_.filter_server_list.push_back(read_server(server));
    }
    return {};
  }

  Result<> read_mappings() {
    if (reader_.remaining() == 0) return {};  // before kVersion5_0_0
    const auto count = reader_.read<std::int32_t>();
    if (is_too_many(count)) return too_many();
    for (std::int32_t i = 0; i < count && reader_.ok(); ++i) {
      const BytesView part = read_part();
      if (!reader_.ok()) break;
      const auto mapping = parse_json(part, kWhat);
      SLUICE_TRY(mapping);
      JsonErrors errors(kWhat);
      auto topic = errors.finish(JsonObject(*mapping, "mapping", errors).text("topic"));
      SLUICE_TRY(topic);
      body_.topic_queue_mapping_infos.push_back({*std::move(topic), json::serialize(*mapping)});
    }
    if (!reader_.ok() || count < 0) return lying();
    return {};
  }

  ByteReader reader_;
  RegisterBrokerBody body_;
};

void write_data_version(JsonWriter& writer, const DataVersion& version) {
  writer.begin_object();
  writer.key("counter");
  writer.number(version.counter);
  writer.key("stateVersion");
  writer.number(version.state_version);
  writer.key("timestamp");
  writer.number(version.timestamp);
  writer.end_object();
}

void write_topic(JsonWriter& writer, const TopicConfig& config) {
  writer.begin_object();
  writer.key("attributes");
  writer.begin_object();
  for (const auto& [key, value] : config.attributes) {
    writer.key(key);
    writer.text(value);
  }
  writer.end_object();
  writer.key("order");
  writer.boolean(config.order);
  writer.key("perm");
  writer.number(config.perm);
  writer.key("readQueueNums");
  writer.number(config.read_queue_nums);
  writer.key("topicFilterType");
  writer.text(config.topic_filter_type);
  writer.key("topicName");
  writer.text(config.topic_name);
  writer.key("topicSysFlag");
  writer.number(config.topic_sys_flag);
  writer.key("writeQueueNums");
  writer.number(config.write_queue_nums);
  writer.end_object();
}

void write_topic_table(JsonWriter& writer, const RegisterBrokerBody& body) {
  writer.begin_object();
  writer.key("dataVersion");
  write_data_version(writer, body.data_version);
  writer.key("mappingDataVersion");
  write_data_version(writer, body.mapping_data_version);
  writer.key("topicConfigTable");
  writer.begin_object();
  for (const TopicConfig& config : body.topic_configs) {
    writer.key(config.topic_name);
    write_topic(writer, config);
  }
  writer.end_object();
  writer.key("topicQueueMappingDetailMap");
  writer.begin_object();
  writer.end_object();
  writer.key("topicQueueMappingInfoMap");
  writer.begin_object();
  for (const QueueMapping& mapping : body.topic_queue_mapping_infos) {
    writer.key(mapping.key);
    writer.json(mapping.json);
  }
  writer.end_object();
  writer.end_object();
}

}  // namespace

Result<RegisterBrokerBody> decode_register_broker_body(BytesView body) {
  if (body.empty()) return RegisterBrokerBody{};
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  const JsonObject outer(*value, kWhat, errors);
  constexpr std::string_view kWrapper = "topicConfigSerializeWrapper";
  const JsonObject table = outer.has(kWrapper) ? outer.object(kWrapper) : outer;
  RegisterBrokerBody result;
  result.data_version = read_data_version(table.object("dataVersion"));
  result.mapping_data_version = read_data_version(table.object("mappingDataVersion"));
  outer.for_each(
      "filterServerList", limits::kBrokersPerNameServerMax,
      [&](const json::value& server) { result.filter_server_list.push_back(read_server(server)); });
  table.for_each_member(
      "topicConfigTable", limits::kTopicsPerNameServerMax,
      [&](std::string_view key, const json::value& topic) {
        result.topic_configs.push_back(read_topic(key, JsonObject(topic, key, errors)));
      });
  table.for_each_member(
      "topicQueueMappingInfoMap", limits::kTopicsPerNameServerMax,
      [&](std::string_view key, const json::value& mapping) {
        result.topic_queue_mapping_infos.push_back({std::string(key), json::serialize(mapping)});
      });
  return errors.finish(std::move(result));
}

Result<RegisterBrokerBody> decode_compressed_register_broker_body(BytesView body) {
  const auto inflated = inflate_zlib(body, limits::kRemotingInflatedBytesMax);
  SLUICE_TRY(inflated);
  return CompressedReader(*inflated).read();
}

Result<DataVersion> decode_data_version(BytesView body) {
  constexpr std::string_view kVersionWhat = "data version";
  const auto value = parse_json(body, kVersionWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kVersionWhat);
  return errors.finish(read_data_version(JsonObject(*value, kVersionWhat, errors)));
}

void append_register_broker_body(std::string& out, const RegisterBrokerBody& body) {
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("filterServerList");
  writer.begin_array();
  for (const std::string& server : body.filter_server_list) writer.text(server);
  writer.end_array();
  writer.key("topicConfigSerializeWrapper");
  write_topic_table(writer, body);
  writer.end_object();
}

void append_topic_table(std::string& out, const RegisterBrokerBody& body) {
  JsonWriter writer(out);
  write_topic_table(writer, body);
}

Result<TopicConfig> decode_topic_config(BytesView body) {
  constexpr std::string_view kTopicWhat = "topic configuration";
  const auto value = parse_json(body, kTopicWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kTopicWhat);
  const JsonObject object(*value, kTopicWhat, errors);
  return errors.finish(read_topic(object.text("topicName"), object));
}

void append_topic_config(std::string& out, const TopicConfig& config) {
  JsonWriter writer(out);
  write_topic(writer, config);
}

void append_data_version(std::string& out, const DataVersion& version) {
  JsonWriter writer(out);
  write_data_version(writer, version);
}

}  // namespace sluice::remoting
