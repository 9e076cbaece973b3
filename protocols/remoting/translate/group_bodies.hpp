#pragma once

#include <string>
#include <vector>

#include "common/base/error.hpp"
#include "common/base/types.hpp"
#include "common/model/admin.hpp"

/// \file
/// Consumer groups as JSON. All decoders: malformed_packet, naming the member, if a value is not of
/// its type or there are more than a limit's entries; else as parse_json() in json_reader.hpp.

namespace sluice::remoting {

/// SubscriptionGroupConfig: body of 200, and of the answer to 352. Members that 4.x has not, and
/// those of newer releases, may be missing.
[[nodiscard]] Result<model::GroupConfig> decode_group_config(BytesView body);
void append_group_config(std::string& out, const model::GroupConfig& group);

/// `{"groupConfigList":[…]}`: body of 225. At most limits::kGroupsPerRequestMax.
[[nodiscard]] Result<std::vector<model::GroupConfig>> decode_group_list(BytesView body);
void append_group_list(std::string& out, const std::vector<model::GroupConfig>& groups);

/// SubscriptionGroupWrapper: body of the answer to 201. `total` is not in it.
[[nodiscard]] Result<model::GroupsReply> decode_group_table(BytesView body);
void append_group_table(std::string& out, const model::GroupsReply& reply);

}  // namespace sluice::remoting
