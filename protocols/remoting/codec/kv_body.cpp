#include "protocols/remoting/codec/kv_body.hpp"

#include <utility>

#include "common/base/limits.hpp"
#include "protocols/remoting/codec/json_reader.hpp"
#include "protocols/remoting/codec/json_text.hpp"

namespace sluice::remoting {

Result<KvTable> decode_kv_table(BytesView body) {
  if (body.empty()) return KvTable{};
  constexpr std::string_view kWhat = "KV table";
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  const JsonObject object(*value, kWhat, errors);
  KvTable table;
  object.for_each_member("table", limits::kTopicsPerNameServerMax,
                         [&](std::string_view key, const boost::json::value& entry) {
                           auto text = scalar_text(entry);
                           if (!text) return errors.add("table", "holds something that is no text");
                           table.insert_or_assign(std::string(key), *std::move(text));
                         });
  return errors.finish(std::move(table));
}

void append_kv_table(std::string& out, const KvTable& table) {
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("table");
  writer.begin_object();
  for (const auto& [key, value] : table) {
    writer.key(key);
    writer.text(value);
  }
  writer.end_object();
  writer.end_object();
}

}  // namespace sluice::remoting
