#include "nameserver/kept_config.hpp"

#include <utility>

#include <simdjson.h>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "common/base/limits.hpp"

namespace sluice::nameserver {

namespace {

namespace json = boost::json;

constexpr std::int64_t kFormat = 1;
constexpr std::string_view kFormatMember = "format";
constexpr std::string_view kKvMember = "kv";
constexpr std::string_view kSettingsMember = "settings";

Result<> check_text(std::string_view what, std::string_view text, std::size_t bytes_max) {
  if (text.size() > bytes_max) {
    return fail(Errc::invalid_argument, "the " + std::string(what) + " has " +
                                            std::to_string(text.size()) + " bytes; the limit is " +
                                            std::to_string(bytes_max));
  }
  if (!simdjson::validate_utf8(text.data(), text.size())) {
    return fail(Errc::invalid_argument, "the " + std::string(what) + " is not UTF-8");
  }
  return {};
}

Result<> check_name(std::string_view what, std::string_view text) {
  if (text.empty()) {
    return fail(Errc::invalid_argument, "the KV entry has no " + std::string(what));
  }
  return check_text(what, text, limits::kKvNameBytesMax);
}

tl::unexpected<Error> damaged(std::string what) {
  return fail(Errc::corrupt_record, "the kept configuration " + std::move(what));
}

json::object to_json(const model::TextMap& texts) {
  json::object object;
  for (const auto& [key, value] : texts) object[key] = value;
  return object;
}

Result<model::TextMap> to_texts(std::string_view what, const json::value& value) {
  const json::object* const object = value.if_object();
  if (object == nullptr) return damaged("has a \"" + std::string(what) + "\" that is no object");
  model::TextMap texts;
  for (const auto& [key, text] : *object) {
    if (!text.is_string()) return damaged("has a value that is no text: " + std::string(key));
    texts.emplace(key, text.get_string());
  }
  return texts;
}

}  // namespace

Result<> KeptConfig::put(const model::PutKv& entry) {
  SLUICE_TRY(check_name("namespace", entry.name_space));
  SLUICE_TRY(check_name("key", entry.key));
  SLUICE_TRY(check_text("value", entry.value, limits::kKvValueBytesMax));
  const auto table = kv_.find(entry.name_space);
  std::size_t bytes = kv_bytes_ + entry.key.size() + entry.value.size();
  if (table == kv_.end()) {
    bytes += entry.name_space.size();
  } else if (const auto before = table->second.find(entry.key); before != table->second.end()) {
    bytes -= before->first.size() + before->second.size();
  }
  if (bytes > limits::kKvBytesMax) {
    return fail(Errc::quota_exceeded, "the KV configuration would have more than its limit of " +
                                          std::to_string(limits::kKvBytesMax) +
                                          " bytes: delete what is not needed");
  }
  kv_[entry.name_space].insert_or_assign(entry.key, entry.value);
  kv_bytes_ = bytes;
  return {};
}

void KeptConfig::erase(const model::DeleteKv& entry) {
  const auto table = kv_.find(entry.name_space);
  if (table == kv_.end()) return;
  const auto found = table->second.find(entry.key);
  if (found == table->second.end()) return;
  kv_bytes_ -= found->first.size() + found->second.size();
  table->second.erase(found);
}

const model::TextMap* KeptConfig::find(std::string_view name_space) const {
  const auto table = kv_.find(name_space);
  return table == kv_.end() ? nullptr : &table->second;
}

const std::string* KeptConfig::find(std::string_view name_space, std::string_view key) const {
  const model::TextMap* const table = find(name_space);
  if (table == nullptr) return nullptr;
  const auto found = table->find(key);
  return found == table->end() ? nullptr : &found->second;
}

std::string KeptConfig::keys_of(std::string_view name_space, std::string_view value) const {
  std::string keys;
  const model::TextMap* const table = find(name_space);
  if (table == nullptr) return keys;
  for (const auto& [key, text] : *table) {
    if (text != value) continue;
    if (!keys.empty()) keys.push_back(';');
    keys.append(key);
  }
  return keys;
}

std::vector<std::string> KeptConfig::name_spaces() const {
  std::vector<std::string> names;
  for (const auto& [name_space, table] : kv_) names.push_back(name_space);
  return names;
}

std::string KeptConfig::encode() const {
  json::object kv;
  for (const auto& [name_space, table] : kv_) kv[name_space] = to_json(table);
  json::object all;
  all[kFormatMember] = kFormat;
  all[kKvMember] = std::move(kv);
  all[kSettingsMember] = to_json(settings_.changed());
  return json::serialize(all) + "\n";
}

Result<KeptConfig> KeptConfig::decode(std::string_view text) {
  boost::system::error_code error;
  const json::value value = json::parse(text, error);
  if (error) return damaged("is no JSON: " + error.message());
  const json::object* const all = value.if_object();
  if (all == nullptr) return damaged("is no object");
  const json::value* const format = all->if_contains(kFormatMember);
  if (format == nullptr || !format->is_int64()) return damaged("does not say its format");
  if (format->get_int64() != kFormat) {
    return fail(Errc::unsupported, "the kept configuration has format " +
                                       std::to_string(format->get_int64()) +
                                       "; this version reads " + std::to_string(kFormat));
  }
  const json::value* const kv = all->if_contains(kKvMember);
  const json::value* const settings = all->if_contains(kSettingsMember);
  if (kv == nullptr || !kv->is_object()) return damaged("has no \"kv\"");
  if (settings == nullptr) return damaged("has no \"settings\"");
  KeptConfig config;
  for (const auto& [name_space, entries] : kv->get_object()) {
    auto table = to_texts(name_space, entries);
    SLUICE_TRY(table);
    const model::TextMap& kept = config.kv_[name_space] = std::move(*table);
    config.kv_bytes_ += name_space.size();
    for (const auto& [key, entry] : kept) config.kv_bytes_ += key.size() + entry.size();
  }
  const auto changed = to_texts(kSettingsMember, *settings);
  SLUICE_TRY(changed);
  const auto updated = config.update(*changed);
  if (!updated) return damaged("has a setting that there is not: " + updated.error().text);
  return config;
}

}  // namespace sluice::nameserver
