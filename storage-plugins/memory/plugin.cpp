#include "storage-plugins/memory/plugin.hpp"

#include <string>
#include <utility>

#include "common/base/assert.hpp"
#include "storage-plugins/memory/memory_engine.hpp"

namespace sluice::memory_engine {

namespace {

class MemoryPlugin final : public storage::StoragePlugin {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "memory"; }

  Task<std::unique_ptr<storage::StorageEngine>> open(storage::EngineOptions options) override {
    SLUICE_ASSERT(options.runtime != nullptr && options.positions != nullptr,
                  "an engine gets a runtime and a counter of positions");
    if (!options.settings.empty()) {
      const std::string& name = options.settings.begin()->first;
      co_return fail(Errc::invalid_argument,
                     "'" + name + "' is no setting of the storage engine 'memory', which has none");
    }
    co_return std::make_unique<MemoryEngine>(options.runtime->environment(), *options.positions);
  }
};

}  // namespace

std::unique_ptr<storage::StoragePlugin> make_plugin() {
  return std::make_unique<MemoryPlugin>();
}

}  // namespace sluice::memory_engine
