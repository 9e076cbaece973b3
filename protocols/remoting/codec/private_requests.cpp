#include "protocols/remoting/codec/private_requests.hpp"

#include <utility>

#include "common/base/base64.hpp"
#include "common/base/limits.hpp"
#include "protocols/remoting/codec/fields.hpp"
#include "protocols/remoting/codec/json_reader.hpp"
#include "protocols/remoting/codec/json_text.hpp"

namespace sluice::remoting {

namespace {

WatchAsk read_ask(const JsonObject& object) {
  WatchAsk ask;
  const auto number = parse_decimal<std::uint64_t>(object.text("number"));
  if (!number) object.errors().add("number", "is no number of a question");
  ask.number = number.value_or(0);
  ask.broker_name = object.text("brokerName");
  ask.question = object.int32("question");
  ask.client_id = object.text("clientId");
  ask.wants_stack = object.boolean("stack");
  ask.topic = object.text("topic");
  ask.topic_flag = object.int32("topicSysFlag");
  ask.message_id = object.text("msgId");
  auto message = decode_base64(object.text("message"));
  if (!message) object.errors().add("message", "is no base64");
  ask.message = std::move(message).value_or(std::string{});
  return ask;
}

void write_ask(JsonWriter& writer, const WatchAsk& ask) {
  writer.begin_object();
  writer.key("brokerName");
  writer.text(ask.broker_name);
  writer.key("clientId");
  writer.text(ask.client_id);
  writer.key("message");
  writer.text(encode_base64(as_bytes(ask.message)));
  writer.key("msgId");
  writer.text(ask.message_id);
  writer.key("number");
  writer.text(std::to_string(ask.number));
  writer.key("question");
  writer.number(ask.question);
  writer.key("stack");
  writer.boolean(ask.wants_stack);
  writer.key("topic");
  writer.text(ask.topic);
  writer.key("topicSysFlag");
  writer.number(ask.topic_flag);
  writer.end_object();
}

}  // namespace

Result<WatchNotices> decode_watch_notices(BytesView body) {
  constexpr std::string_view kWhat = "watch answer";
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  WatchNotices result;
  JsonObject(*value, kWhat, errors)
      .for_each("notices", limits::kNoticesPerGatewayMax, [&](const boost::json::value& element) {
        const JsonObject notice(element, "notices", errors);
        const auto session = parse_decimal<std::uint64_t>(notice.text("session"));
        if (!session) return errors.add("session", "is no session number");
        WatchNotice& read = result.notices.emplace_back();
        read.session = *session;
        read.group = notice.text("group");
        if (notice.has("ask")) read.ask = read_ask(notice.object("ask"));
      });
  return errors.finish(std::move(result));
}

void append_watch_notices(std::string& out, const WatchNotices& notices) {
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("notices");
  writer.begin_array();
  for (const WatchNotice& notice : notices.notices) {
    writer.begin_object();
    if (notice.ask) {
      writer.key("ask");
      write_ask(writer, *notice.ask);
    }
    writer.key("group");
    writer.text(notice.group);
    writer.key("session");
    writer.text(std::to_string(notice.session));
    writer.end_object();
  }
  writer.end_array();
  writer.end_object();
}

}  // namespace sluice::remoting
