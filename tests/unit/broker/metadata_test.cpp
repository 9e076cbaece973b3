#include "broker/metadata/metadata.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/metrics.hpp"
#include "storage-plugins/memory/plugin.hpp"
#include "tests/support/run_task.hpp"

namespace sluice::broker {

namespace {

std::uint64_t refused(std::string_view kind) {
  return metrics::counter("sluice_" + std::string(kind) + "_refused_total", "", "").value();
}

/// The topics and groups of a broker that may have two of each.
class MetadataTest : public testing::Test {
 protected:
  MetadataTest() {
    storage::EngineOptions options;
    options.runtime = &*runtime_;
    options.positions = &positions_;
    options.disk = &runtime_->disk();
    engine_ = test::run(*runtime_, plugin_->open(options)).value();
    metadata_ = std::make_unique<Metadata>(*engine_, runtime_->environment(),
                                           MetadataBounds{.topics_max = 2, .groups_max = 2});
    EXPECT_TRUE(test::run(*runtime_, metadata_->load()));
  }
  ~MetadataTest() override { EXPECT_TRUE(test::run(*runtime_, engine_->close())); }

  Result<TopicPtr> put_topic(std::string name) {
    model::CreateTopic create;
    create.config.name = std::move(name);
    return test::run(*runtime_, metadata_->put_topic(std::move(create)));
  }

  Result<GroupPtr> ensure_group(std::string name) {
    return test::run(*runtime_, metadata_->ensure_group(std::move(name)));
  }

  test::TestRuntime runtime_;
  storage::PositionCounter positions_{0};
  std::unique_ptr<storage::StoragePlugin> plugin_ = memory_engine::make_plugin();
  std::unique_ptr<storage::StorageEngine> engine_;
  std::unique_ptr<Metadata> metadata_;
};

TEST_F(MetadataTest, RefusesAndCountsATopicOverTheBound) {
  const std::uint64_t before = refused("topics");
  ASSERT_TRUE(put_topic("a"));
  ASSERT_TRUE(put_topic("b"));
  EXPECT_EQ(put_topic("c").error().code, Errc::quota_exceeded);
  EXPECT_EQ(metadata_->find_topic("c"), nullptr);
  EXPECT_EQ(refused("topics") - before, 1U);

  EXPECT_TRUE(put_topic("b"));  // One that is there may be changed.
  ASSERT_TRUE(test::run(*runtime_, metadata_->delete_topic("a")));
  EXPECT_TRUE(put_topic("c"));
  EXPECT_EQ(refused("topics") - before, 1U);
}

TEST_F(MetadataTest, RefusesAndCountsAGroupOverTheBound) {
  const std::uint64_t before = refused("groups");
  ASSERT_TRUE(ensure_group("a"));
  ASSERT_TRUE(ensure_group("b"));
  EXPECT_EQ(ensure_group("c").error().code, Errc::quota_exceeded);
  EXPECT_EQ(metadata_->find_group("c"), nullptr);
  EXPECT_EQ(refused("groups") - before, 1U);
  EXPECT_TRUE(ensure_group("b"));
}

TEST_F(MetadataTest, PutsGroupsWithinTheBoundOrNone) {
  std::vector<model::GroupConfig> three(3);
  for (std::size_t i = 0; i < three.size(); ++i) three[i].name = "g" + std::to_string(i);
  EXPECT_EQ(test::run(*runtime_, metadata_->put_groups(three)).error().code, Errc::quota_exceeded);
  EXPECT_TRUE(metadata_->groups().empty());
  three.pop_back();
  ASSERT_TRUE(test::run(*runtime_, metadata_->put_groups(three)));
  ASSERT_TRUE(test::run(*runtime_, metadata_->put_groups(three))) << "those that are there";
  EXPECT_EQ(metadata_->groups().size(), 2U);
}

TEST_F(MetadataTest, KeepsGroupsAsTheyWerePut) {
  model::GroupConfig group;
  group.name = "g";
  group.may_broadcast = false;
  group.retry_max = -1;
  group.retry_policy = R"({"type":"EXPONENTIAL"})";
  group.attributes = {{"a", "b"}};
  ASSERT_TRUE(test::run(*runtime_, metadata_->put_groups({group})));
  const model::DataVersion before = metadata_->group_version();
  Metadata reopened(*engine_, runtime_->environment());
  ASSERT_TRUE(test::run(*runtime_, reopened.load()));
  ASSERT_TRUE(reopened.find_group("g"));
  EXPECT_EQ(*reopened.find_group("g"), group);
  ASSERT_TRUE(test::run(*runtime_, metadata_->delete_group("g")));
  ASSERT_TRUE(test::run(*runtime_, metadata_->delete_group("g")));
  EXPECT_GT(metadata_->group_version().counter, before.counter);
  EXPECT_FALSE(metadata_->find_group("g"));
}

TEST_F(MetadataTest, FindsATopicByItsNumberUntilItIsDeleted) {
  const auto topic = put_topic("a");
  ASSERT_TRUE(topic);
  EXPECT_EQ(metadata_->find_topic((*topic)->number()), *topic);
  ASSERT_TRUE(test::run(*runtime_, metadata_->delete_topic("a")));
  EXPECT_FALSE(metadata_->find_topic((*topic)->number()));
}

}  // namespace

}  // namespace sluice::broker
