#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "common/base/unique_function.hpp"

namespace sluice {
namespace {

/// Counts how many of it live.
class Counted {
 public:
  explicit Counted(int* living) : living_(living) { ++*living_; }
  Counted(const Counted& other) : living_(other.living_) { ++*living_; }
  Counted(Counted&& other) noexcept : living_(other.living_) { ++*living_; }
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --*living_; }

 private:
  int* living_;
};

using Large = std::array<char, 200>;

TEST(UniqueFunction, IsFalseUntilItHoldsACallable) {
  UniqueFunction<int()> function;
  EXPECT_FALSE(function);
  function = [] { return 1; };
  EXPECT_TRUE(function);
}

TEST(UniqueFunction, CallsASmallAndALargeCallable) {
  UniqueFunction<int(int)> small = [](int number) { return number + 1; };
  EXPECT_EQ(small(1), 2);
  Large data{};
  data[199] = 5;
  UniqueFunction<int(int)> large = [data](int number) { return number + data[199]; };
  EXPECT_EQ(large(1), 6);
}

TEST(UniqueFunction, TakesACallableThatCannotBeCopied) {
  auto owned = std::make_unique<int>(7);
  UniqueFunction<int()> function = [owned = std::move(owned)] { return *owned; };
  UniqueFunction<int()> moved = std::move(function);
  EXPECT_EQ(moved(), 7);
}

TEST(UniqueFunction, IsEmptyAfterItWasMovedFrom) {
  UniqueFunction<void()> function = [] {};
  const UniqueFunction<void()> moved = std::move(function);
  EXPECT_FALSE(function);  // NOLINT(bugprone-use-after-move): what is tested
  EXPECT_TRUE(moved);
}

TEST(UniqueFunction, DestroysItsCallableOnce) {
  int living = 0;
  {
    UniqueFunction<void()> small = [counted = Counted(&living)] {};
    UniqueFunction<void()> large = [counted = Counted(&living), data = Large{}] {
      static_cast<void>(data);
    };
    EXPECT_EQ(living, 2);
    UniqueFunction<void()> moved_small = std::move(small);
    UniqueFunction<void()> moved_large = std::move(large);
    EXPECT_EQ(living, 2);
  }
  EXPECT_EQ(living, 0);
}

TEST(UniqueFunction, DestroysTheOldCallableWhenItIsGivenANewOne) {
  int living = 0;
  UniqueFunction<void()> function = [counted = Counted(&living)] {};
  EXPECT_EQ(living, 1);
  function = UniqueFunction<void()>([] {});
  EXPECT_EQ(living, 0);
}

TEST(UniqueFunction, KeepsItsCallableWhenItIsAssignedToItself) {
  UniqueFunction<int()> function = [] { return 3; };
  auto& same = function;
  function = std::move(same);
  EXPECT_EQ(function(), 3);
}

TEST(UniqueFunction, HandsArgumentsOnWithoutCopies) {
  UniqueFunction<std::unique_ptr<int>(std::unique_ptr<int>)> function =
      [](std::unique_ptr<int> number) { return number; };
  EXPECT_EQ(*function(std::make_unique<int>(4)), 4);
  UniqueFunction<void(int&)> increments = [](int& number) { ++number; };
  int number = 1;
  increments(number);
  EXPECT_EQ(number, 2);
}

TEST(UniqueFunction, KeepsTheStateOfItsCallableBetweenCalls) {
  UniqueFunction<int()> function = [count = 0]() mutable { return ++count; };
  function();
  EXPECT_EQ(function(), 2);
}

TEST(UniqueFunction, AlignsItsCallable) {
  struct alignas(64) Aligned {
    std::uint64_t number = 9;
  };
  UniqueFunction<bool()> function = [aligned = Aligned{}] {
    return reinterpret_cast<std::uintptr_t>(&aligned) % 64 == 0 && aligned.number == 9;
  };
  EXPECT_TRUE(function());
}

}  // namespace
}  // namespace sluice
