#include "storage-plugins/append-log/engine.hpp"

#include <utility>

#include "common/runtime/one_shot.hpp"
#include "storage-plugins/append-log/search.hpp"
#include "storage-plugins/spi/batch_check.hpp"

namespace sluice::append_log {

using storage::CommitReceipt;
using storage::LogBounds;
using storage::LogId;
using storage::Offset;
using storage::Position;
using storage::ReadResult;
using storage::Record;
using storage::WriteBatch;

namespace {

struct Done {};

/// Starts `work` on a worker, or on a strand of workers, and completes when it has run.
template <class Post, class Work>
[[nodiscard]] boost::asio::awaitable<Done, Executor> run_on(Post post, Work* work) {
  struct Start {
    Post post;
    Work* work;

    void operator()(UniqueFunction<void(Done)> complete) {
      auto shared = std::make_shared<UniqueFunction<void(Done)>>(std::move(complete));
      post([run = work, shared] {
        (*run)();
        // The coroutine may be gone before this lambda is.
        auto finish = std::move(*shared);
        finish(Done{});
      });
    }
  };
  return wait_for_completion<Done>(Start{std::move(post), work});
}

/// Asks on the loop first, and on a worker if that would block.
template <class T, class Look>
Task<T> look_up(std::shared_ptr<Core> core, Look look) {
  Lookup<T> found = look(ReadMode::cached);
  if (found && !*found) {
    auto on_worker = [&found, &look, &core] {
      // Each damaged index that is met is made anew, and the question asked again.
      std::uint64_t rebuilds = 0;
      do {
        rebuilds = core->store.index_rebuilds;
        found = look(ReadMode::blocking);
      } while (!found && core->store.index_rebuilds != rebuilds);
    };
    auto post = [&core](std::function<void()> work) {
      core->store.runtime.run_blocking(std::move(work));
    };
    const auto done = co_await run_on(post, &on_worker);
    static_cast<void>(done);
  }
  SLUICE_CO_TRY(found);
  SLUICE_ASSERT(found->has_value(), "a worker may block");
  co_return **std::move(found);
}

/// What commit() needs to know of a batch.
void describe_batch(PendingCommit& pending) {
  pending.frame_bytes = frame_bytes_of(pending.batch);
  pending.only_forgets = true;
  for (const auto& operation : pending.batch.operations()) {
    const bool forgets = std::holds_alternative<WriteBatch::TruncateBefore>(operation) ||
                         std::holds_alternative<WriteBatch::DropBefore>(operation) ||
                         std::holds_alternative<WriteBatch::DropLog>(operation);
    const bool changes = !std::holds_alternative<WriteBatch::Expect>(operation);
    if (std::holds_alternative<WriteBatch::Append>(operation)) pending.appends = true;
    if (forgets) pending.forgets = true;
    if (changes && !forgets) pending.only_forgets = false;
  }
}

struct Enqueue {
  Writer* writer;
  PendingCommit* pending;

  void operator()(UniqueFunction<void(CommitDone)> complete) const {
    pending->complete = std::move(complete);
    writer->enqueue(*pending);
  }
};

struct WaitForIdle {
  Writer* writer;

  void operator()(UniqueFunction<void(CommitDone)> complete) const {
    writer->when_idle(std::move(complete));
  }
};

}  // namespace

// --- life ----------------------------------------------------------------------------------------

Core::Core(storage::EngineOptions options, const Settings& settings)
    : store(std::move(options), settings),
      upkeep(store),
      writer(store, {.on_sealed = [this] { upkeep.schedule(); },
                     .on_forgotten = [this] { upkeep.schedule(); }}),
      reader(store),
      accounting(store) {}

Result<std::shared_ptr<Core>> Core::open(storage::EngineOptions options, const Settings& settings) {
  auto core = std::make_shared<Core>(std::move(options), settings);
  core->writer.keep_alive_with(core);
  core->upkeep.keep_alive_with(core);
  auto end = Recovery(core->store).run();
  SLUICE_TRY(end);
  core->writer.start(std::move(end->open), end->chain, end->next_number);
  return core;
}

void Core::stop() {
  store.preparation.stop();
  store.upkeep.stop();
  store.syncer.stop();
  store.lock_file.reset();
}

Task<> AppendLogEngine::close() {
  const auto core = core_;
  const WaitForIdle wait_for_idle{&core->writer};
  const auto idle = co_await wait_for_completion<CommitDone>(wait_for_idle);
  static_cast<void>(idle);
  auto nothing = [] {};
  auto on_preparation = [&core](std::function<void()> work) {
    core->store.preparation.post(std::move(work));
  };
  auto done = co_await run_on(on_preparation, &nothing);
  Result<> finished;
  auto finish = [&core, &finished] { finished = core->upkeep.finish(); };
  auto on_upkeep = [&core](std::function<void()> work) {
    core->store.upkeep.post(std::move(work));
  };
  done = co_await run_on(on_upkeep, &finish);
  auto stop = [&core] { core->stop(); };
  auto on_worker = [&core](std::function<void()> work) {
    core->store.runtime.run_blocking(std::move(work));
  };
  done = co_await run_on(on_worker, &stop);
  static_cast<void>(done);
  co_return finished;
}

// --- writing -------------------------------------------------------------------------------------

Task<CommitReceipt> AppendLogEngine::commit(WriteBatch batch, storage::Durability durability) {
  SLUICE_CO_TRY(check_batch(batch));
  const Executor executor = co_await boost::asio::this_coro::executor;
  PendingCommit pending;
  pending.batch = std::move(batch);
  pending.durability = durability;
  pending.loop = core_->store.loops.index_of(executor);
  describe_batch(pending);
  SLUICE_CO_TRY(core_->writer.reserve(pending.frame_bytes));
  const Enqueue enqueue{.writer = &core_->writer, .pending = &pending};
  const auto done = co_await wait_for_completion<CommitDone>(enqueue);
  static_cast<void>(done);
  co_return std::move(pending.result);
}

Task<> AppendLogEngine::rewind(storage::Sequence /*last_kept*/) {
  co_return fail(Errc::unsupported, "rewind() is not built yet");
}

Task<std::unique_ptr<storage::ReadView>> AppendLogEngine::snapshot() {
  co_return fail(Errc::unsupported, "snapshot() is not built yet");
}

Task<> AppendLogEngine::checkpoint(std::filesystem::path /*directory*/) {
  co_return fail(Errc::unsupported, "checkpoint() is not built yet");
}

// --- reading -------------------------------------------------------------------------------------

Task<ReadResult> AppendLogEngine::read(LogId log, Offset from, storage::ReadLimits limits,
                                       std::vector<std::uint64_t> tag_hashes) {
  auto look = [reader = &core_->reader, log, from, limits, tags = std::move(tag_hashes)](
                  ReadMode mode) { return reader->read(log, from, limits, tags, mode); };
  return look_up<ReadResult>(core_, std::move(look));
}

Task<Record> AppendLogEngine::read_at(Position position) {
  auto look = [reader = &core_->reader, position](ReadMode mode) {
    return reader->read_at(position, mode);
  };
  return look_up<Record>(core_, look);
}

Task<LogBounds> AppendLogEngine::bounds(LogId log) {
  auto look = [reader = &core_->reader, log](ReadMode mode) { return reader->bounds(log, mode); };
  return look_up<LogBounds>(core_, look);
}

Task<Offset> AppendLogEngine::offset_at(LogId log, UnixMillis time) {
  auto look = [reader = &core_->reader, log, time](ReadMode mode) {
    return reader->offset_at(log, time, mode);
  };
  return look_up<Offset>(core_, look);
}

Task<std::optional<Position>> AppendLogEngine::position_at(UnixMillis time) {
  auto look = [reader = &core_->reader, time](ReadMode mode) {
    return reader->position_at(time, mode);
  };
  return look_up<std::optional<Position>>(core_, look);
}

Task<std::optional<Position>> AppendLogEngine::position_to_free(std::uint64_t bytes) {
  co_return core_->accounting.position_to_free(bytes);
}

Task<std::vector<Position>> AppendLogEngine::find(Bytes index_key, UnixMillis first,
                                                  UnixMillis last, std::uint32_t positions_max,
                                                  std::optional<Position> before) {
  KeyQuery query{.key = std::move(index_key),
                 .first = first,
                 .last = last,
                 .positions_max = positions_max,
                 .before = before};
  auto look = [store = &core_->store, asked = std::move(query)](ReadMode mode) {
    return find_records(*store, asked, mode);
  };
  return look_up<std::vector<Position>>(core_, std::move(look));
}

storage::Sequence AppendLogEngine::sequence() const {
  const std::lock_guard lock(core_->store.mutex);
  return core_->store.state.sequence();
}

Task<std::optional<Bytes>> AppendLogEngine::get(Bytes key) {
  const std::lock_guard lock(core_->store.mutex);
  const Bytes* const value = core_->store.state.keys().get(key);
  co_return value == nullptr ? std::nullopt : std::optional(*value);
}

Task<std::vector<storage::KeyValue>> AppendLogEngine::scan(Bytes first, Bytes last,
                                                           std::uint32_t entries_max) {
  const std::lock_guard lock(core_->store.mutex);
  co_return core_->store.state.keys().scan(first, last, entries_max);
}

Task<storage::Usage> AppendLogEngine::usage() {
  auto look = [accounting = &core_->accounting](ReadMode mode) { return accounting->usage(mode); };
  return look_up<storage::Usage>(core_, look);
}

}  // namespace sluice::append_log
