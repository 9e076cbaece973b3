#include "storage-plugins/append-log/plugin.hpp"
#include "storage-plugins/spi/conformance/suites.hpp"

namespace sluice::storage::conformance {

namespace {

// Segments so small that they roll often.
const EngineFactory kAppendLog{.name = "append_log",
                               .make_plugin = append_log::make_plugin,
                               .settings = {{"segment_bytes", "65536"}},
                               .persistence = EngineFactory::Persistence::on_disk};

// Segments of several write blocks.
const EngineFactory kLargeSegments{.name = "append_log_large_segments",
                                   .make_plugin = append_log::make_plugin,
                                   .settings = {{"segment_bytes", "4194304"}},
                                   .persistence = EngineFactory::Persistence::on_disk};

}  // namespace

SLUICE_INSTANTIATE_ENGINE_SUITES(AppendLog, kAppendLog);
SLUICE_INSTANTIATE_DISK_ENGINE_SUITES(AppendLog, kAppendLog);
INSTANTIATE_TEST_SUITE_P(AppendLogLargeSegments, EngineContract, testing::Values(kLargeSegments),
                         name_of);

}  // namespace sluice::storage::conformance
