#include "storage-plugins/memory/plugin.hpp"
#include "storage-plugins/spi/conformance/suites.hpp"

namespace sluice::storage::conformance {

SLUICE_INSTANTIATE_ENGINE_SUITES(Memory, EngineFactory{
                                             .name = "memory",
                                             .make_plugin = memory_engine::make_plugin,
                                             .settings = {},
                                             .persistence = EngineFactory::Persistence::in_memory});

}  // namespace sluice::storage::conformance
