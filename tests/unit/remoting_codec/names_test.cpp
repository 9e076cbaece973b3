#include <gtest/gtest.h>

#include "protocols/remoting/codec/language.hpp"
#include "protocols/remoting/codec/name_table.hpp"
#include "protocols/remoting/codec/request_codes.hpp"

namespace sluice::remoting {
namespace {

TEST(LanguageCode, EveryNumberHasItsNameBothWays) {
  for (std::int64_t number = 0; number <= 13; ++number) {
    const LanguageCode language = language_from_number(number);
    EXPECT_EQ(static_cast<std::int64_t>(language), number);
    EXPECT_EQ(language_from_text(name_of(language)), language);
  }
  EXPECT_EQ(name_of(LanguageCode::java), "JAVA");
  EXPECT_EQ(name_of(LanguageCode::node_js), "NODE_JS");
}

TEST(LanguageCode, WhatIsNotInTheTableIsOther) {
  EXPECT_EQ(language_from_number(14), LanguageCode::other);
  EXPECT_EQ(language_from_number(-1), LanguageCode::other);
  EXPECT_EQ(language_from_text(""), LanguageCode::other);
  EXPECT_EQ(language_from_text("java"), LanguageCode::other);
}

TEST(RequestCode, HasTheNumbersAndNamesOfRocketMq) {
  EXPECT_EQ(request_code::kSendMessage, 10);
  EXPECT_EQ(request_code::kSendMessageV2, 310);
  EXPECT_EQ(request_code::kPopMessage, 200'050);
  EXPECT_EQ(name_of_request(10), "SEND_MESSAGE");
  EXPECT_EQ(name_of_request(105), "GET_ROUTEINFO_BY_TOPIC");
  EXPECT_EQ(name_of_request(9999), "OTHER");
}

TEST(NameTable, FindsEveryNameAndNoOther) {
  static constexpr NameTable<4> kTable({"one", "two", "three", "x"});
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(kTable.find(kTable.name(i)), i);
  for (const char* const name :
       {"", "y", "on", "thre", "threes", "a name longer than any of them"}) {
    EXPECT_EQ(kTable.find(name), std::nullopt) << name;
  }
  EXPECT_EQ(kTable.find(std::string(1000, 'x')), std::nullopt);
}

}  // namespace
}  // namespace sluice::remoting
