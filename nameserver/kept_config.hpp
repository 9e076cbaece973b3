#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/error.hpp"
#include "common/model/name_server.hpp"
#include "nameserver/settings.hpp"

namespace sluice::nameserver {

/// What a name server keeps over restarts: the KV configuration, and the settings that were
/// changed. A value: changes are made to a copy (ConfigStore).
class KeptConfig {
 public:
  /// \return invalid_argument if namespace or key is empty, one of the texts is over its limit
  ///         (limits::kKvNameBytesMax, kKvValueBytesMax) or not UTF-8; quota_exceeded over
  ///         limits::kKvBytesMax in all.
  Result<> put(const model::PutKv& entry);

  /// Nothing happens if there is no such key. A namespace stays, empty: brokers are told of order
  /// topics by the namespace being there.
  void erase(const model::DeleteKv& entry);

  /// nullptr if nothing was ever put there.
  [[nodiscard]] const model::TextMap* find(std::string_view name_space) const;
  [[nodiscard]] const std::string* find(std::string_view name_space, std::string_view key) const;

  /// Keys of the namespace with this value, joined by `;`; empty if there is none.
  [[nodiscard]] std::string keys_of(std::string_view name_space, std::string_view value) const;

  [[nodiscard]] std::vector<std::string> name_spaces() const;

  [[nodiscard]] const Settings& settings() const noexcept { return settings_; }

  /// \return as Settings::update().
  Result<> update(const model::TextMap& settings) { return settings_.update(settings); }

  /// docs/formats/nameserver.md.
  [[nodiscard]] std::string encode() const;

  /// \return corrupt_record, saying what is wrong, if it is not what encode() writes;
  ///         unsupported for a newer format.
  [[nodiscard]] static Result<KeptConfig> decode(std::string_view text);

 private:
  std::map<std::string, model::TextMap, std::less<>> kv_;
  std::size_t kv_bytes_ = 0;
  Settings settings_;
};

}  // namespace sluice::nameserver
