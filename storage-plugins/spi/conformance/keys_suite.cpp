#include <gmock/gmock.h>

#include "common/base/limits.hpp"
#include "storage-plugins/spi/conformance/suites.hpp"

namespace sluice::storage::conformance {

using testing::ElementsAre;
using testing::IsEmpty;

namespace {

std::vector<Bytes> keys(const std::vector<KeyValue>& entries) {
  std::vector<Bytes> all;
  for (const KeyValue& entry : entries) all.push_back(entry.key);
  return all;
}

WriteBatch putting_all(std::initializer_list<Bytes> all) {
  WriteBatch batch;
  for (const Bytes& key : all) batch.put(key, "value of " + key);
  return batch;
}

}  // namespace

TEST_P(EngineContract, AKeyHoldsWhatWasPutLast) {
  EXPECT_EQ(store.get("k"), std::nullopt);
  commit(putting("k", "1"));
  EXPECT_EQ(store.get("k"), "1");
  commit(putting("k", "22"));
  EXPECT_EQ(store.get("k"), "22");
  WriteBatch batch;
  batch.erase("k");
  commit(std::move(batch));
  EXPECT_EQ(store.get("k"), std::nullopt);
}

TEST_P(EngineContract, KeysAndValuesMayHoldAnyBytes) {
  const Bytes zero(1, '\0');
  const Bytes high = "\xFF\xFE";
  commit(putting("", "of the empty key"));
  commit(putting(zero, Bytes(3, '\0')));
  commit(putting(high, ""));
  EXPECT_EQ(store.get(""), "of the empty key");
  EXPECT_EQ(store.get(zero), Bytes(3, '\0'));
  EXPECT_EQ(store.get(high), "");
  EXPECT_THAT(keys(store.scan()), ElementsAre("", zero, high));
}

TEST_P(EngineContract, TheLargestKeyAndValueComeBack) {
  const Bytes key(limits::kKeyBytesMax, '\x80');
  const Bytes value(limits::kValueBytesMax, 'v');
  commit(putting(key, value));
  EXPECT_TRUE(store.get(key) == value);
}

TEST_P(EngineContract, AScanIsInTheOrderOfUnsignedBytes) {
  commit(putting_all({"b", "\x7F", "\x80", "\xFF", "a", "aa", Bytes("a\0", 2), "B"}));
  EXPECT_THAT(keys(store.scan()),
              ElementsAre("B", "a", Bytes("a\0", 2), "aa", "b", "\x7F", "\x80", "\xFF"));
}

TEST_P(EngineContract, AScanIncludesItsFirstKeyAndExcludesItsLast) {
  commit(putting_all({"a", "b", "c", "d"}));
  EXPECT_THAT(store.scan("b", "d"),
              ElementsAre(KeyValue{"b", "value of b"}, KeyValue{"c", "value of c"}));
  EXPECT_THAT(keys(store.scan("aa", "bb")), ElementsAre("b"));
  EXPECT_THAT(keys(store.scan("", "b")), ElementsAre("a"));
}

TEST_P(EngineContract, AScanWithAnEmptyLastGoesToTheEnd) {
  commit(putting_all({"a", "b", "\xFF\xFF\xFF"}));
  EXPECT_THAT(keys(store.scan("b", "")), ElementsAre("b", "\xFF\xFF\xFF"));
}

TEST_P(EngineContract, AScanOfAnEmptyOrReversedRangeGivesNothing) {
  commit(putting_all({"a", "b", "c"}));
  EXPECT_THAT(store.scan("b", "b"), IsEmpty());
  EXPECT_THAT(store.scan("c", "a"), IsEmpty());
  EXPECT_THAT(store.scan("d", "e"), IsEmpty());
}

TEST_P(EngineContract, AScanStopsAtEntriesMax) {
  commit(putting_all({"a", "b", "c"}));
  EXPECT_THAT(keys(store.scan("", "", 2)), ElementsAre("a", "b"));
  EXPECT_THAT(keys(store.scan("", "", 3)), ElementsAre("a", "b", "c"));
}

TEST_P(EngineContract, EraseRangeExcludesItsLastKey) {
  commit(putting_all({"a", "b", "ba", "c", "d"}));
  WriteBatch batch;
  batch.erase_range("b", "c");
  commit(std::move(batch));
  EXPECT_THAT(keys(store.scan()), ElementsAre("a", "c", "d"));
  EXPECT_EQ(store.get("ba"), std::nullopt);
}

TEST_P(EngineContract, EraseRangeWithAnEmptyLastGoesToTheEnd) {
  commit(putting_all({"a", "b", "\xFF\xFF"}));
  WriteBatch batch;
  batch.erase_range("b", "");
  commit(std::move(batch));
  EXPECT_THAT(keys(store.scan()), ElementsAre("a"));
}

TEST_P(EngineContract, EraseRangeOfAReversedRangeErasesNothing) {
  commit(putting_all({"a", "b", "c"}));
  WriteBatch batch;
  batch.erase_range("c", "a");
  batch.erase_range("b", "b");
  commit(std::move(batch));
  EXPECT_THAT(keys(store.scan()), ElementsAre("a", "b", "c"));
}

TEST_P(EngineContract, ThousandsOfKeysComeBackInOrder) {
  for (int round = 0; round < 10; ++round) {
    WriteBatch batch;
    for (int i = 0; i < 500; ++i) {
      batch.put("key " + std::to_string((i * 7919 + round) % 5000), std::to_string(round));
    }
    commit(std::move(batch));
  }
  const auto all = store.scan();
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &KeyValue::key));
  EXPECT_THAT(store.scan("", "", 7),
              ElementsAre(all[0], all[1], all[2], all[3], all[4], all[5], all[6]));
  for (const KeyValue& entry : all) ASSERT_EQ(store.get(entry.key), entry.value);
}

}  // namespace sluice::storage::conformance
