#pragma once

#include <optional>
#include <vector>

#include "storage-plugins/append-log/checkpoint.hpp"
#include "storage-plugins/append-log/round.hpp"
#include "storage-plugins/append-log/segment_reader.hpp"

namespace sluice::append_log {

/// Where the log goes on.
struct RecoveredEnd {
  OpenSegment open;  ///< No segment in an empty store.
  Chain chain;
  std::uint64_t next_number = 1;  ///< Of the next segment.
};

/// Brings an unopened store to the state its files say (docs/formats/append-log.md, "Opening").
/// Blocks. Once.
class Recovery {
 public:
  explicit Recovery(Store& store) : store_(store) {}

  /// \return conflict if another process has the store; corrupt_record if something that was synced
  ///         is damaged; io_error.
  [[nodiscard]] Result<RecoveredEnd> run();

 private:
  /// A segment from the checkpoint's on.
  struct Candidate {
    std::uint64_t number = 0;
    std::uint64_t file_bytes = 0;
    std::shared_ptr<DiskFile> file{};
    std::optional<SegmentHeader> header{};  ///< nullopt: made ready and never used.
    bool is_whole = false;
  };
  /// Where replay stopped.
  struct Stop {
    std::size_t candidate = 0;
    std::uint64_t at = 0;
    FrameError error = FrameError::no_frame;
  };

  [[nodiscard]] Result<> list_files();
  [[nodiscard]] Result<> choose_checkpoint();
  void restore(LoadedCheckpoint checkpoint);
  [[nodiscard]] Result<> attach_sealed_segments();
  [[nodiscard]] Result<> attach(std::uint64_t number);
  [[nodiscard]] Result<std::optional<std::uint32_t>> crc_that_follows(std::uint64_t number) const;
  [[nodiscard]] Result<> check_missing_segments();
  [[nodiscard]] Result<> open_candidates();
  [[nodiscard]] Result<> check_start() const;
  [[nodiscard]] Result<> replay();
  [[nodiscard]] Result<> replay_segment(std::size_t candidate);
  [[nodiscard]] bool continues(const Candidate& candidate) const;
  [[nodiscard]] Result<> judge_end();
  [[nodiscard]] Result<> search_candidate(std::size_t candidate, std::uint64_t from);
  [[nodiscard]] Result<> clean_tail();
  [[nodiscard]] Result<> remove_indexes_behind_end();
  [[nodiscard]] Result<> begin_use();
  [[nodiscard]] RecoveredEnd end();

  [[nodiscard]] tl::unexpected<Error> refuse(const std::filesystem::path& path, std::uint64_t at,
                                             std::string_view what) const;

  Store& store_;
  std::vector<std::uint64_t> segment_numbers_;
  std::vector<std::uint64_t> index_numbers_;
  std::vector<std::uint64_t> checkpoint_numbers_;

  std::uint64_t start_number_ = 0;  ///< Replay begins with this segment.
  storage::Sequence known_synced_;  ///< Something says that all up to here was synced.
  std::vector<Candidate> candidates_;
  std::optional<Stop> stop_;        ///< nullopt: nothing was replayed.
  std::uint64_t leftover_end_ = 0;  ///< Of what stands behind the stop in its segment.
  bool has_leftovers_ = false;      ///< Frames are dropped.
  std::uint32_t last_crc_ = 0;
  bool was_open_ = false;   ///< The store was not closed.
  bool was_clean_ = false;  ///< It was closed, and the checkpoint's E is the end of the log.
};

}  // namespace sluice::append_log
