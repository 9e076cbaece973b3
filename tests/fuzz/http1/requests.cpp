// A stream of requests as one connection sends them: read, checked and routed, whole and byte by
// byte, with the same result. What is accepted has exactly one meaning.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <boost/asio/buffer.hpp>

#include "protocols/http1/request_check.hpp"
#include "protocols/rest/resources.hpp"

namespace {

using namespace sluice;

void append_outcome(std::string& outcome, const http1::Parser& parser) {
  const auto head = http1::check_head(parser);
  if (!head) {
    outcome += " head " + std::to_string(head.error().status);
    return;
  }
  // One reading of where the content ends, or a proxy in front might read another.
  const bool has_length = parser.content_length().has_value();
  if (has_length && parser.chunked()) std::abort();
  const auto call = rest::route(*head);
  if (!call) {
    outcome += " route " + std::to_string(call.error().status);
    return;
  }
  if (const auto* publish = std::get_if<rest::Publish>(&*call)) {
    outcome += " publish " + publish->topic + " " + publish->properties;
  } else {
    outcome += " read " + std::get<model::Pull>(*call).topic;
  }
}

/// A stream that arrives in steps of at most `step` bytes.
struct Stream {
  std::string_view rest;
  std::size_t step;
  std::string arrived;

  bool receive() {
    const std::size_t size = std::min(step, rest.size());
    arrived.append(rest.substr(0, size));
    rest.remove_prefix(size);
    return size > 0;
  }
};

/// \return false if no further request can follow.
bool read_request(Stream& stream, std::string& outcome) {
  http1::Parser parser;
  http1::set_limits(parser);
  bool is_head_seen = false;
  while (true) {
    boost::system::error_code error;
    const std::size_t size = parser.put(boost::asio::buffer(stream.arrived), error);
    stream.arrived.erase(0, size);
    if (parser.is_header_done() && !is_head_seen) {
      is_head_seen = true;
      // Not before: the head is what stands in front of the content, without the fields behind it.
      parser.eager(true);
      append_outcome(outcome, parser);
    }
    if (error && error != boost::beast::http::error::need_more) {
      outcome += " broken " + std::to_string(http1::answer_to(error).status);
      return false;
    }
    if (parser.is_done()) {
      outcome += " content " + std::to_string(parser.get().body().size()) + ";";
      return true;
    }
    const bool has_more_to_read = size > 0 && !stream.arrived.empty();
    if (!has_more_to_read && !stream.receive()) return false;
  }
}

std::string outcome_of(std::string_view input, std::size_t step) {
  Stream stream{input, step, {}};
  std::string outcome;
  while (!stream.arrived.empty() || stream.receive()) {
    if (!read_request(stream, outcome)) break;
  }
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kSlowBytesMax = 4096;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string whole = outcome_of(input, input.size());
  if (size > kSlowBytesMax) return 0;
  const std::string slow = outcome_of(input, 1);
  // Of broken bytes, the parser may wait for more before it says that they are broken.
  if (!whole.starts_with(slow)) std::abort();
  return 0;
}
