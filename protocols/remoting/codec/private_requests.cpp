#include "protocols/remoting/codec/private_requests.hpp"

#include <utility>

#include "common/base/limits.hpp"
#include "protocols/remoting/codec/fields.hpp"
#include "protocols/remoting/codec/json_reader.hpp"
#include "protocols/remoting/codec/json_text.hpp"

namespace sluice::remoting {

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
        result.notices.push_back({*session, notice.text("group")});
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
