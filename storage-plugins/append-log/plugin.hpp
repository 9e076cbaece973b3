#pragma once

#include <memory>

#include "storage-plugins/spi/storage_engine.hpp"

namespace sluice::append_log {

/// The engine `log`: an append-only log of segments (docs/formats/append-log.md). Settings: see
/// settings.hpp.
class AppendLogPlugin final : public storage::StoragePlugin {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "log"; }
  Task<std::unique_ptr<storage::StorageEngine>> open(storage::EngineOptions options) override;
};

[[nodiscard]] std::unique_ptr<storage::StoragePlugin> make_plugin();

}  // namespace sluice::append_log
