#include "storage-plugins/append-log/writer.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "common/base/limits.hpp"
#include "common/base/log.hpp"
#include "storage-plugins/append-log/bounds.hpp"

namespace sluice::append_log {

Writer::Writer(Store& store, Callbacks callbacks)
    : store_(store),
      callbacks_(std::move(callbacks)),
      loops_(store.loops.count()),
      encoder_(store) {}

void Writer::start(OpenSegment segment, Chain chain, std::uint64_t next_number) {
  open_ = std::move(segment);
  chain_ = chain;
  next_number_ = next_number;
}

// --- queues --------------------------------------------------------------------------------------

Result<> Writer::reserve(std::size_t frame_bytes) {
  const std::size_t before = waiting_bytes_.fetch_add(frame_bytes, std::memory_order_relaxed);
  if (before + frame_bytes <= limits::kPendingCommitBytesMax) return {};
  waiting_bytes_.fetch_sub(frame_bytes, std::memory_order_relaxed);
  store_.metrics.commits_refused.add();
  return fail(Errc::quota_exceeded,
              "commits of " + std::to_string(before) + " bytes wait to be written; try again");
}

void Writer::enqueue(PendingCommit& commit) {
  const std::uint32_t loop = commit.loop;
  LoopQueue& mine = loops_[loop];
  mine.commits.push_back(commit);
  if (std::exchange(mine.is_flush_posted, true)) return;
  boost::asio::post(store_.loops.executor(loop),
                    [this, owner = owner_.lock(), loop] { flush(loop); });
}

void Writer::flush(std::uint32_t loop) {
  LoopQueue& mine = loops_[loop];
  mine.is_flush_posted = false;
  {
    const std::lock_guard lock(queue_mutex_);
    queue_.splice(std::move(mine.commits));
    if (std::exchange(has_leader_, true)) return;
  }
  lead(loop);
}

void Writer::lead(std::uint32_t loop) {
  if (!std::exchange(has_begun_, true)) {
    // Not sooner: a store that nobody writes to is left as it was found.
    prepare(next_number_, 0);
    callbacks_.on_sealed();
  }
  for (std::size_t rounds = 0; take_queue(); ++rounds) {
    if (rounds == kRoundsPerTurn) {
      resume(loop);
      return;
    }
    if (run_round(loop) == Step::parked) return;
  }
}

bool Writer::take_queue() {
  if (!todo_.empty()) return true;
  UniqueFunction<void(CommitDone)> idle;
  {
    const std::lock_guard lock(queue_mutex_);
    if (!queue_.empty()) {
      todo_.splice(std::move(queue_));
      segment_error_.reset();
      return true;
    }
    has_leader_ = false;
    idle = std::exchange(idle_waiter_, {});
  }
  if (idle) idle(CommitDone{});
  return false;
}

void Writer::when_idle(UniqueFunction<void(CommitDone)> idle) {
  {
    const std::lock_guard lock(queue_mutex_);
    if (has_leader_) {
      idle_waiter_ = std::move(idle);
      return;
    }
  }
  idle(CommitDone{});
}

void Writer::resume(std::uint32_t loop) {
  boost::asio::post(store_.loops.executor(loop),
                    [this, owner = owner_.lock(), loop] { lead(loop); });
}

// --- one round -----------------------------------------------------------------------------------

Writer::Step Writer::run_round(std::uint32_t loop) {
  const Chain chain_before = chain_;
  encode_round();
  if (!round_.frames.empty()) {
    const auto written = write_round();
    if (!written) {
      fail_round(loop, written.error(), chain_before);
      return Step::parked;
    }
    publish();
  }
  const std::uint64_t needs_room = round_.needs_room;
  complete_round(loop);
  if (needs_room == 0) return Step::done;
  return next_segment(loop, needs_room);
}

void Writer::encode_round() {
  round_.frames.clear();
  round_.needs_room = 0;
  round_.begin = open_.is_header_written ? open_.at : 0;
  round_.end = round_.begin;
  encoder_.begin_round(chain_);
  while (!todo_.empty()) {
    PendingCommit& commit = *todo_.front();
    if (!admit(commit)) {
      round_.refused.push_back(todo_.pop_front());
      continue;
    }
    if (!has_room(commit)) return;
    if (!ensure_block(commit.frame_bytes)) return;
    const auto memory = block_->memory().subspan(open_.at - block_->file_begin());
    const FrameHeader header = encoder_.encode(commit, memory, open_.header, chain_);
    round_.frames.push_back({.at = open_.at, .header = header});
    open_.at += header.frame_bytes;
    round_.end = open_.at;
    round_.written.push_back(todo_.pop_front());
  }
}

bool Writer::admit(PendingCommit& commit) {
  if (store_.syncer.has_failed()) {
    commit.result = fail(*store_.syncer.failure());
    return false;
  }
  auto checked = encoder_.check(commit);
  if (checked) return true;
  commit.result = fail(std::move(checked).error());
  return false;
}

bool Writer::has_room(const PendingCommit& commit) {
  if (!open_.segment) {
    round_.needs_room = commit.frame_bytes;
    return false;
  }
  const std::uint64_t file_bytes = open_.segment->file_bytes;
  std::uint64_t limit = file_bytes;
  const std::uint64_t reserve = std::min(file_bytes / kReserveShare, kReserveBytesMax);
  const std::uint64_t end = open_.at + commit.frame_bytes;
  const bool is_in_reserve = !commit.only_forgets && end > limit - reserve;
  const bool is_first = open_.at == kSegmentHeaderBytes;
  if (is_in_reserve && !is_first && !is_segment_ready()) limit -= reserve;
  if (end <= limit) return true;
  round_.needs_room = commit.frame_bytes;
  return false;
}

/// False: what is in the block must be written first.
bool Writer::ensure_block(std::size_t frame_bytes) {
  if (block_ && block_->has_room(open_.at, frame_bytes)) return true;
  if (!round_.frames.empty()) return false;
  const std::uint64_t begin = round_.begin;
  block_ = store_.blocks->make(open_.header.number, begin, open_.at - begin + frame_bytes);
  is_block_published_ = false;
  if (!open_.is_header_written) {
    encode_segment_header(open_.header, block_->memory().first(kSegmentHeaderBytes));
  }
  return true;
}

Result<> Writer::write_round() {
  // Whole pages: the system need not read what was there before. What is behind the end is nothing
  // yet, or zeros.
  const std::uint64_t block_end = block_->file_begin() + block_->capacity();
  const std::uint64_t padded_end =
      std::min<std::uint64_t>(round_up(round_.end, kPageBytes), block_end);
  const auto memory = block_->memory();
  const std::size_t from = round_.begin - block_->file_begin();
  const std::size_t used = round_.end - block_->file_begin();
  const std::size_t to = padded_end - block_->file_begin();
  std::ranges::fill(memory.subspan(used, to - used), std::byte{0});
  return open_.file->write_at(round_.begin, memory.subspan(from, to - from));
}

void Writer::publish() {
  const bool begins_segment = !open_.is_header_written;
  bool has_forgotten = false;
  for (const PendingCommit* it = round_.written.front(); it != nullptr; it = it->next) {
    has_forgotten = has_forgotten || it->forgets;
  }
  encoder_.clear();
  // First, so that whoever syncs after it saw a commit makes that commit durable.
  store_.syncer.note_written(open_.file, chain_.last_sequence);
  {
    const std::lock_guard lock(store_.mutex);
    if (begins_segment) store_.state.begin_segment(open_.segment);
    if (!std::exchange(is_block_published_, true)) store_.tail.add(block_);
    block_->publish(round_.end);
    for (const Round::Frame& frame : round_.frames) {
      const BytesView bytes =
          block_->memory().subspan(frame.at - block_->file_begin(), frame.header.frame_bytes);
      store_.state.apply(bytes, frame.header, frame.at);
    }
  }
  open_.is_header_written = true;
  if (begins_segment) {
    prepare(next_number_, 0);
    callbacks_.on_sealed();
  }
  if (has_forgotten) callbacks_.on_forgotten();
}

void Writer::complete_round(std::uint32_t loop) {
  CommitList here;
  CommitList elsewhere;
  CommitList synced;
  std::size_t bytes = 0;
  const auto sort = [&](PendingCommit& commit) {
    (commit.loop == loop ? here : elsewhere).push_back(commit);
  };
  while (!round_.refused.empty()) {
    PendingCommit& commit = round_.refused.pop_front();
    bytes += commit.frame_bytes;
    sort(commit);
  }
  while (!round_.written.empty()) {
    PendingCommit& commit = round_.written.pop_front();
    bytes += commit.frame_bytes;
    const bool waits = commit.result && commit.durability == storage::Durability::synced;
    if (waits) {
      // Nobody looks at it any more, and a sync may take long.
      commit.batch = storage::WriteBatch{};
      synced.push_back(commit);
    } else {
      sort(commit);
    }
  }
  waiting_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  if (!elsewhere.empty()) store_.loops.complete(std::move(elsewhere));
  store_.syncer.add(std::move(synced));
  here.complete_all();
}

/// Nothing of the round is published. Its place is cleaned on a worker, so that a crash does not
/// bring it to life after it was answered with an error; then it is answered.
void Writer::fail_round(std::uint32_t loop, const Error& error, const Chain& chain_before) {
  round_.frames.clear();
  store_.metrics.write_errors.add();
  log::error("log: cannot write: {}", error.text);
  encoder_.clear();
  chain_ = chain_before;
  open_.at = open_.is_header_written ? round_.begin : kSegmentHeaderBytes;
  round_.written.fail_all(error);
  store_.preparation.post([this, owner = owner_.lock(), loop] {
    const auto cleaned = write_zeros(*open_.file, round_.begin, round_.end);
    store_.syncer.note_written(open_.file, chain_.last_sequence);
    const auto synced = cleaned ? store_.syncer.sync_now() : cleaned;
    if (!synced) store_.syncer.fence(synced.error());
    boost::asio::post(store_.loops.executor(loop), [this, owner, loop] {
      complete_round(loop);
      lead(loop);
    });
  });
}

// --- segments ------------------------------------------------------------------------------------

bool Writer::is_segment_ready() const {
  const std::lock_guard lock(queue_mutex_);
  return prepared_.has_value();
}

Writer::Step Writer::next_segment(std::uint32_t loop, std::uint64_t room) {
  if (segment_error_) {
    refuse_for_segment(*segment_error_);
    return Step::done;
  }
  give_back_unused_segment();
  std::optional<PreparedSegment> taken;
  std::optional<Error> error;
  const std::uint64_t file_bytes_min = kSegmentHeaderBytes + room;
  {
    const std::lock_guard lock(queue_mutex_);
    error = std::exchange(prepare_error_, std::nullopt);
    const bool is_large_enough = prepared_ && prepared_->file_bytes >= file_bytes_min;
    if (is_large_enough) taken = std::exchange(prepared_, std::nullopt);
    if (!taken && !error) parked_loop_ = loop;
  }
  if (taken) {
    open_segment(*std::move(taken));
    return Step::done;
  }
  if (error) {
    segment_error_ = error;
    return Step::done;
  }
  store_.metrics.segment_waits.add();
  prepare(next_number_, file_bytes_min);
  return Step::parked;
}

/// A segment that was opened and never written to: its first commit failed, and the next one is too
/// large for it. Its number must not be left out.
void Writer::give_back_unused_segment() {
  if (!open_.segment || open_.is_header_written) return;
  next_number_ = open_.header.number;
  chain_.last_crc = open_.header.previous_crc;
  open_ = {};
  block_ = nullptr;
}

void Writer::open_segment(PreparedSegment prepared) {
  auto segment = std::make_shared<Segment>();
  segment->number = prepared.number;
  segment->file_bytes = prepared.file_bytes;
  segment->index = std::make_shared<SegmentIndex>();
  const storage::Sequence first = chain_.last_sequence + 1;
  open_ = OpenSegment{.segment = segment,
                      .file = std::move(prepared.file),
                      .header = {.number = prepared.number,
                                 .previous_crc = chain_.last_crc,
                                 .first_sequence = first,
                                 .created_at = store_.environment().now(),
                                 .salt = static_cast<std::uint32_t>(store_.environment().random())},
                      .at = kSegmentHeaderBytes,
                      .is_header_written = false};
  block_ = store_.blocks->make(prepared.number, 0, 0);
  is_block_published_ = false;
  open_.header.crc =
      encode_segment_header(open_.header, block_->memory().first(kSegmentHeaderBytes));
  chain_.last_crc = open_.header.crc;
  segment->summary = {.first_sequence = first,
                      .last_sequence = chain_.last_sequence,
                      .end = kSegmentHeaderBytes,
                      .last_crc = open_.header.crc};
  next_number_ = prepared.number + 1;
}

/// The next commit cannot be written. Others may still fit.
void Writer::refuse_for_segment(const Error& error) {
  PendingCommit& commit = todo_.pop_front();
  commit.result = fail(error);
  waiting_bytes_.fetch_sub(commit.frame_bytes, std::memory_order_relaxed);
  CommitList refused;
  refused.push_back(commit);
  store_.loops.complete(std::move(refused));
}

void Writer::prepare(std::uint64_t number, std::uint64_t bytes_min) {
  {
    const std::lock_guard lock(queue_mutex_);
    if (is_preparing_) return;
    is_preparing_ = true;
    prepared_.reset();
  }
  store_.preparation.post([this, owner = owner_.lock(), number, bytes_min] {
    segment_prepared(store_.segments.prepare(number, bytes_min));
  });
}

/// Once when it begins and once when it is over: senders are told each time.
void Writer::report(const Result<PreparedSegment>& prepared) {
  const bool did_fail = has_preparing_failed_.exchange(!prepared.has_value());
  if (!prepared && !did_fail) {
    log::error("log: no room for another segment, so messages are refused until there is: {}",
               prepared.error().text);
  }
  if (prepared && did_fail) log::info("log: there is room for segments again");
}

void Writer::segment_prepared(Result<PreparedSegment> prepared) {
  std::optional<std::uint32_t> parked;
  const bool has_failed = !prepared.has_value();
  report(prepared);
  {
    const std::lock_guard lock(queue_mutex_);
    is_preparing_ = false;
    parked = std::exchange(parked_loop_, std::nullopt);
    if (prepared) {
      prepared_ = *std::move(prepared);
    } else if (parked) {
      prepare_error_ = prepared.error();
    }
  }
  // Perhaps something can be given back by now.
  if (has_failed) callbacks_.on_forgotten();
  if (parked) resume(*parked);
}

}  // namespace sluice::append_log
