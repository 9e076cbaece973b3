#pragma once

#include "protocols/remoting/handlers/call.hpp"

/// \file
/// What operators keep at a name server. All: protocol_error, naming the field.

namespace sluice::remoting {

[[nodiscard]] Result<Call> to_put_kv(const Request& request);     ///< PUT_KV_CONFIG (100)
[[nodiscard]] Result<Call> to_get_kv(const Request& request);     ///< GET_KV_CONFIG (101)
[[nodiscard]] Result<Call> to_delete_kv(const Request& request);  ///< DELETE_KV_CONFIG (102)
[[nodiscard]] Result<Call> to_list_kv(const Request& request);    ///< GET_KVLIST_BY_NAMESPACE (219)

/// GET_KV_CONFIG_BY_VALUE, RocketMQ 3's meaning of 217, which Node's `ali-ons` still sends: told
/// from REGISTER_TOPIC_IN_NAMESRV by its fields.
[[nodiscard]] Result<Call> to_find_kv_keys(const Request& request);

/// UPDATE_NAMESRV_CONFIG (318). \return also as decode_config_texts().
[[nodiscard]] Result<Call> to_update_settings(const Request& request);
[[nodiscard]] Result<Call> to_query_settings(const Request& request);  ///< GET_NAMESRV_CONFIG (319)

}  // namespace sluice::remoting
