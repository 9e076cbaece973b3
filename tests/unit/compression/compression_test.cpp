#include <zlib.h>

#include <string>

#include <gtest/gtest.h>

#include "common/compression/stored_body.hpp"
#include "common/compression/zlib_inflate.hpp"

namespace sluice::compression {
namespace {

std::string deflated(const std::string& text) {
  auto size = ::compressBound(text.size());
  std::string out(size, '\0');
  EXPECT_EQ(::compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                        reinterpret_cast<const Bytef*>(text.data()), text.size(), 5),
            Z_OK);
  out.resize(size);
  return out;
}

std::string stored(const std::string& body, std::int32_t system_flag) {
  model::StoredMessageFields fields;
  fields.topic = "t";
  fields.body = as_bytes(body);
  fields.system_flag = system_flag;
  std::string bytes(model::stored_message_size(fields), '\0');
  model::encode_stored_message(fields, reinterpret_cast<std::byte*>(bytes.data()));
  return bytes;
}

struct Read {
  std::string bytes;
  std::string encoding;
};
Read read(const std::string& message) {
  const auto view = model::StoredMessageView::parse(as_bytes(message));
  EXPECT_TRUE(view.has_value());
  const auto body = StoredBody::of(*view);
  return {std::string(as_text(body.bytes())), std::string(body.encoding())};
}

TEST(ZlibInflate, GivesBackWhatWasDeflated) {
  for (const std::size_t size : {0U, 1U, 5'000U, 200'000U}) {
    const std::string text(size, 'x');
    const auto inflated = zlib_inflate(as_bytes(deflated(text)), 1'000'000);
    ASSERT_TRUE(inflated.has_value()) << size;
    EXPECT_EQ(*inflated, text);
  }
}

TEST(ZlibInflate, StopsAtItsBound) {
  const std::string bomb = deflated(std::string(10'000'000, '\0'));
  const auto inflated = zlib_inflate(as_bytes(bomb), 100'000);
  ASSERT_FALSE(inflated.has_value());
  EXPECT_EQ(inflated.error().code, Errc::payload_too_large);
  EXPECT_TRUE(zlib_inflate(as_bytes(bomb), 10'000'000).has_value());
}

TEST(ZlibInflate, RefusesEveryProperPrefix) {
  const std::string whole = deflated("the quick brown fox");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(zlib_inflate(as_bytes(whole).first(size), 1'000).has_value()) << size;
  }
}

TEST(ZlibInflate, RefusesAFlippedByteAndATail) {
  std::string damaged = deflated("the quick brown fox");
  EXPECT_FALSE(zlib_inflate(as_bytes(damaged + "x"), 1'000).has_value());
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  EXPECT_FALSE(zlib_inflate(as_bytes(damaged), 1'000).has_value());
}

TEST(StoredBody, IsTheBodyOfAMessageThatIsNotCompressed) {
  const Read body = read(stored("hello", 0));
  EXPECT_EQ(body.bytes, "hello");
  EXPECT_EQ(body.encoding, "");
}

// 0x001: clients before 5.0. 0x301: COMPRESSED and ZLIB.
TEST(StoredBody, UndoesZlibOfOldAndNewClients) {
  for (const std::int32_t flag : {0x001, 0x301}) {
    const Read body = read(stored(deflated("hello"), flag));
    EXPECT_EQ(body.bytes, "hello");
    EXPECT_EQ(body.encoding, "");
  }
}

TEST(StoredBody, NamesWhatItDoesNotUndo) {
  EXPECT_EQ(read(stored("raw", 0x101)).encoding, "lz4");
  EXPECT_EQ(read(stored("raw", 0x201)).encoding, "zstd");
  EXPECT_EQ(read(stored("raw", 0x701)).encoding, "unknown");
  EXPECT_EQ(read(stored("raw", 0x201)).bytes, "raw");
}

TEST(StoredBody, GivesADamagedBodyAsItIsStored) {
  const Read body = read(stored("no zlib at all", 0x301));
  EXPECT_EQ(body.bytes, "no zlib at all");
  EXPECT_EQ(body.encoding, "zlib");
}

}  // namespace
}  // namespace sluice::compression
