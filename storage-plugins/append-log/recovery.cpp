#include "storage-plugins/append-log/recovery.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "common/base/log.hpp"
#include "common/runtime/durable_directory.hpp"
#include "storage-plugins/append-log/accounting.hpp"
#include "storage-plugins/append-log/index_rebuild.hpp"

namespace sluice::append_log {

using storage::Sequence;

namespace {

/// The first page of a segment's file. \return nullopt if it was made ready and never used.
Result<std::optional<DecodedSegmentHeader>> read_segment_header(const DiskFile& file,
                                                                std::uint64_t file_bytes,
                                                                std::uint64_t number) {
  std::vector<std::byte> page(std::min<std::uint64_t>(file_bytes, kSegmentHeaderBytes));
  SLUICE_TRY(file.read_at(0, page));
  auto decoded = decode_segment_header(page);
  if (decoded && decoded->header.number != number) decoded.reset();
  return decoded;
}

}  // namespace

Result<RecoveredEnd> Recovery::run() {
  SLUICE_TRY(make_durable_directory(store_.disk, store_.directory));
  auto lock = store_.disk.lock(store_.directory / "LOCK");
  SLUICE_TRY(lock);
  store_.lock_file = *std::move(lock);
  SLUICE_TRY(list_files());
  SLUICE_TRY(choose_checkpoint());
  SLUICE_TRY(attach_sealed_segments());
  SLUICE_TRY(open_candidates());
  SLUICE_TRY(check_start());
  SLUICE_TRY(replay());
  store_.state.settle_firsts();
  SLUICE_TRY(judge_end());
  SLUICE_TRY(check_missing_segments());
  SLUICE_TRY(clean_tail());
  SLUICE_TRY(remove_indexes_behind_end());
  SLUICE_TRY(begin_use());
  return end();
}

tl::unexpected<Error> Recovery::refuse(const std::filesystem::path& path, std::uint64_t at,
                                       std::string_view what) const {
  return fail(Errc::corrupt_record,
              path.string() + " is damaged at offset " + std::to_string(at) + ": " +
                  std::string(what) +
                  ", and what stood there was synced. Nothing was changed. Restore the file from a "
                  "copy, or move the data directory away and start with an empty one");
}

// --- files ---------------------------------------------------------------------------------------

Result<> Recovery::list_files() {
  const auto names = store_.disk.list(store_.directory);
  SLUICE_TRY(names);
  for (const std::string& name : *names) {
    const auto parsed = parse_file_name(name);
    if (name == kOpenMark) was_open_ = true;
    if (!parsed) continue;
    switch (parsed->kind) {
      case FileKind::segment:
        segment_numbers_.push_back(parsed->number);
        break;
      case FileKind::index:
        index_numbers_.push_back(parsed->number);
        break;
      case FileKind::checkpoint:
        checkpoint_numbers_.push_back(parsed->number);
        break;
      case FileKind::free_segment:
        store_.segments.add_free(parsed->number);
        break;
      case FileKind::temporary:
        SLUICE_TRY(store_.disk.remove(store_.directory / name));
        break;
    }
  }
  std::ranges::sort(segment_numbers_);
  std::ranges::sort(checkpoint_numbers_, std::greater<>());
  return {};
}

Result<> Recovery::choose_checkpoint() {
  std::optional<Error> first_error;
  for (const std::uint64_t number : checkpoint_numbers_) {
    auto loaded = load_checkpoint(store_.disk, checkpoint_path(store_.directory, number));
    if (loaded && loaded->header.start_segment == number) {
      restore(*std::move(loaded));
      return {};
    }
    if (!loaded && loaded.error().code != Errc::corrupt_record) return fail(loaded.error());
    const Error error =
        loaded ? Error{.code = Errc::corrupt_record, .text = "a checkpoint has a wrong name"}
               : loaded.error();
    log::error("log: {}", error.text);
    if (!first_error) first_error = error;
  }
  start_number_ = segment_numbers_.empty() ? 0 : segment_numbers_.front();
  if (!first_error) return {};
  return fail(Errc::corrupt_record,
              first_error->text +
                  ". Nothing was changed. Restore the file from a copy, or move the data directory "
                  "away and start with an empty one");
}

void Recovery::restore(LoadedCheckpoint checkpoint) {
  start_number_ = checkpoint.header.start_segment;
  known_synced_ = checkpoint.end.end;
  store_.checkpoint_bytes = checkpoint.file_bytes;
  store_.checkpoint_segment = start_number_;
  State& state = store_.state;
  state.keys() = std::move(checkpoint.keys);
  for (const CheckpointLog& log : checkpoint.logs) {
    // One that was dropped and made again meanwhile is listed twice: the later one counts.
    LogState* const listed = state.logs().find(log.id);
    LogState& made = listed != nullptr ? *listed : state.logs().create(log.id);
    made.floor = log.floor;
    made.next = log.next;
    made.live_from = log.live_from;
    made.last_position = log.last_position;
    made.first = log.floor;
    made.first_bound = log.live_from;
  }
  state.restore(Sequence{checkpoint.header.start.value - 1}, checkpoint.end.last_position,
                checkpoint.end.last_stored_at, checkpoint.end.drop_floor);
}

// --- below the checkpoint ------------------------------------------------------------------------

Result<> Recovery::attach_sealed_segments() {
  for (const std::uint64_t number : segment_numbers_) {
    if (number >= start_number_) break;
    SLUICE_TRY(attach(number));
  }
  return {};
}

Result<> Recovery::attach(std::uint64_t number) {
  const auto path = segment_path(store_.directory, number);
  auto segment = std::make_shared<Segment>();
  segment->number = number;
  {
    const auto file = store_.disk.open(path, OpenMode::read);
    SLUICE_TRY(file);
    const auto size = (*file)->size();
    SLUICE_TRY(size);
    segment->file_bytes = *size;
  }
  auto loaded = load_index_file(store_, number);
  if (!loaded && loaded.error().code == Errc::io_error) return fail(loaded.error());
  const auto next_crc = crc_that_follows(number);
  SLUICE_TRY(next_crc);
  const auto is_continued = [&](const SegmentSummary& summary) {
    return !*next_crc || **next_crc == summary.last_crc;
  };
  const bool is_right = loaded && loaded->header.summary.end <= segment->file_bytes &&
                        is_continued(loaded->header.summary);
  if (!is_right) {
    log::warn("log: the index of segment {} is missing, damaged or out of date and is made anew",
              number);
    store_.metrics.indexes_rebuilt.add();
    const auto scanned = scan_segment(store_, number);
    SLUICE_TRY(scanned);
    if (!is_continued(scanned->summary)) {
      return refuse(path, scanned->summary.end, "the next segment goes on behind a later commit");
    }
    SLUICE_TRY(write_index_file(store_, number, scanned->summary, *scanned->index));
    loaded = load_index_file(store_, number);
    SLUICE_TRY(loaded);
  }
  segment->summary = loaded->header.summary;
  segment->index_header = loaded->header;
  store_.state.add_sealed_segment(segment);
  for (const RunView& run : loaded->runs) store_.state.attach_run(number, run);
  return {};
}

/// The crc of the last frame of a segment, as the segment after it has it: an index may be of what
/// stood in the segment before a crash. \return nullopt if there is no segment after it that tells.
Result<std::optional<std::uint32_t>> Recovery::crc_that_follows(std::uint64_t number) const {
  const std::uint64_t next = number + 1;
  if (!std::ranges::binary_search(segment_numbers_, next)) return std::nullopt;
  const auto file = store_.disk.open(segment_path(store_.directory, next), OpenMode::read);
  SLUICE_TRY(file);
  const auto size = (*file)->size();
  SLUICE_TRY(size);
  const auto decoded = read_segment_header(**file, *size, next);
  SLUICE_TRY(decoded);
  if (!*decoded) return std::nullopt;
  return (*decoded)->header.previous_crc;
}

/// A retired segment loses its index last, so an index may be without one; but only if nothing in
/// it lived. Otherwise somebody took the segment away.
Result<> Recovery::check_missing_segments() {
  for (const std::uint64_t number : index_numbers_) {
    if (std::ranges::binary_search(segment_numbers_, number)) continue;
    const auto loaded = load_index_file(store_, number);
    if (!loaded && loaded.error().code == Errc::io_error) return fail(loaded.error());
    if (loaded) {
      const auto segment = std::make_shared<Segment>();
      segment->number = number;
      segment->summary = loaded->header.summary;
      segment->index_header = loaded->header;
      const auto has_live = Accounting(store_).has_live(segment);
      const bool is_needed = has_live && *has_live;
      if (is_needed) return refuse(segment_path(store_.directory, number), 0, "it is missing");
    }
    SLUICE_TRY(store_.disk.remove(index_path(store_.directory, number)));
  }
  return {};
}

// --- replay --------------------------------------------------------------------------------------

Result<> Recovery::open_candidates() {
  for (const std::uint64_t number : segment_numbers_) {
    if (number < start_number_) continue;
    auto opened = store_.disk.open(segment_path(store_.directory, number), OpenMode::read_write);
    SLUICE_TRY(opened);
    Candidate candidate{.number = number, .file_bytes = 0, .file = *std::move(opened)};
    const auto size = candidate.file->size();
    SLUICE_TRY(size);
    candidate.file_bytes = *size;
    const auto decoded = read_segment_header(*candidate.file, *size, number);
    SLUICE_TRY(decoded);
    if (*decoded) {
      candidate.header = (*decoded)->header;
      candidate.is_whole = (*decoded)->is_whole;
    }
    candidates_.push_back(std::move(candidate));
  }
  return {};
}

/// The first segment must be the one that what is known so far ends at.
Result<> Recovery::check_start() const {
  const Sequence last = store_.state.sequence();
  const bool has_checkpoint = known_synced_.value > 0;
  const bool is_there = !candidates_.empty() && candidates_.front().number == start_number_ &&
                        candidates_.front().header && candidates_.front().is_whole &&
                        candidates_.front().header->first_sequence == last + 1;
  if (is_there) return {};
  if (has_checkpoint) {
    return refuse(segment_path(store_.directory, start_number_), 0,
                  "the checkpoint goes on with this segment, and it is missing or its header does "
                  "not match");
  }
  const bool begins_later = !candidates_.empty() && candidates_.front().header &&
                            candidates_.front().header->first_sequence.value > 1;
  if (!begins_later) return {};
  return refuse(segment_path(store_.directory, start_number_), 0,
                "the log begins with a later commit, and there is no checkpoint of those before");
}

bool Recovery::continues(const Candidate& candidate) const {
  return candidate.header && candidate.is_whole &&
         candidate.header->first_sequence == store_.state.sequence() + 1 &&
         candidate.header->previous_crc == last_crc_;
}

Result<> Recovery::replay() {
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const bool is_first = i == 0;
    if (is_first && candidates_[0].header) last_crc_ = candidates_[0].header->previous_crc;
    if (!continues(candidates_[i])) return {};
    SLUICE_TRY(replay_segment(i));
  }
  return {};
}

Result<> Recovery::replay_segment(std::size_t i) {
  const Candidate& candidate = candidates_[i];
  auto segment = std::make_shared<Segment>();
  segment->number = candidate.number;
  segment->file_bytes = candidate.file_bytes;
  segment->index = std::make_shared<SegmentIndex>();
  segment->summary = {.first_sequence = candidate.header->first_sequence,
                      .last_sequence = store_.state.sequence(),
                      .end = kSegmentHeaderBytes,
                      .last_crc = candidate.header->crc};
  store_.state.begin_segment(segment);
  SegmentReader reader(*candidate.file, candidate.file_bytes);
  last_crc_ = candidate.header->crc;
  std::uint64_t at = kSegmentHeaderBytes;
  while (true) {
    const ExpectedFrame expected{.sequence = store_.state.sequence() + 1,
                                 .generation = candidate.header->generation(),
                                 .previous_crc = last_crc_,
                                 .salt = candidate.header->salt};
    const auto outcome = reader.next_frame(at, expected);
    SLUICE_TRY(outcome);
    const auto* frame = std::get_if<SegmentReader::Frame>(&*outcome);
    if (frame == nullptr) {
      stop_ = Stop{.candidate = i, .at = at, .error = std::get<FrameError>(*outcome)};
      return {};
    }
    store_.state.apply(frame->bytes, frame->header, at);
    known_synced_ = std::max(known_synced_, frame->header.synced);
    last_crc_ = frame->header.crc;
    at += frame->header.frame_bytes;
  }
}

// --- the end -------------------------------------------------------------------------------------

/// Tells a torn tail from damage.
Result<> Recovery::judge_end() {
  was_clean_ = !was_open_ && known_synced_ == store_.state.sequence();
  if (was_clean_) return {};
  const std::size_t first_unused = stop_ ? stop_->candidate + 1 : 0;
  if (stop_) SLUICE_TRY(search_candidate(stop_->candidate, stop_->at));
  for (std::size_t i = first_unused; i < candidates_.size(); ++i) {
    SLUICE_TRY(search_candidate(i, kSegmentHeaderBytes));
  }
  if (stop_ && stop_->error == FrameError::unknown_code) {
    return fail(Errc::corrupt_record,
                segment_path(store_.directory, candidates_[stop_->candidate].number).string() +
                    ", offset " + std::to_string(stop_->at) + ": " +
                    std::string(describe(FrameError::unknown_code)) +
                    "; open it with that version");
  }
  if (known_synced_ <= store_.state.sequence()) return {};
  // Where the first synced commit that is missing should be: here, or in a segment after it.
  const bool is_cut = stop_ && stop_->error == FrameError::no_frame &&
                      first_unused < candidates_.size() && candidates_[first_unused].header &&
                      !candidates_[first_unused].is_whole;
  if (stop_ && !is_cut) {
    return refuse(segment_path(store_.directory, candidates_[stop_->candidate].number), stop_->at,
                  describe(stop_->error));
  }
  const std::uint64_t number =
      first_unused < candidates_.size() ? candidates_[first_unused].number : start_number_;
  return refuse(segment_path(store_.directory, number), 0,
                "its header does not match its checksum");
}

/// Looks for frames that are not part of the log any more, and what they say was synced.
Result<> Recovery::search_candidate(std::size_t i, std::uint64_t from) {
  const Candidate& candidate = candidates_[i];
  if (!candidate.header) return {};
  const bool is_stop = stop_ && stop_->candidate == i;
  const Sequence last = store_.state.sequence();
  SegmentReader reader(*candidate.file, candidate.file_bytes);
  const auto note = [&](std::uint64_t at, const FrameHeader& header) {
    const bool is_later = header.sequence > last && header.synced < header.sequence;
    if (is_later) known_synced_ = std::max(known_synced_, header.synced);
    has_leftovers_ = true;
    if (is_stop) leftover_end_ = std::max(leftover_end_, at + header.frame_bytes);
  };
  SLUICE_TRY(reader.search(from, *candidate.header, note));
  if (!is_stop) return {};
  // A frame that was cut off stands where the next one would.
  const auto head = reader.bytes_at(from, kFrameHeaderBytes);
  SLUICE_TRY(head);
  const auto peeked = peek_frame_header(*head);
  const auto* header = std::get_if<FrameHeader>(&peeked);
  const bool is_torn = header != nullptr && header->generation == candidate.header->generation();
  if (!is_torn) return {};
  has_leftovers_ = true;
  const std::uint64_t torn_end = std::min(from + header->frame_bytes, candidate.file_bytes);
  leftover_end_ = std::max(leftover_end_, torn_end);
  return {};
}

/// Makes what is behind the end unreadable for good, and all before it durable.
Result<> Recovery::clean_tail() {
  if (has_leftovers_) {
    log::warn("log: the end of {} was cut off by a crash; what came after commit {} is dropped",
              store_.directory.string(), store_.state.sequence().value);
    store_.metrics.torn_tails.add();
  }
  if (!stop_) return {};
  const Candidate& last = candidates_[stop_->candidate];
  SLUICE_TRY(write_zeros(*last.file, stop_->at, leftover_end_));
  if (was_clean_) return {};
  for (std::size_t i = 0; i <= stop_->candidate; ++i) SLUICE_TRY(candidates_[i].file->sync());
  return {};
}

/// The segment that the log ends in is written on, and later ones go: an index of what they held
/// must not outlive that. Durably, and before a segment goes: an index without one counts as a
/// loss.
Result<> Recovery::remove_indexes_behind_end() {
  const std::uint64_t first = stop_ ? candidates_[stop_->candidate].number : start_number_;
  bool is_changed = false;
  for (const std::uint64_t number : index_numbers_) {
    const bool is_there = std::ranges::binary_search(segment_numbers_, number);
    if (number < first || !is_there) continue;
    SLUICE_TRY(store_.disk.remove(index_path(store_.directory, number)));
    is_changed = true;
  }
  if (!is_changed) return {};
  return store_.disk.sync_directory(store_.directory);
}

/// Segments behind the end were made ready and not used, or hold what is dropped. They are not
/// recycled: what is in them may look like frames of the segments that come now. And from here on
/// the store counts as open.
Result<> Recovery::begin_use() {
  const std::size_t first_unused = stop_ ? stop_->candidate + 1 : 0;
  bool is_changed = !was_open_;
  while (candidates_.size() > first_unused) {
    const std::uint64_t number = candidates_.back().number;
    candidates_.pop_back();
    SLUICE_TRY(store_.disk.remove(segment_path(store_.directory, number)));
    is_changed = true;
  }
  SLUICE_TRY(store_.disk.open(store_.directory / kOpenMark, OpenMode::create_or_open));
  if (!is_changed) return {};
  return store_.disk.sync_directory(store_.directory);
}

RecoveredEnd Recovery::end() {
  const State& state = store_.state;
  RecoveredEnd end;
  end.chain = {.last_sequence = state.sequence(),
               .last_crc = last_crc_,
               .last_stored_at = state.last_stored_at(),
               .last_position = state.last_position()};
  store_.positions.raise_above(state.last_position());
  store_.syncer.start_from(state.sequence());
  if (!stop_) {
    end.next_number = std::max<std::uint64_t>(start_number_, 1);
    return end;
  }
  Candidate& last = candidates_[stop_->candidate];
  end.open = {.segment = state.segments().back(),
              .file = std::move(last.file),
              .header = *last.header,
              .at = stop_->at,
              .is_header_written = true};
  end.next_number = last.number + 1;
  return end;
}

}  // namespace sluice::append_log
