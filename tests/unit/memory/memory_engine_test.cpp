#include <gtest/gtest.h>

#include <string>

#include "storage-plugins/memory/plugin.hpp"
#include "storage-plugins/memory/state.hpp"
#include "tests/support/manual_environment.hpp"
#include "tests/support/printers.hpp"
#include "tests/support/run_task.hpp"

// The contract itself is tested by tests/conformance; here is what only this engine does.

namespace sluice::memory_engine {
namespace {

using storage::LogId;
using storage::Position;
using storage::WriteBatch;

class MemoryEngineTest : public testing::Test {
 protected:
  storage::EngineOptions options() {
    return {.data_directory = {},
            .settings = {},
            .runtime = &runtime.get(),
            .positions = &positions,
            .disk = nullptr};
  }

  test::ManualEnvironment clock;
  storage::PositionCounter positions{0};
  test::TestRuntime runtime{{.environment = &clock}};
  std::unique_ptr<storage::StoragePlugin> plugin = make_plugin();
};

TEST_F(MemoryEngineTest, IsSelectedByItsName) {
  EXPECT_EQ(plugin->name(), "memory");
}

TEST_F(MemoryEngineTest, NeedsNoDirectoryAndNoDisk) {
  const auto engine = test::run(*runtime, plugin->open(options()));
  ASSERT_TRUE(engine);
  EXPECT_EQ(test::run(*runtime, (*engine)->usage())->disk_bytes, 0U);
  EXPECT_TRUE(test::run(*runtime, (*engine)->close()));
}

TEST_F(MemoryEngineTest, HasNoSettings) {
  auto with_setting = options();
  with_setting.settings["size"] = "1";
  const auto engine = test::run(*runtime, plugin->open(with_setting));
  ASSERT_EQ(test::error_of(engine), Errc::invalid_argument);
  EXPECT_NE(engine.error().text.find("'size'"), std::string::npos);
}

TEST_F(MemoryEngineTest, ForgetsEverythingWhenItIsClosed) {
  const auto first = test::run(*runtime, plugin->open(options()));
  WriteBatch batch;
  batch.put("k", "v");
  ASSERT_TRUE(test::run(*runtime, (*first)->commit(batch, storage::Durability::synced)));
  ASSERT_TRUE(test::run(*runtime, (*first)->close()));
  const auto second = test::run(*runtime, plugin->open(options()));
  EXPECT_EQ(test::run(*runtime, (*second)->get("k")).value(), std::nullopt);
}

TEST(MemoryState, GivesTheSmallestPositionThatFreesAsManyPayloadBytes) {
  State state;
  storage::PositionCounter positions(0);
  for (const std::size_t size : {10U, 0U, 20U, 30U}) {
    storage::NewRecord record;
    record.logs = {LogId{1}};
    record.payload = Slice::copy_of(std::string(size, 'x'));
    WriteBatch batch;
    batch.append(record);
    ASSERT_TRUE(state.apply(batch, UnixMillis{1}, positions));
  }
  EXPECT_EQ(state.position_to_free(1), Position{2});
  EXPECT_EQ(state.position_to_free(10), Position{2});
  EXPECT_EQ(state.position_to_free(11), Position{4});
  EXPECT_EQ(state.position_to_free(60), Position{5});
  EXPECT_EQ(state.position_to_free(61), std::nullopt);
}

TEST(MemoryState, IsAValueThatCanBeCopied) {
  State state;
  storage::PositionCounter positions(0);
  WriteBatch batch;
  batch.put("k", "1");
  ASSERT_TRUE(state.apply(batch, UnixMillis{1}, positions));
  const State before = state;
  batch.clear();
  batch.put("k", "2");
  ASSERT_TRUE(state.apply(batch, UnixMillis{1}, positions));
  EXPECT_EQ(before.get("k"), "1");
  EXPECT_EQ(state.get("k"), "2");
}

}  // namespace
}  // namespace sluice::memory_engine
