#include "apps/cli/table.hpp"

#include <sstream>

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

TEST(Table, AlignsItsColumns) {
  Table table({{"NAME"}, {"COUNT", Table::Align::right}, {"NOTE"}});
  table.add({"a", "12,345", "x"});
  table.add({"Z\xC3\xBCrich", "7", ""});
  std::ostringstream out;
  table.print(out);
  EXPECT_EQ(out.str(),
            "NAME     COUNT  NOTE\n"
            "a       12,345  x\n"
            "Z\xC3\xBCrich       7\n");
}

TEST(Printable, ShowsTextAndHidesWhatTerminalsActOn) {
  EXPECT_EQ(printable("Z\xC3\xBCrich \xF0\x9F\x8C\x8A", 60), "Z\xC3\xBCrich \xF0\x9F\x8C\x8A");
  EXPECT_EQ(printable("a\x1b[31mb\r\n\t\x7F", 60), "a.[31mb....");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m",
                      60),
            ".31m");
  EXPECT_EQ(printable("\xFF\xC3(\xE2\x82", 60), "..(..");
}

TEST(Printable, CutsAtCharactersNotBytes) {
  EXPECT_EQ(printable("\xC3\xBC\xC3\xBC\xC3\xBC", 2), "\xC3\xBC\xC3\xBC...");
  EXPECT_EQ(printable("ab", 2), "ab");
}

TEST(HumanNumbers, AreGroupedAndScaled) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1'234'567), "1,234,567");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(human_bytes(3ULL << 30), "3.0 GiB");
}

TEST(HumanTime, IsUtcAndKnowsNoTime) {
  EXPECT_EQ(human_time(1'700'000'000'123), "2023-11-14 22:13:20.123");
  EXPECT_EQ(human_time(0), "-");
  EXPECT_EQ(human_time(-1), "-");
  EXPECT_EQ(human_time(std::int64_t{1} << 62), "-");
}

}  // namespace
}  // namespace sluice::cli
