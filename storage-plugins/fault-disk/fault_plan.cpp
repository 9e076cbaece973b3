#include "storage-plugins/fault-disk/fault_plan.hpp"

#include <string>

namespace sluice::fault_disk {

namespace {

std::size_t index_of(Call call) {
  return static_cast<std::size_t>(call);
}

}  // namespace

void FaultPlan::add(Fault fault) {
  fault.nth += count_of(fault.call);
  faults_.push_back(fault);
}

void FaultPlan::add(CrashPoint point) {
  point.nth += point.call ? count_of(*point.call) : changes_;
  crash_ = point;
}

void FaultPlan::clear() noexcept {
  faults_.clear();
  crash_.reset();
}

std::optional<FaultPlan::Verdict> FaultPlan::count(Call call) {
  const std::uint64_t nth = ++counts_[index_of(call)];
  if (call != Call::read) ++changes_;
  if (is_crash(call)) {
    return Verdict{.error = {.code = Errc::io_error, .text = "the disk crashed in this call"},
                   .is_crash = true,
                   .percent_done = crash_->percent_done,
                   .bytes_done = 0};
  }
  for (const Fault& fault : faults_) {
    const bool is_hit = fault.call == call && nth >= fault.nth && nth - fault.nth < fault.times;
    if (!is_hit) continue;
    return Verdict{.error = {.code = fault.error, .text = "the test makes this call fail"},
                   .is_crash = false,
                   .percent_done = 0,
                   .bytes_done = fault.bytes_done};
  }
  return std::nullopt;
}

std::uint64_t FaultPlan::count_of(Call call) const noexcept {
  return counts_[index_of(call)];
}

bool FaultPlan::is_crash(Call call) const noexcept {
  if (!crash_ || call == Call::read) return false;
  if (!crash_->call) return changes_ == crash_->nth;
  return crash_->call == call && counts_[index_of(call)] == crash_->nth;
}

}  // namespace sluice::fault_disk
