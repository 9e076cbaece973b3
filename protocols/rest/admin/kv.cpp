#include "protocols/rest/admin/kv.hpp"

#include <utility>

#include <boost/json/array.hpp>

namespace sluice::rest::admin {

namespace {

namespace json = boost::json;

json::object namespaces_object(const model::Reply& reply, const std::string&, const Page&) {
  const auto* const names = name_server_reply_of<model::NamesReply>(reply);
  if (names == nullptr) return {};
  json::array array;
  for (const std::string& name : names->names) array.push_back(json::value(name));
  json::object object;
  object["namespaces"] = std::move(array);
  return object;
}

json::object entries_object(const model::Reply& reply, const std::string& name, const Page&) {
  const auto* const entries = name_server_reply_of<model::TextMapReply>(reply);
  if (entries == nullptr) return {};
  json::object texts;
  for (const auto& [key, value] : entries->texts) texts[key] = value;
  json::object object;
  object["namespace"] = name;
  object["entries"] = std::move(texts);
  return object;
}

}  // namespace

Result<Question> to_kv_namespaces(const Target& target) {
  SLUICE_TRY(expect_no_parameters(target));
  return Question{.command = model::NameServerCommand(model::ListKvNamespaces{}),
                  .answer = namespaces_object};
}

Result<Question> to_kv_entries(const Target& target) {
  SLUICE_TRY(expect_no_parameters(target));
  const std::string& name = target.segments[2];
  return Question{.command = model::NameServerCommand(model::ListKv{.name_space = name}),
                  .answer = entries_object,
                  .name = name};
}

}  // namespace sluice::rest::admin
