#include "protocols/transport/proxy_header.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <boost/asio/ip/address.hpp>

#include "common/base/byte_reader.hpp"
#include "common/base/limits.hpp"
#include "protocols/transport/tcp_socket.hpp"

namespace sluice::transport {

namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kLineStart = "PROXY ";
constexpr std::string_view kLineEnd = "\r\n";
constexpr std::size_t kLineBytesMax = 107;

constexpr std::string_view kSignature = "\r\n\r\n\0\r\nQUIT\n"sv;
constexpr std::size_t kFixedBytes = 16;
constexpr std::uint8_t kVersion2 = 2;
constexpr std::uint8_t kLocal = 0;
constexpr std::uint8_t kProxied = 1;
constexpr std::uint8_t kTcp4 = 0x11;
constexpr std::uint8_t kTcp6 = 0x21;
constexpr std::size_t kAddressBytes4 = 4;
constexpr std::size_t kAddressBytes6 = 16;

tl::unexpected<Error> malformed(std::string_view what) {
  return fail(Errc::malformed_packet, fmt::format("the header of the PROXY protocol {}", what));
}

ProxyLook needs(std::size_t bytes) {
  return {.header = std::nullopt, .bytes_needed = bytes};
}

/// True if one begins with the other.
bool agree(std::string_view bytes, std::string_view start) {
  const std::size_t size = std::min(bytes.size(), start.size());
  return bytes.substr(0, size) == start.substr(0, size);
}

/// The next word of `line`, which it takes with the blank behind it. Words are apart by one blank.
std::string_view take_word(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

std::optional<std::uint16_t> port_of(std::string_view word) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), port);
  const bool is_whole = error == std::errc{} && end == word.data() + word.size();
  return is_whole ? std::optional(port) : std::nullopt;
}

Result<std::optional<model::Endpoint>> source_of_line(std::string_view line) {
  const std::string_view family = take_word(line);
  if (family == "UNKNOWN") return std::nullopt;
  if (family != "TCP4" && family != "TCP6") return malformed("names no family that there is");
  boost::system::error_code error;
  const auto source = boost::asio::ip::make_address(take_word(line), error);
  if (error || source.is_v6() != (family == "TCP6")) return malformed("has no source address");
  static_cast<void>(take_word(line));  // the destination
  const auto port = port_of(take_word(line));
  if (!port || !port_of(take_word(line)) || !line.empty()) return malformed("has no two ports");
  return to_endpoint({source, *port});
}

Result<ProxyLook> look_at_line(std::string_view bytes) {
  const std::size_t end = bytes.substr(0, kLineBytesMax).find(kLineEnd);
  if (end == std::string_view::npos) {
    if (bytes.size() >= kLineBytesMax) return malformed("is a line without an end");
    return needs(bytes.size() + 1);
  }
  const auto source = source_of_line(bytes.substr(kLineStart.size(), end - kLineStart.size()));
  SLUICE_TRY(source);
  return ProxyLook{.header = ProxyHeader{.size = end + kLineEnd.size(), .source = *source}};
}

Result<std::optional<model::Endpoint>> source_of_block(std::uint8_t family, BytesView addresses) {
  const bool is_v6 = family == kTcp6;
  if (family != kTcp4 && !is_v6) return std::nullopt;
  const std::size_t address_bytes = is_v6 ? kAddressBytes6 : kAddressBytes4;
  ByteReader reader(addresses);
  const auto source = reader.read_bytes(address_bytes);
  static_cast<void>(reader.read_bytes(address_bytes));  // the destination
  const auto port = reader.read<std::uint16_t>();
  static_cast<void>(reader.read<std::uint16_t>());
  if (!reader.ok()) return malformed("is too short for its addresses");
  model::Endpoint endpoint;
  endpoint.is_v6 = is_v6;
  endpoint.port = port;
  std::ranges::transform(source, endpoint.address.begin(),
                         [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
  return endpoint;
}

Result<ProxyLook> look_at_block(BytesView bytes) {
  if (bytes.size() < kFixedBytes) return needs(kFixedBytes);
  ByteReader reader(bytes.subspan(kSignature.size()));
  const auto version_and_command = reader.read<std::uint8_t>();
  const auto family = reader.read<std::uint8_t>();
  const std::size_t size = kFixedBytes + reader.read<std::uint16_t>();
  if (version_and_command >> 4 != kVersion2) return malformed("has a version that is not 1 or 2");
  const auto command = static_cast<std::uint8_t>(version_and_command & 0xF);
  if (command > kProxied) return malformed("has an unknown command");
  if (size > limits::kProxyHeaderBytesMax) {
    return malformed(
        fmt::format("has {} bytes; the limit is {}", size, limits::kProxyHeaderBytesMax));
  }
  if (bytes.size() < size) return needs(size);
  if (command == kLocal) return ProxyLook{.header = ProxyHeader{.size = size, .source = {}}};
  const auto source = source_of_block(family, bytes.subspan(kFixedBytes, size - kFixedBytes));
  SLUICE_TRY(source);
  return ProxyLook{.header = ProxyHeader{.size = size, .source = *source}};
}

}  // namespace

Result<ProxyLook> look_for_proxy_header(BytesView bytes) {
  const std::string_view text = as_text(bytes);
  if (agree(text, kSignature)) {
    return text.size() < kSignature.size() ? Result<ProxyLook>(needs(kFixedBytes))
                                           : look_at_block(bytes);
  }
  if (agree(text, kLineStart)) {
    return text.size() < kLineStart.size() ? Result<ProxyLook>(needs(text.size() + 1))
                                           : look_at_line(text);
  }
  return ProxyLook{};
}

}  // namespace sluice::transport
