#include <gmock/gmock.h>

#include "storage-plugins/append-log/key_map.hpp"
#include "storage-plugins/append-log/key_overlay.hpp"

namespace sluice::append_log {

using storage::KeyValue;
using storage::WriteBatch;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

KeyMap map_of(std::initializer_list<std::pair<const char*, const char*>> entries) {
  KeyMap keys;
  for (const auto& [key, value] : entries) keys.put(key, value);
  return keys;
}

}  // namespace

TEST(KeyMap, CountsTheBytesOfWhatItHolds) {
  KeyMap keys = map_of({{"a", "1"}, {"bb", "22"}, {"c", "333"}});
  EXPECT_EQ(keys.byte_count(), 10U);
  keys.put("bb", "2");
  EXPECT_EQ(keys.byte_count(), 9U);
  keys.erase("a");
  keys.erase("a");
  EXPECT_EQ(keys.byte_count(), 7U);
  keys.erase_range("b", "");
  EXPECT_EQ(keys.byte_count(), 0U);
  EXPECT_EQ(keys.size(), 0U);
}

TEST(KeyMap, ARangeEndsBeforeItsLastAndMayBeEmpty) {
  const KeyMap keys = map_of({{"a", "1"}, {"b", "2"}, {"c", "3"}});
  EXPECT_THAT(keys.scan("a", "c", 9), ElementsAre(KeyValue{"a", "1"}, KeyValue{"b", "2"}));
  EXPECT_THAT(keys.scan("c", "a", 9), IsEmpty());
  EXPECT_THAT(keys.scan("b", "b", 9), IsEmpty());
  EXPECT_THAT(keys.scan("", "", 1), ElementsAre(KeyValue{"a", "1"}));
}

TEST(KeyMap, GivesItsEntriesPieceByPiece) {
  const KeyMap keys = map_of({{"a", "1"}, {"b", "22222"}, {"c", "3"}, {"d", "4"}});
  EXPECT_THAT(keys.next_entries(std::nullopt, 1, 100), ElementsAre(KeyValue{"a", "1"}));
  EXPECT_THAT(keys.next_entries("a", 9, 3), ElementsAre(KeyValue{"b", "22222"}));
  EXPECT_THAT(keys.next_entries("b", 9, 100), ElementsAre(KeyValue{"c", "3"}, KeyValue{"d", "4"}));
  EXPECT_THAT(keys.next_entries("d", 9, 100), IsEmpty());
}

TEST(KeyOverlay, SeesTheBatchesOfTheRoundOverWhatIsPublished) {
  const KeyMap published = map_of({{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}});
  KeyOverlay overlay(published);
  WriteBatch first;
  first.put("a", "one");
  first.erase("b");
  WriteBatch second;
  second.put("bb", "new");
  second.erase_range("bb", "d");
  second.put("c", "three");
  overlay.add(first);
  EXPECT_EQ(overlay.get("a"), "one");
  EXPECT_EQ(overlay.get("b"), std::nullopt);
  EXPECT_EQ(overlay.get("c"), "3");
  overlay.add(second);
  EXPECT_EQ(overlay.get("bb"), std::nullopt);
  EXPECT_EQ(overlay.get("c"), "three");
  EXPECT_EQ(overlay.get("d"), "4");
  EXPECT_EQ(overlay.get("e"), std::nullopt);
  overlay.clear();
  EXPECT_EQ(overlay.get("a"), "1");
  EXPECT_EQ(overlay.get("b"), "2");
}

TEST(KeyOverlay, ARangeErasesWhatTheRoundPutBeforeIt) {
  const KeyMap published = map_of({{"m", "1"}});
  KeyOverlay overlay(published);
  WriteBatch batch;
  batch.put("k", "v");
  batch.put("z", "v");
  batch.erase_range("k", "");
  batch.put("l", "later");
  overlay.add(batch);
  EXPECT_EQ(overlay.get("k"), std::nullopt);
  EXPECT_EQ(overlay.get("m"), std::nullopt);
  EXPECT_EQ(overlay.get("z"), std::nullopt);
  EXPECT_EQ(overlay.get("l"), "later");
}

}  // namespace sluice::append_log
