#include "common/base/base64.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace sluice {
namespace {

// RFC 4648 §10.
TEST(Base64, EncodesAndDecodesTheVectorsOfTheStandard) {
  const std::pair<const char*, const char*> rows[] = {{"", ""},
                                                      {"f", "Zg=="},
                                                      {"fo", "Zm8="},
                                                      {"foo", "Zm9v"},
                                                      {"foob", "Zm9vYg=="},
                                                      {"fooba", "Zm9vYmE="},
                                                      {"foobar", "Zm9vYmFy"},
                                                      {"\xFB\xFF", "+/8="}};
  for (const auto& [bytes, text] : rows) {
    EXPECT_EQ(encode_base64(as_bytes(bytes)), text);
    EXPECT_EQ(decode_base64(text), bytes);
  }
}

TEST(Base64, IsUndoneByDecodeForEveryByte) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
  EXPECT_EQ(decode_base64(encode_base64(as_bytes(all))), all);
}

TEST(Base64, DecodesNothingThatItDoesNotWrite) {
  for (const char* text : {"Z", "Zg", "Zg=", "Zg==\n",
                           "Z===", "====", "Zh==", "Zm9=", "Zm9v=", "Zm-v", "Z=9v", "Zg==Zg=="}) {
    EXPECT_FALSE(decode_base64(text)) << text;
  }
}

}  // namespace
}  // namespace sluice
