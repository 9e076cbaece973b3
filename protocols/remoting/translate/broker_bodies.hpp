#pragma once

#include <string>
#include <vector>

#include "common/base/error.hpp"
#include "common/base/types.hpp"
#include "common/model/admin.hpp"
#include "common/model/command.hpp"

/// \file
/// What tools ask of a broker itself, and lists of topics to make. All decoders as in
/// group_bodies.hpp.

namespace sluice::remoting {

/// `{"table":{name:value}}` (KVTable): body of the answer to 28.
[[nodiscard]] Result<std::vector<model::NameValue>> decode_table(BytesView body);
void append_table(std::string& out, const std::vector<model::NameValue>& table);

/// Lines of `name=value`, as Java's Properties are written: body of 25 and of the answer to 26.
/// Blank lines and comments (`#`, `!`) are passed over; blanks around names and before values go;
/// a backslash keeps the next character from meaning anything, and `\n`, `\r`, `\t`, `\f` and
/// `\uXXXX` mean what they do in Java.
/// \return malformed_packet for text over limits::kSettingsBytesMax, or with more than
///         limits::kSettingsPerRequestMax lines, or a line without a name.
[[nodiscard]] Result<std::vector<model::NameValue>> decode_properties(BytesView body);
void append_properties(std::string& out, const std::vector<model::NameValue>& settings);

/// BrokerStatsData: body of the answer to 315.
[[nodiscard]] Result<model::RatesReply> decode_rates(BytesView body);
void append_rates(std::string& out, const model::RatesReply& reply);

/// `{"topicConfigList":[…]}`: body of 18. Names of attributes may have the signs that the header of
/// 17 has: `+` to add, `-` to remove. At most limits::kTopicsPerRequestMax.
[[nodiscard]] Result<model::CreateTopics> decode_topic_configs(BytesView body);

}  // namespace sluice::remoting
