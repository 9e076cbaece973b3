#pragma once

#include <memory>

#include "storage-plugins/spi/storage_engine.hpp"

namespace sluice::memory_engine {

/// `memory`: the storage contract in its simplest words, kept in this process's memory and gone
/// with it. The readable reference of the SPI, and the oracle that the conformance suite compares
/// other engines with. It has no settings.
[[nodiscard]] std::unique_ptr<storage::StoragePlugin> make_plugin();

}  // namespace sluice::memory_engine
