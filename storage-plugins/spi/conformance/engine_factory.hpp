#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <string>

#include "storage-plugins/spi/storage_engine.hpp"

/// \file
/// The tests that define a storage engine. An engine that passes them is one. To run them, link
/// sluice_engine_conformance as a whole archive and instantiate what suites.hpp declares with:
///
///     SLUICE_INSTANTIATE_ENGINE_SUITES(AppendLog, EngineFactory{.name = "append_log", ...});
///     SLUICE_INSTANTIATE_DISK_ENGINE_SUITES(AppendLog, EngineFactory{...});

namespace sluice::storage::conformance {

/// How a suite makes the engine under test.
struct EngineFactory {
  enum class Persistence : std::uint8_t {
    in_memory,  ///< What it holds is gone when it is closed.
    on_disk,    ///< It keeps everything on EngineOptions::disk, and touches no other.
  };

  std::string name;  ///< In the tests' names: letters, digits and underscores.
  std::function<std::unique_ptr<StoragePlugin>()> make_plugin;
  std::map<std::string, std::string, std::less<>> settings;  ///< Small segments, so that they roll.
  Persistence persistence = Persistence::in_memory;
};

inline void PrintTo(const EngineFactory& factory, std::ostream* out) {
  *out << factory.name;
}

}  // namespace sluice::storage::conformance
