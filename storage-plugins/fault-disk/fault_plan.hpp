#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/error.hpp"

namespace sluice::fault_disk {

/// The kinds of call that a disk counts, fails and holds.
enum class Call : std::uint8_t {
  read,
  write,
  sync,
  resize,
  allocate,
  open,  ///< And lock.
  rename,
  remove,
  create_directories,
  sync_directory,
};
inline constexpr std::size_t kCallKinds = 10;

/// Makes calls of one kind fail.
struct Fault {
  Call call = Call::write;
  std::uint64_t nth = 1;    ///< Counted from now: 1 is the next call of this kind.
  std::uint64_t times = 1;  ///< How many calls in a row fail.
  Errc error = Errc::io_error;
  std::size_t bytes_done = 0;  ///< Of a write: what still reaches the file.
  /// Of files whose name ends so, such as ".seg", where an engine writes others in the background.
  /// Empty: of any file.
  std::string extension{};
};

/// Ends the process in the middle of a call that changes the disk.
struct CrashPoint {
  std::optional<Call> call;        ///< Counts calls of this kind only; nullopt: all but reads.
  std::uint64_t nth = 1;           ///< Counted from now: 1 is the next one.
  std::uint32_t percent_done = 0;  ///< Of a write: the share of its bytes that is written. Of
                                   ///< others: at 100 it happens, below it does not.
};

/// Counts calls and says which fail. Not thread-safe.
class FaultPlan {
 public:
  struct Verdict {
    Error error;
    bool is_crash = false;
    std::uint32_t percent_done = 0;  ///< Of a crash.
    std::size_t bytes_done = 0;      ///< Of a fault.
  };

  void add(Fault fault);
  void add(CrashPoint point);
  void clear() noexcept;

  /// Counts one call, on a file with `extension`. \return nullopt if it may go on.
  [[nodiscard]] std::optional<Verdict> count(Call call, std::string_view extension = {});

  [[nodiscard]] std::uint64_t count_of(Call call) const noexcept;
  [[nodiscard]] std::uint64_t change_count() const noexcept { return changes_; }

 private:
  [[nodiscard]] bool is_crash(Call call) const noexcept;

  struct Planned {
    Fault fault;
    std::uint64_t seen = 0;  ///< Calls that it counts.

    [[nodiscard]] bool counts(Call call, std::string_view extension) const noexcept {
      return fault.call == call && (fault.extension.empty() || fault.extension == extension);
    }
  };

  std::vector<Planned> faults_;
  std::optional<CrashPoint> crash_;  ///< With `nth` counted from the beginning.
  std::array<std::uint64_t, kCallKinds> counts_{};
  std::uint64_t changes_ = 0;  ///< All calls but reads.
};

}  // namespace sluice::fault_disk
