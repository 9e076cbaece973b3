#pragma once

#include <string>

#include "common/model/endpoint.hpp"
#include "common/model/reply.hpp"

namespace sluice::remoting {

/// Appends a stored message as clients read it: the record's payload, completed with its offset,
/// position, store time and `store_host`.
void append_stored_record(std::string& out, const model::StoredRecord& record,
                          const model::Endpoint& store_host);

}  // namespace sluice::remoting
