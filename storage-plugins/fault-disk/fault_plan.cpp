#include "storage-plugins/fault-disk/fault_plan.hpp"

#include <string>
#include <utility>

namespace sluice::fault_disk {

namespace {

std::size_t index_of(Call call) {
  return static_cast<std::size_t>(call);
}

}  // namespace

void FaultPlan::add(Fault fault) {
  faults_.push_back({.fault = std::move(fault)});
}

void FaultPlan::add(CrashPoint point) {
  point.nth += point.call ? count_of(*point.call) : changes_;
  crash_ = point;
}

void FaultPlan::clear() noexcept {
  faults_.clear();
  crash_.reset();
}

std::optional<FaultPlan::Verdict> FaultPlan::count(Call call, std::string_view extension) {
  ++counts_[index_of(call)];
  if (call != Call::read) ++changes_;
  const Fault* hit = nullptr;
  for (Planned& planned : faults_) {
    if (!planned.counts(call, extension)) continue;
    const std::uint64_t nth = ++planned.seen;
    const Fault& fault = planned.fault;
    const bool is_hit = nth >= fault.nth && nth - fault.nth < fault.times;
    if (is_hit && hit == nullptr) hit = &fault;
  }
  if (is_crash(call)) {
    return Verdict{.error = {.code = Errc::io_error, .text = "the disk crashed in this call"},
                   .is_crash = true,
                   .percent_done = crash_->percent_done,
                   .bytes_done = 0};
  }
  if (hit == nullptr) return std::nullopt;
  return Verdict{.error = {.code = hit->error, .text = "the test makes this call fail"},
                 .is_crash = false,
                 .percent_done = 0,
                 .bytes_done = hit->bytes_done};
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
