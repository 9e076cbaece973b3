#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "protocols/remoting/client/answers.hpp"
#include "protocols/remoting/client/frame_buffer.hpp"
#include "protocols/remoting/client/response.hpp"
#include "protocols/remoting/codec/frame.hpp"
#include "protocols/remoting/codec/header.hpp"

// What a client reads from a server: the first byte says in pieces of what size the rest arrives.
// Frames are put together and read as the answers to a send, a query and a pull.

namespace {

using sluice::BytesView;
using sluice::Slice;
namespace remoting = sluice::remoting;

void check(bool holds) {
  if (!holds) std::abort();
}

void read_answers(const remoting::Header& header, const Slice& body) {
  const remoting::Response copy(remoting::ResponseView{.header = header, .body = body});
  check(std::ranges::equal(copy.fields(), header.fields));
  const auto sent = remoting::decode_send_answer(header);
  check(sent.has_value() || !sent.error().text.empty());
  const auto found = remoting::decode_found_messages(body);
  check(!found || !found->messages.empty());
  const auto pulled = remoting::decode_pull_answer(header, body);
  if (!pulled) return;
  std::size_t bytes = 0;
  for (const auto& record : pulled->records) bytes += record.payload.size();
  check(bytes == body.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::size_t piece_size = std::size_t{1} + data[0];
  BytesView input = std::as_bytes(std::span(data + 1, size - 1));
  remoting::FrameBuffer buffer;
  remoting::HeaderDecoder decoder;
  while (!input.empty()) {
    const auto needed = remoting::frame_bytes_needed(buffer.unread());
    if (!needed) return 0;
    const auto room = buffer.room(needed->value_or(0));
    const std::size_t received = std::min({piece_size, room.size(), input.size()});
    check(received > 0);
    std::ranges::copy(input.first(received), room.begin());
    buffer.add(received);
    input = input.subspan(received);
    while (true) {
      const auto frame = remoting::next_frame(buffer.unread());
      if (!frame) return 0;
      if (!*frame) break;
      const Slice body = buffer.share((*frame)->body);
      const auto header = decoder.decode((*frame)->serialize_type, (*frame)->header);
      buffer.consume((*frame)->size);
      if (!header) return 0;
      read_answers(*header, body);
    }
  }
  return 0;
}
