#pragma once

#include <memory>
#include <string_view>

#include "protocols/spi/protocol_plugin.hpp"
#include "storage-plugins/spi/storage_engine.hpp"

namespace sluice::apps {

/// The whole list of storage engines. `name` is a word that the schema allows for `storage.engine`.
[[nodiscard]] std::unique_ptr<storage::StoragePlugin> make_storage_plugin(std::string_view name);

/// The whole list of protocols. `name` is a block under `listeners` of the schema.
[[nodiscard]] std::unique_ptr<protocol::ProtocolPlugin> make_protocol_plugin(std::string_view name);

}  // namespace sluice::apps
