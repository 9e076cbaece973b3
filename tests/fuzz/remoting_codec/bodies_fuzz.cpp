// The first byte chooses a body, the rest is one: whatever decodes must survive being written and
// read again.

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/base/assert.hpp"
#include "protocols/remoting/codec/bodies.hpp"
#include "protocols/remoting/codec/config_text.hpp"
#include "protocols/remoting/codec/private_requests.hpp"

namespace sluice::remoting {
namespace {

template <class Decode, class Append>
void check(BytesView body, Decode decode, Append append) {
  const auto value = decode(body);
  if (!value) return;
  std::string written;
  append(written, *value);
  const auto again = decode(as_bytes(written));
  SLUICE_ASSERT(again && *again == *value, "a written body reads the same");
}

void check_route(BytesView body, MapKeys keys) {
  check(body, decode_topic_route, [keys](std::string& out, const TopicRouteData& route) {
    append_topic_route(out, route, keys);
  });
}

void check_body(unsigned kind, BytesView body) {
  switch (kind) {
    case 0:
      return check(body, decode_heartbeat, append_heartbeat);
    case 1:
      return check(body, decode_check_client_request, append_check_client_request);
    case 2:
      return check_route(body, MapKeys::quoted);
    case 3:
      return check_route(body, MapKeys::bare);
    case 4:
      return check(body, decode_cluster_info, append_cluster_info);
    case 5:
      return check(body, decode_register_broker_body, append_register_broker_body);
    case 6:
      return (void)decode_compressed_register_broker_body(body);
    case 7:
      return check(body, decode_data_version, append_data_version);
    case 8:
      return check(body, decode_consumer_list, append_consumer_list);
    case 9:
      return check(body, decode_topic_list, append_topic_list);
    case 10:
      return check(body, decode_watch_notices, append_watch_notices);
    case 11:
      return check(body, decode_kv_table, append_kv_table);
    case 12:
      return check(body, decode_config_texts, append_config_texts);
    case 13:
      return check(body, decode_broker_member_group, append_broker_member_group);
      return check(body, decode_queue_lock_request, append_queue_lock_request);
    case 15:
      return check(body, decode_queue_lock_answer, append_queue_lock_answer);
    case 16:
      return check(body, decode_reset_offset_body, append_reset_offset_body);
    case 17:
      return check(body, decode_consumer_status_body, append_consumer_status_body);
    default:
      return;
  }
}

}  // namespace
}  // namespace sluice::remoting

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr unsigned kKinds = 18;
  if (size == 0) return 0;
  const auto body = std::as_bytes(std::span(data + 1, size - 1));
  sluice::remoting::check_body(data[0] % kKinds, body);
  return 0;
}
