#include "apps/cli/batch.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "common/base/limits.hpp"

namespace sluice::cli {
namespace {

/// Gives `text` in pieces of at most `step` bytes; counts how often it was asked.
struct Pieces {
  std::string text;
  std::size_t step;
  std::size_t asked = 0;

  ByteSource source() {
    return [this](std::span<char> into) -> Result<std::size_t> {
      ++asked;
      const std::size_t size = std::min({into.size(), step, text.size()});
      std::ranges::copy(text.substr(0, size), into.begin());
      text.erase(0, size);
      return size;
    };
  }
};

std::vector<std::string> lines_of(const std::string& text, std::size_t step) {
  Pieces pieces{text, step};
  LineReader reader(pieces.source(), 1'000);
  std::vector<std::string> lines;
  while (true) {
    const auto line = reader.next();
    EXPECT_TRUE(line.has_value());
    if (!line || !*line) break;
    lines.push_back(**line);
  }
  EXPECT_EQ(reader.bytes(), text.size());
  return lines;
}

using Lines = std::vector<std::string>;

TEST(LineReader, SplitsAtNewlinesHoweverTheBytesCome) {
  const std::string text("one\ntwo \xFF\0three\r\n\n\nlast\n", 24);
  const Lines expected = {"one", std::string("two \xFF\0three\r", 12), "", "", "last"};
  for (const std::size_t step : {1U, 2U, 3U, 100U}) EXPECT_EQ(lines_of(text, step), expected);
}

TEST(LineReader, TakesALastLineWithoutNewline) {
  EXPECT_EQ(lines_of("a\nb", 1), (Lines{"a", "b"}));
  EXPECT_EQ(lines_of("", 1), Lines{});
  EXPECT_EQ(lines_of("\n", 1), Lines{""});
}

TEST(LineReader, RefusesALineOverTheBoundByItsNumber) {
  Pieces pieces{"ok\n" + std::string(1'001, 'x'), 64};
  LineReader reader(pieces.source(), 1'000);
  EXPECT_TRUE(reader.next().has_value());
  const auto line = reader.next();
  ASSERT_FALSE(line.has_value());
  EXPECT_EQ(line.error().code, Errc::payload_too_large);
  EXPECT_EQ(line.error().text, "line 2 has more than 1000 bytes, the most a message may have");
}

TEST(LineReader, TakesALineOfTheBound) {
  Pieces pieces{std::string(1'000, 'x') + "\n", 64};
  LineReader reader(pieces.source(), 1'000);
  const auto line = reader.next();
  ASSERT_TRUE(line.has_value() && line->has_value());
  EXPECT_EQ((*line)->size(), 1'000U);
}

TEST(BatchReader, GathersWhatIsThereAndWaitsForNoMore) {
  Pieces pieces{"a\nb\nc", 4};
  BatchReader reader(LineReader(pieces.source(), 1'000));
  const auto first = reader.next();
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->lines, (Lines{"a", "b"}));
  EXPECT_FALSE(first->is_last);
  EXPECT_EQ(pieces.asked, 1U);
  const auto second = reader.next();
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->lines, Lines{"c"});
  const auto third = reader.next();
  ASSERT_TRUE(third.has_value());
  EXPECT_TRUE(third->lines.empty());
  EXPECT_TRUE(third->is_last);
}

TEST(BatchReader, StopsAtItsBoundsAndLosesNothing) {
  std::string text;
  for (std::size_t i = 0; i < 2 * kBatchLinesMax + 5; ++i) text += std::to_string(i) + "\n";
  text += std::string(kBatchBytesMax - 10, 'x') + "\n" + std::string(kBatchBytesMax + 10, 'y') +
          "\nz\n";
  Pieces pieces{text, text.size()};
  BatchReader reader(LineReader(pieces.source(), limits::kMessageBodyBytesMax));
  std::string back;
  while (true) {
    const auto batch = reader.next();
    ASSERT_TRUE(batch.has_value());
    EXPECT_LE(batch->lines.size(), kBatchLinesMax);
    std::size_t bytes = 0;
    for (const std::string& line : batch->lines) {
      back += line + "\n";
      bytes += line.size();
    }
    EXPECT_TRUE(bytes <= kBatchBytesMax || batch->lines.size() == 1);
    if (batch->is_last) break;
  }
  EXPECT_EQ(back, text);
}

TEST(EncodeProperties, TakesTagKeysAndProperties) {
  MessageOptions options;
  options.tag = "red";
  options.keys = {"k1", "k2"};
  options.properties = {"city=Bern", "formula=a=b"};
  const auto encoded = encode_properties(options);
  ASSERT_TRUE(encoded.has_value());
  EXPECT_EQ(model::find_property(*encoded, "TAGS"), "red");
  EXPECT_EQ(model::find_property(*encoded, "KEYS"), "k1 k2");
  EXPECT_EQ(model::find_property(*encoded, "formula"), "a=b");
}

TEST(EncodeProperties, RefusesWhatCannotBeAProperty) {
  for (const char* text : {"city", "=v", "n=", "TAGS=x", "UNIQ_KEY=1", "n=\x01"}) {
    MessageOptions options;
    options.properties = {text};
    EXPECT_FALSE(encode_properties(options).has_value()) << text;
  }
}

TEST(ToSend, GivesEveryLineAKeyOfItsOwn) {
  const model::Send send = to_send("t", "n\x01v\x02", {"a", "b", ""}, system_environment());
  ASSERT_EQ(send.messages.size(), 3U);
  EXPECT_TRUE(send.is_batch);
  EXPECT_EQ(as_text(send.messages[1].body), "b");
  std::set<std::string_view> keys;
  for (const model::NewMessage& message : send.messages) {
    EXPECT_EQ(model::find_property(message.properties, "n"), "v");
    keys.insert(model::find_property(message.properties, "UNIQ_KEY").value_or(""));
  }
  EXPECT_EQ(keys.size(), 3U);
  EXPECT_FALSE(to_send("t", "", {"a"}, system_environment()).is_batch);
}

TEST(Deal, GivesLinesToAllHandsInTurn) {
  using Hands = std::vector<std::vector<std::string>>;
  EXPECT_EQ(deal({"a", "b", "c", "d", "e"}, 3, 2), (Hands{{"b", "e"}, {"c"}, {"a", "d"}}));
  EXPECT_EQ(deal({"a", "b"}, 1, 0), (Hands{{"a", "b"}}));
  EXPECT_EQ(deal({}, 2, 1), (Hands{{}, {}}));
}

TEST(EncodeProperties, RefusesKeysThatReadersWouldSplit) {
  for (const char* key : {"a b", "", " "}) {
    MessageOptions options;
    options.keys = {"whole", key};
    const auto encoded = encode_properties(options);
    ASSERT_FALSE(encoded.has_value()) << key;
    EXPECT_EQ(encoded.error().code, Errc::invalid_argument);
    EXPECT_NE(encoded.error().text.find("repeat --key"), std::string::npos);
  }
}

}  // namespace
}  // namespace sluice::cli
