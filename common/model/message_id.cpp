#include "common/model/message_id.hpp"

#include "common/base/byte_reader.hpp"

namespace sluice::model {

namespace {

void append_hex(std::string& out, const std::byte* bytes, std::size_t size) {
  constexpr char digits[] = "0123456789ABCDEF";
  for (std::size_t i = 0; i < size; ++i) {
    const auto byte = std::to_integer<unsigned>(bytes[i]);
    out.push_back(digits[byte >> 4]);
    out.push_back(digits[byte & 0xF]);
  }
}

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
