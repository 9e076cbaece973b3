#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "common/base/slice.hpp"

namespace sluice {
namespace {

/// Says when the last slice has gone.
class WatchedOwner final : public SliceOwner {
 public:
  explicit WatchedOwner(bool* is_gone) : is_gone_(is_gone) {}
  ~WatchedOwner() override { *is_gone_ = true; }

  [[nodiscard]] Slice slice() const { return {as_bytes(text_), SliceOwnerPtr(this)}; }

 private:
  bool* is_gone_;
  std::string text_ = "watched";
};

TEST(Slice, CopyOfIsIndependentOfItsSource) {
  std::string source = "source";
  const Slice slice = Slice::copy_of(source);
  source.assign("******");
  EXPECT_EQ(slice.text(), "source");
}

TEST(Slice, OfNothingIsEmptyAndOwnsNothing) {
  EXPECT_TRUE(Slice().empty());
  EXPECT_TRUE(Slice::copy_of("").empty());
  EXPECT_EQ(Slice::copy_of("").owner(), nullptr);
}

TEST(Slice, KeepsItsOwnerUntilTheLastCopyGoes) {
  bool is_gone = false;
  Slice part;
  {
    const Slice slice = (new WatchedOwner(&is_gone))->slice();
    const Slice copy = slice;
    part = copy.part(2, 3);
  }
  EXPECT_FALSE(is_gone);
  EXPECT_EQ(part.text(), "tch");
  part = {};
  EXPECT_TRUE(is_gone);
}

TEST(Slice, MovesItsShareInTheOwner) {
  bool is_gone = false;
  Slice slice = (new WatchedOwner(&is_gone))->slice();
  const SliceOwner* owner = slice.owner().get();
  Slice moved = std::move(slice);
  EXPECT_FALSE(owner->is_shared());
  moved = Slice();
  EXPECT_TRUE(is_gone);
}

TEST(Slice, KnowsWhetherSomebodyElseHoldsItsOwner) {
  const Slice slice = Slice::copy_of("text");
  EXPECT_FALSE(slice.owner()->is_shared());
  {
    const Slice copy = slice;
    EXPECT_TRUE(slice.owner()->is_shared());
  }
  EXPECT_FALSE(slice.owner()->is_shared());
}

TEST(Slice, ComparesBytesAndNotOwners) {
  EXPECT_EQ(Slice::copy_of("same"), Slice::copy_of("same"));
  EXPECT_EQ(Slice::copy_of("same"), Slice(as_bytes("same"), nullptr));
  EXPECT_FALSE(Slice::copy_of("same") == Slice::copy_of("sama"));
}

TEST(Slice, MayBeCopiedOnManyThreads) {
  bool is_gone = false;
  {
    const Slice slice = (new WatchedOwner(&is_gone))->slice();
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([slice] {
        for (int n = 0; n < 10'000; ++n) {
          const Slice copy = slice;
          ASSERT_EQ(copy.size(), 7U);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_FALSE(is_gone);
  }
  EXPECT_TRUE(is_gone);
}

TEST(Buffer, LivesAsLongAsItsSlices) {
  Slice slice;
  {
    const auto buffer = Buffer::make(100);
    std::fill_n(buffer->data(), buffer->size(), std::byte{'b'});
    slice = buffer->slice(10, 5);
  }
  EXPECT_EQ(slice.text(), "bbbbb");
}

TEST(Buffer, MayBeEmpty) {
  const auto buffer = Buffer::make(0);
  EXPECT_EQ(buffer->size(), 0U);
  EXPECT_TRUE(buffer->slice(0, 0).empty());
}

}  // namespace
}  // namespace sluice
