// The first byte chooses a body of administration, the rest is one: whatever decodes must survive
// being written and read again.

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/base/assert.hpp"
#include "protocols/remoting/codec/register_broker_body.hpp"
#include "protocols/remoting/translate/broker_bodies.hpp"
#include "protocols/remoting/translate/connection_bodies.hpp"
#include "protocols/remoting/translate/group_bodies.hpp"
#include "protocols/remoting/translate/progress_bodies.hpp"

namespace sluice::remoting {
namespace {

/// Written bodies must come out the same: replies are then compared as what they are written as.
template <class Decode, class Append>
void check(BytesView body, Decode decode, Append append) {
  const auto value = decode(body);
  if (!value) return;
  std::string written;
  append(written, *value);
  const auto again = decode(as_bytes(written));
  SLUICE_ASSERT(again, "a written body is read");
  std::string rewritten;
  append(rewritten, *again);
  SLUICE_ASSERT(rewritten == written, "a written body reads the same");
}

void check_body(unsigned kind, BytesView body) {
  switch (kind) {
    case 0:
      return check(body, decode_group_config, append_group_config);
    case 1:
      return check(body, decode_group_list, append_group_list);
    case 2:
      return check(body, decode_group_table, append_group_table);
    case 3:
      return check(body, decode_consumer_connection, append_consumer_connection);
    case 4:
      return check(body, decode_producer_connection, append_producer_connection);
    case 5:
      return check(body, decode_producer_table, append_producer_table);
    case 6:
      return check(body, decode_group_subscription, append_group_subscription);
    case 7:
      return check(body, decode_topic_stats, append_topic_stats);
    case 8:
      return check(body, decode_consume_stats, append_consume_stats);
    case 9:
      return check(body, decode_consume_stats_list, append_consume_stats_list);
    case 10:
      return check(body, decode_time_spans, append_time_spans);
    case 11:
      return check(body, decode_all_progress, append_all_progress);
    case 12:
      return check(body, decode_queue_entries, append_queue_entries);
    case 13:
      return check(body, decode_group_names, append_group_names);
    case 14:
      return check(body, decode_table, append_table);
    case 15:
      return check(body, decode_properties, append_properties);
    case 16:
      return check(body, decode_rates, append_rates);
    case 17:
      return check(body, decode_topic_config, append_topic_config);
    case 18:
      return (void)decode_topic_configs(body);
    default:
      return;
  }
}

}  // namespace
}  // namespace sluice::remoting

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr unsigned kKinds = 19;
  if (size == 0) return 0;
  const auto body = std::as_bytes(std::span(data + 1, size - 1));
  sluice::remoting::check_body(data[0] % kKinds, body);
  return 0;
}
