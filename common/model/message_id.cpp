#include "common/model/message_id.hpp"

#include "common/base/byte_reader.hpp"

namespace sluice::model {

namespace {

/// The eight hexadecimal digits of a number, as a big-endian word of text. All at once: the ids of
/// a batch are most of its answer.
constexpr std::uint64_t hex_digits(std::uint32_t number) {
  std::uint64_t spread = number;
  spread = (spread | spread << 16) & 0x0000'FFFF'0000'FFFFULL;
  spread = (spread | spread << 8) & 0x00FF'00FF'00FF'00FFULL;
  constexpr std::uint64_t kLowNibbles = 0x000F'000F'000F'000FULL;
  const std::uint64_t nibbles = (spread << 4 & kLowNibbles << 8) | (spread & kLowNibbles);
  constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101ULL;
  const std::uint64_t is_letter = (nibbles + kOnes * 6) >> 4 & kOnes;
  return nibbles + kOnes * '0' + is_letter * ('A' - '9' - 1);
}

/// `size`: a multiple of 4.
void append_hex(std::string& out, const std::byte* bytes, std::size_t size) {
  constexpr std::size_t kStep = sizeof(std::uint32_t);
  const std::size_t begin = out.size();
  out.resize(begin + 2 * size);
  auto* to = reinterpret_cast<std::byte*>(out.data() + begin);
  for (std::size_t i = 0; i < size; i += kStep, to += 2 * kStep) {
    store_big_endian(to, hex_digits(load_big_endian<std::uint32_t>(bytes + i)));
  }
}

/// The value of a hexadecimal digit; 16 for anything else.
unsigned digit_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  return 16;
}

constexpr std::size_t kIdBytesV4 = 16;
constexpr std::size_t kIdBytesV6 = 28;

}  // namespace

void append_offset_message_id(std::string& out, const Endpoint& store_host,
                              std::uint64_t position) {
  std::byte raw[28];
  const std::size_t address_size = store_host.address_size();
  for (std::size_t i = 0; i < address_size; ++i) raw[i] = std::byte{store_host.address[i]};
  store_big_endian<std::uint32_t>(raw + address_size, store_host.port);
  store_big_endian(raw + address_size + 4, position);
  append_hex(out, raw, address_size + 12);
}

Result<OffsetMessageId> parse_offset_message_id(std::string_view text) {
  const auto wrong = [&] {
    return fail(Errc::invalid_argument,
                "\"" + std::string(text.substr(0, 2 * kIdBytesV6)) + "\" is no offset message id");
  };
  const bool is_v6 = text.size() == 2 * kIdBytesV6;
  if (!is_v6 && text.size() != 2 * kIdBytesV4) return wrong();
  std::byte raw[kIdBytesV6];
  for (std::size_t i = 0; i < text.size() / 2; ++i) {
    const unsigned high = digit_value(text[2 * i]);
    const unsigned low = digit_value(text[2 * i + 1]);
    if (high > 15 || low > 15) return wrong();
    raw[i] = static_cast<std::byte>(high << 4 | low);
  }
  OffsetMessageId id;
  id.store_host.is_v6 = is_v6;
  const std::size_t address_size = id.store_host.address_size();
  for (std::size_t i = 0; i < address_size; ++i) {
    id.store_host.address[i] = std::to_integer<std::uint8_t>(raw[i]);
  }
  const auto port = load_big_endian<std::uint32_t>(raw + address_size);
  if (port > 0xFFFF) return wrong();
  id.store_host.port = static_cast<std::uint16_t>(port);
  id.position = load_big_endian<std::uint64_t>(raw + address_size + 4);
  return id;
}

std::string make_unique_key(const Endpoint& host, std::uint64_t random_bits, std::int64_t now_ms) {
  std::byte raw[16];
  for (std::size_t i = 0; i < 4; ++i) raw[i] = std::byte{host.address[i]};
  store_big_endian(raw + 4, static_cast<std::uint16_t>(random_bits >> 48));
  store_big_endian(raw + 6, static_cast<std::uint32_t>(random_bits >> 16));
  store_big_endian(raw + 10, static_cast<std::uint32_t>(now_ms));
  store_big_endian(raw + 14, static_cast<std::uint16_t>(random_bits));
  std::string key;
  key.reserve(32);
  append_hex(key, raw, sizeof(raw));
  return key;
}

}  // namespace sluice::model
