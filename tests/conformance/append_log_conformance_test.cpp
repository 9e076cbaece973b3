#include "storage-plugins/append-log/plugin.hpp"
#include "storage-plugins/spi/conformance/suites.hpp"

namespace sluice::storage::conformance {

namespace {

// Segments so small that they roll often.
const EngineFactory kAppendLog{.name = "append_log",
                               .make_plugin = append_log::make_plugin,
                               .settings = {{"segment_bytes", "65536"}},
                               .persistence = EngineFactory::Persistence::on_disk};

}  // namespace

SLUICE_INSTANTIATE_ENGINE_SUITES(AppendLog, kAppendLog);
SLUICE_INSTANTIATE_DISK_ENGINE_SUITES(AppendLog, kAppendLog);

}  // namespace sluice::storage::conformance
