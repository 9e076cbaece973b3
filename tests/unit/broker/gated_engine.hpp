#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "common/runtime/one_shot.hpp"
#include "storage-plugins/spi/storage_engine.hpp"

namespace sluice::broker {

/// An engine whose commits wait or fail where a test says so, so that two calls meet at one point.
class GatedEngine final : public storage::StorageEngine {
 public:
  enum class Verdict : std::uint8_t {
    pass,
    hold,  ///< Reaches the engine after release() only.
    fail   ///< io_error, and nothing was changed.
  };
  using Judge = std::function<Verdict(const storage::WriteBatch&)>;

  explicit GatedEngine(std::unique_ptr<storage::StorageEngine> engine)
      : engine_(std::move(engine)) {}

  /// `judge` is asked of every commit from now on; empty: all pass. Any thread.
  void judge_by(Judge judge) {
    const std::lock_guard lock(mutex_);
    judge_ = std::move(judge);
  }

  /// Runs before position_at() answers what it found. Not while calls are under way.
  void after_position_at(std::function<Task<>()> action) { after_position_at_ = std::move(action); }

  [[nodiscard]] std::size_t held() const {
    const std::lock_guard lock(mutex_);
    return held_.size();
  }

  /// Lets all pass that are held, and all that come.
  void release() {
    std::vector<UniqueFunction<void(bool)>> held;
    {
      const std::lock_guard lock(mutex_);
      judge_ = {};
      held.swap(held_);
    }
    for (auto& resume : held) resume(true);
  }

  Task<storage::CommitReceipt> commit(storage::WriteBatch batch,
                                      storage::Durability durability) override {
    const Verdict verdict = verdict_on(batch);
    if (verdict == Verdict::fail) co_return fail(Errc::io_error, "as the test wants it");
    if (verdict == Verdict::hold) {
      auto start = [this](UniqueFunction<void(bool)> resume) {
        const std::lock_guard lock(mutex_);
        held_.push_back(std::move(resume));
      };
      co_await wait_for_completion<bool>(start);
    }
    auto receipt = co_await engine_->commit(std::move(batch), durability);
    co_return receipt;
  }

  Task<std::optional<storage::Position>> position_at(UnixMillis time) override {
    auto position = co_await engine_->position_at(time);
    if (after_position_at_) co_await after_position_at_();
    co_return position;
  }

  Task<storage::ReadResult> read(storage::LogId log, storage::Offset from,
                                 storage::ReadLimits limits,
                                 std::vector<std::uint64_t> tag_hashes) override {
    return engine_->read(log, from, limits, std::move(tag_hashes));
  }
  Task<storage::Record> read_at(storage::Position position) override {
    return engine_->read_at(position);
  }
  Task<storage::LogBounds> bounds(storage::LogId log) override { return engine_->bounds(log); }
  Task<storage::Offset> offset_at(storage::LogId log, UnixMillis time) override {
    return engine_->offset_at(log, time);
  }
  Task<std::optional<storage::Position>> position_to_free(std::uint64_t bytes) override {
    return engine_->position_to_free(bytes);
  }
  Task<std::vector<storage::Position>> find(Bytes index_key, UnixMillis first, UnixMillis last,
                                            std::uint32_t positions_max,
                                            std::optional<storage::Position> before) override {
    return engine_->find(std::move(index_key), first, last, positions_max, before);
  }
  [[nodiscard]] storage::Sequence sequence() const override { return engine_->sequence(); }
  Task<std::optional<Bytes>> get(Bytes key) override { return engine_->get(std::move(key)); }
  Task<std::vector<storage::KeyValue>> scan(Bytes first, Bytes last,
                                            std::uint32_t entries_max) override {
    return engine_->scan(std::move(first), std::move(last), entries_max);
  }
  Task<storage::Usage> usage() override { return engine_->usage(); }
  Task<> rewind(storage::Sequence last_kept) override { return engine_->rewind(last_kept); }
  Task<std::unique_ptr<storage::ReadView>> snapshot() override { return engine_->snapshot(); }
  Task<> checkpoint(std::filesystem::path directory) override {
    return engine_->checkpoint(std::move(directory));
  }
  Task<> close() override { return engine_->close(); }

 private:
  [[nodiscard]] Verdict verdict_on(const storage::WriteBatch& batch) const {
    const std::lock_guard lock(mutex_);
    return judge_ ? judge_(batch) : Verdict::pass;
  }

  std::unique_ptr<storage::StorageEngine> engine_;
  std::function<Task<>()> after_position_at_;
  mutable std::mutex mutex_;
  Judge judge_;
  std::vector<UniqueFunction<void(bool)>> held_;
};

}  // namespace sluice::broker
