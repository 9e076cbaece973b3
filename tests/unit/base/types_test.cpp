#include <gtest/gtest.h>

#include <type_traits>
#include <unordered_set>

#include "common/base/types.hpp"

namespace sluice {
namespace {

using Apples = Strong<std::int64_t, struct ApplesTag>;
using Pears = Strong<std::int64_t, struct PearsTag>;

TEST(Strong, OrdersAndCounts) {
  Apples apples{3};
  EXPECT_LT(apples, Apples{4});
  EXPECT_EQ((++apples).value, 4);
  EXPECT_EQ((apples + 2).value, 6);
  EXPECT_EQ(Apples{7} - apples, 3);
  EXPECT_EQ(Apples{}.value, 0);
}

TEST(Strong, DoesNotMixWithAnother) {
  static_assert(!std::is_convertible_v<Apples, Pears>);
  static_assert(!std::is_convertible_v<std::int64_t, Apples>);
  static_assert(!std::is_convertible_v<Apples, std::int64_t>);
  SUCCEED();
}

TEST(Strong, IsAKeyOfHashTables) {
  const std::unordered_set<Apples> set{Apples{1}, Apples{2}, Apples{1}};
  EXPECT_EQ(set.size(), 2U);
}

TEST(Bytes, CompareAsUnsigned) {
  EXPECT_LT(Bytes("\x7F"), Bytes("\x80"));
  EXPECT_LT(Bytes("a"), Bytes("a\0", 2));
}

TEST(Bytes, AndTextAreViewsOfTheSameMemory) {
  const std::string text("a\0b", 3);
  EXPECT_EQ(as_text(as_bytes(text)), text);
  EXPECT_EQ(static_cast<const void*>(as_bytes(text).data()), text.data());
}

}  // namespace
}  // namespace sluice
