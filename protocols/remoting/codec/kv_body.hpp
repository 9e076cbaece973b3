#pragma once

#include <map>
#include <string>

#include "common/base/error.hpp"
#include "common/base/types.hpp"

namespace sluice::remoting {

/// RocketMQ's KVTable, `{"table":{"key":"value"}}`: body of the answers to GET_KVLIST_BY_NAMESPACE
/// (219) and REGISTER_BROKER (103), and to others that tell names and values.
using KvTable = std::map<std::string, std::string, std::less<>>;

/// An empty body reads as an empty table.
/// \return malformed_packet, naming the member, if a value is not of its type or there are more
///         than limits::kTopicsPerNameServerMax entries; else as parse_json() in json_reader.hpp.
[[nodiscard]] Result<KvTable> decode_kv_table(BytesView body);

void append_kv_table(std::string& out, const KvTable& table);

}  // namespace sluice::remoting
