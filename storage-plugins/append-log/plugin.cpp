#include "storage-plugins/append-log/plugin.hpp"

#include <utility>

#include "common/base/assert.hpp"
#include "common/runtime/one_shot.hpp"
#include "storage-plugins/append-log/engine.hpp"

namespace sluice::append_log {

namespace {

struct Done {};

/// Opens a store on a worker thread.
struct Opening {
  storage::EngineOptions options;
  Settings settings;
  Result<std::shared_ptr<Core>> core;
};

struct StartOpening {
  Opening* opening;

  void operator()(UniqueFunction<void(Done)> complete) const {
    auto shared = std::make_shared<UniqueFunction<void(Done)>>(std::move(complete));
    opening->options.runtime->run_blocking([it = opening, shared] {
      it->core = Core::open(it->options, it->settings);
      auto finish = std::move(*shared);
      finish(Done{});
    });
  }
};

}  // namespace

Task<std::unique_ptr<storage::StorageEngine>> AppendLogPlugin::open(
    storage::EngineOptions options) {
  SLUICE_ASSERT(
      options.runtime != nullptr && options.positions != nullptr && options.disk != nullptr,
      "an engine gets a runtime, a counter of positions and a disk");
  const auto settings = parse_settings(options.settings);
  SLUICE_CO_TRY(settings);
  Opening opening{.options = std::move(options), .settings = *settings, .core = nullptr};
  const StartOpening start{.opening = &opening};
  const auto done = co_await wait_for_completion<Done>(start);
  static_cast<void>(done);
  SLUICE_CO_TRY(opening.core);
  co_return std::make_unique<AppendLogEngine>(*std::move(opening.core));
}

std::unique_ptr<storage::StoragePlugin> make_plugin() {
  return std::make_unique<AppendLogPlugin>();
}

}  // namespace sluice::append_log
