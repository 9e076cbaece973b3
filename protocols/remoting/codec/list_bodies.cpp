#include "protocols/remoting/codec/list_bodies.hpp"

#include <utility>

#include "common/base/limits.hpp"
#include "protocols/remoting/codec/json_reader.hpp"
#include "protocols/remoting/codec/json_text.hpp"

namespace sluice::remoting {

namespace {

namespace json = boost::json;

std::vector<std::string> read_texts(const JsonObject& object, std::string_view name) {
  std::vector<std::string> texts;
  object.for_each(name, limits::kTopicsPerNameServerMax, [&](const json::value& value) {
    auto text = scalar_text(value);
    if (!text) return object.errors().add(name, "holds something that is not a text");
    texts.push_back(*std::move(text));
  });
  return texts;
}

void write_texts(JsonWriter& writer, std::string_view name, const std::vector<std::string>& texts) {
  writer.key(name);
  writer.begin_array();
  for (const std::string& text : texts) writer.text(text);
  writer.end_array();
}

}  // namespace

Result<ConsumerList> decode_consumer_list(BytesView body) {
  constexpr std::string_view kWhat = "consumer list";
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  const JsonObject object(*value, kWhat, errors);
  ConsumerList list{.consumer_ids = read_texts(object, "consumerIdList")};
  return errors.finish(std::move(list));
}

Result<TopicList> decode_topic_list(BytesView body) {
  constexpr std::string_view kWhat = "topic list";
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  const JsonObject object(*value, kWhat, errors);
  TopicList list{.topics = read_texts(object, "topicList"),
                 .broker_addr = object.text("brokerAddr")};
  return errors.finish(std::move(list));
}

void append_consumer_list(std::string& out, const ConsumerList& list) {
  JsonWriter writer(out);
  writer.begin_object();
  write_texts(writer, "consumerIdList", list.consumer_ids);
  writer.end_object();
}

void append_topic_list(std::string& out, const TopicList& list) {
  JsonWriter writer(out);
  writer.begin_object();
  if (!list.broker_addr.empty()) {
    writer.key("brokerAddr");
    writer.text(list.broker_addr);
  }
  write_texts(writer, "topicList", list.topics);
  writer.end_object();
}

}  // namespace sluice::remoting
