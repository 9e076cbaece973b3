#include "protocols/transport/proxy_header.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "common/base/limits.hpp"
#include "tests/support/printers.hpp"

namespace sluice::transport {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

Result<ProxyLook> look(std::string_view bytes) {
  return look_for_proxy_header(as_bytes(bytes));
}

/// The source that a whole header tells, `none`, or what else became of it.
std::string source_of(std::string_view bytes) {
  const auto looked = look(bytes);
  if (!looked) return "error";
  if (!looked->header) return looked->bytes_needed > 0 ? "more" : "no header";
  EXPECT_EQ(looked->header->size, bytes.size());
  return looked->header->source ? model::to_string(*looked->header->source) : "none";
}

const std::string kSignature("\r\n\r\n\0\r\nQUIT\n", 12);

std::string block(std::uint8_t version_and_command, std::uint8_t family, std::string_view rest) {
  std::string bytes = kSignature;
  bytes.push_back(static_cast<char>(version_and_command));
  bytes.push_back(static_cast<char>(family));
  bytes.push_back(static_cast<char>(rest.size() >> 8));
  bytes.push_back(static_cast<char>(rest.size() & 0xFF));
  return bytes.append(rest);
}

const std::string kAddresses4("\x0A\x01\x02\x03\x7F\x00\x00\x01\x30\x39\x2A\x9F", 12);

TEST(ProxyHeader, ALineTellsTheSource) {
  EXPECT_EQ(source_of("PROXY TCP4 10.1.2.3 127.0.0.1 12345 10911\r\n"), "10.1.2.3:12345");
  EXPECT_EQ(source_of("PROXY TCP6 2001:db8::1 ::1 12345 10911\r\n"), "[2001:db8::1]:12345");
  EXPECT_EQ(source_of("PROXY UNKNOWN\r\n"), "none");
  EXPECT_EQ(source_of("PROXY UNKNOWN ffff::1 ffff::2 65535 65535\r\n"), "none");
}

TEST(ProxyHeader, ALineThatIsNoneIsRefused) {
  for (const std::string_view line :
       {"PROXY \r\n", "PROXY TCP4\r\n", "PROXY TCP5 1.2.3.4 1.2.3.4 1 2\r\n",
        "PROXY TCP4 ::1 ::1 1 2\r\n", "PROXY TCP6 1.2.3.4 1.2.3.4 1 2\r\n",
        "PROXY TCP4 1.2.3.4 1.2.3.4 1\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1 70000\r\n",
        "PROXY TCP4 1.2.3.4 1.2.3.4 1 2 3\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 -1 2\r\n",
        "PROXY TCP4 1.2.3.4.5 1.2.3.4 1 2\r\n"}) {
    EXPECT_EQ(source_of(line), "error") << line;
  }
  EXPECT_EQ(source_of("PROXY TCP4 " + std::string(200, '1')), "error");
}

TEST(ProxyHeader, ABlockTellsTheSource) {
  EXPECT_EQ(source_of(block(0x21, 0x11, kAddresses4)), "10.1.2.3:12345");
  EXPECT_EQ(source_of(block(0x21, 0x11, kAddresses4 + "\x04\x00\x01x"s)), "10.1.2.3:12345");
  std::string addresses6(36, '\0');
  addresses6[0] = '\x20';
  addresses6[1] = '\x01';
  addresses6[15] = '\x01';
  addresses6[32] = '\x30';
  addresses6[33] = '\x39';
  EXPECT_EQ(source_of(block(0x21, 0x21, addresses6)), "[2001::1]:12345");
}

TEST(ProxyHeader, ABlockWithoutAnAddressTellsNone) {
  EXPECT_EQ(source_of(block(0x20, 0x00, "")), "none");           // the proxy's own
  EXPECT_EQ(source_of(block(0x20, 0x11, kAddresses4)), "none");  // the same, with an address
  EXPECT_EQ(source_of(block(0x21, 0x00, "")), "none");
  EXPECT_EQ(source_of(block(0x21, 0x31, std::string(216, 'x'))), "none");  // a UNIX socket
}

TEST(ProxyHeader, ABlockThatIsNoneIsRefused) {
  EXPECT_EQ(source_of(block(0x11, 0x11, kAddresses4)), "error");
  EXPECT_EQ(source_of(block(0x22, 0x11, kAddresses4)), "error");
  EXPECT_EQ(source_of(block(0x21, 0x11, kAddresses4.substr(1))), "error");
  EXPECT_EQ(source_of(block(0x21, 0x21, std::string(35, '\0'))), "error");
  EXPECT_EQ(source_of(block(0x21, 0x11, std::string(limits::kProxyHeaderBytesMax, '\0'))), "error");
}

TEST(ProxyHeader, EveryPrefixAsksForMore) {
  for (const std::string& whole :
       {"PROXY TCP4 10.1.2.3 127.0.0.1 12345 10911\r\n"s, block(0x21, 0x11, kAddresses4)}) {
    for (std::size_t size = 1; size < whole.size(); ++size) {
      const auto looked = look(std::string_view(whole).substr(0, size));
      ASSERT_TRUE(looked) << size;
      EXPECT_FALSE(looked->header) << size;
      EXPECT_GT(looked->bytes_needed, size);
      EXPECT_LE(looked->bytes_needed, whole.size());
    }
  }
}

TEST(ProxyHeader, WhatFollowsIsNotTaken) {
  const std::string header = block(0x21, 0x11, kAddresses4);
  const auto looked = look(header + "PROXY");
  ASSERT_TRUE(looked && looked->header);
  EXPECT_EQ(looked->header->size, header.size());
}

TEST(ProxyHeader, OtherBytesAreNone) {
  for (const std::string_view bytes :
       {"\0\0\1"sv, "\x16\x03\x01"sv, "GET /"sv, "PROXIES "sv, "\r\n\r\nx"sv, "POST"sv}) {
    EXPECT_EQ(source_of(bytes), "no header") << bytes;
  }
}

}  // namespace
}  // namespace sluice::transport
