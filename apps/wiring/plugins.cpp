#include "apps/wiring/plugins.hpp"

#include "common/base/assert.hpp"
#include "protocols/http1/plugin.hpp"
#include "protocols/remoting/plugin.hpp"
#include "storage-plugins/append-log/plugin.hpp"
#include "storage-plugins/memory/plugin.hpp"

namespace sluice::apps {

std::unique_ptr<storage::StoragePlugin> make_storage_plugin(std::string_view name) {
  if (name == "log") return append_log::make_plugin();
  if (name == "memory") return memory_engine::make_plugin();
  SLUICE_ASSERT(false, "the schema's engines are the linked ones");
  return nullptr;
}

std::unique_ptr<protocol::ProtocolPlugin> make_protocol_plugin(std::string_view name) {
  if (name == "remoting") return std::make_unique<remoting::Plugin>("remoting");
  if (name == "vip") return std::make_unique<remoting::Plugin>("vip");
  if (name == "nameserver") return std::make_unique<remoting::Plugin>("nameserver");
  if (name == "http") return std::make_unique<http1::HttpPlugin>();
  if (name == "admin") return std::make_unique<http1::AdminPlugin>();
  SLUICE_ASSERT(false, "the schema's listeners are the linked ones");
  return nullptr;
}

}  // namespace sluice::apps
