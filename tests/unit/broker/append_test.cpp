#include "broker/append/append.hpp"

#include <gtest/gtest.h>

#include "broker/metadata/records.hpp"
#include "common/base/limits.hpp"
#include "common/model/filter.hpp"
#include "common/model/stored_message.hpp"

namespace sluice::broker {

namespace {

/// A plan, and the send that it views.
struct Plan {
  std::unique_ptr<model::Send> send = std::make_unique<model::Send>();
  std::vector<PlannedSend> planned;
};

Plan planned_with(std::string_view properties, std::size_t messages = 1) {
  TopicRecord record;
  record.number.value = 7;
  record.config.name = "orders";
  record.logs.push_back({storage::LogId{30}, 4});
  Plan plan;
  for (std::size_t i = 0; i < messages; ++i) {
    plan.send->messages.push_back({as_bytes("body"), properties, 5});
  }
  plan.send->is_batch = messages > 1;
  PlannedSend& planned = plan.planned.emplace_back();
  planned.topic = std::make_shared<const Topic>(std::move(record), std::make_shared<WaiterCount>());
  planned.queue = 2;
  planned.send = plan.send.get();
  planned.keys = examine_messages(*plan.send).value();
  if (plan.send->is_batch) return plan;
  planned.unique_key = planned.keys[0].unique_key;
  planned.is_unique_key_made = planned.unique_key.empty();
  if (planned.is_unique_key_made) planned.unique_key = "SPARE";
  return plan;
}

const storage::NewRecord& record_of(const storage::WriteBatch& batch, std::size_t index) {
  return std::get<storage::WriteBatch::Append>(batch.operations()[index]).record;
}

storage::WriteBatch batch_of(const Plan& plan, const AppendSettings& settings = {}) {
  return build_batch(plan.planned, settings);
}

TEST(Append, PutsAMessageIntoTheLogOfItsQueue) {
  const auto batch = batch_of(planned_with(""));
  ASSERT_EQ(batch.operations().size(), 1U);
  EXPECT_EQ(record_of(batch, 0).logs[0], storage::LogId{32});
}

TEST(Append, IndexesTheUniqueKeyAndEveryKey) {
  const auto batch =
      batch_of(planned_with("UNIQ_KEY\x01"
                            "U1\x02"
                            "KEYS\x01"
                            "k1  k2\x02"));
  const auto& found = record_of(batch, 0).index_keys;
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0], keys::index({7}, "U1"));
  EXPECT_EQ(found[1], keys::index({7}, "k1"));
  EXPECT_EQ(found[2], keys::index({7}, "k2"));
}

TEST(Append, StoresAMessageWhoseKeysAreTooLongForTheIndexWithoutThem) {
  const std::string longest(limits::kKeyBytesMax - 4, 'k');
  const auto fits = batch_of(planned_with("UNIQ_KEY\x01" + longest + "\x02"));
  EXPECT_EQ(record_of(fits, 0).index_keys.size(), 1U);
  const std::string properties =
      "UNIQ_KEY\x01" + longest + "u\x02KEYS\x01" + longest + "k short\x02";
  const auto too_long = batch_of(planned_with(properties));
  const auto& found = record_of(too_long, 0).index_keys;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0], keys::index({7}, "short"));
}

TEST(Append, HashesTheTagAsJavaDoes) {
  const auto batch = batch_of(planned_with("TAGS\x01TagA"));
  EXPECT_EQ(record_of(batch, 0).tag_hash, 2598919U);  // "TagA".hashCode()
}

TEST(Append, LeavesThePropertiesOfABatchAsTheyAre) {
  AppendSettings settings;
  settings.broker_properties = "MSG_REGION\x01r\x02";
  const auto batch = batch_of(planned_with("A\x01"
                                           "b",
                                           2),
                              settings);
  const auto view = model::StoredMessageView::parse(record_of(batch, 1).payload.bytes()).value();
  EXPECT_EQ(view.properties(),
            "A\x01"
            "b");
}

TEST(Append, SeparatesWhatItAddsFromPropertiesWithoutAnEnd) {
  AppendSettings settings;
  settings.broker_properties = "R\x01r\x02";
  const auto batch = batch_of(planned_with("UNIQ_KEY\x01u"), settings);
  const auto view = model::StoredMessageView::parse(record_of(batch, 0).payload.bytes()).value();
  EXPECT_EQ(view.properties(), "UNIQ_KEY\x01u\x02R\x01r\x02");
  EXPECT_EQ(view.flag(), 5);
  EXPECT_EQ(view.queue(), 2);
  EXPECT_EQ(as_text(view.body()), "body");
}

TEST(Append, RefusesPropertiesThatWouldNotFitWithWhatTheBrokerAdds) {
  model::Send send;
  const std::string properties(limits::kPropertiesBytesMax, 'p');
  send.messages.push_back({as_bytes("b"), properties, 0});
  EXPECT_EQ(examine_messages(send).error().code, Errc::message_illegal);
}

TEST(Append, RefusesAnEmptyBatch) {
  EXPECT_EQ(examine_messages(model::Send{}).error().code, Errc::message_illegal);
}

TEST(TopicRecord, ReadsBackWhatItWrote) {
  TopicRecord record;
  record.number.value = 9;
  record.config.name = "orders";
  record.config.read_queues = 3;
  record.config.is_ordered = true;
  record.config.attributes["message.type"] = "FIFO";
  record.logs = {{storage::LogId{5}, 2}, {storage::LogId{90}, 1}};
  const auto read = decode_topic("orders", encode(record)).value();
  EXPECT_EQ(read.config, record.config);
  EXPECT_EQ(read.number, record.number);
  ASSERT_EQ(read.logs.size(), 2U);
  EXPECT_EQ(read.logs[1].first, storage::LogId{90});
}

TEST(TopicRecord, RefusesEveryPrefixOfItself) {
  TopicRecord record;
  record.logs = {{storage::LogId{5}, 2}};
  const Bytes whole = encode(record);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(decode_topic("t", whole.substr(0, size))) << size;
  }
}

}  // namespace

}  // namespace sluice::broker
