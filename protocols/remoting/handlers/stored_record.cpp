#include "protocols/remoting/handlers/stored_record.hpp"

#include <cstddef>

#include "common/model/stored_message.hpp"

namespace sluice::remoting {

void append_stored_record(std::string& out, const model::StoredRecord& record,
                          const model::Endpoint& store_host) {
  const std::size_t begin = out.size();
  out.append(record.payload.text());
  auto* const message = reinterpret_cast<std::byte*>(out.data()) + begin;
  model::fill_in_stored_message(message, record.offset, record.position, record.stored_at_ms,
                                store_host);
}

}  // namespace sluice::remoting
