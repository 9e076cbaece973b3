#include "gateway/admin/merge.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

namespace sluice::gateway {

namespace {

template <class... Types, class Variant>
bool is_one_of(const Variant& variant) noexcept {
  return (std::holds_alternative<Types>(variant) || ...);
}

bool is_change(const model::AdminCommand& command) noexcept {
  return is_one_of<model::PutGroups, model::DeleteGroup, model::CopyProgress,
                   model::ChangeBrokerSettings>(command);
}

template <class T>
void append(std::vector<T>& to, std::vector<T>&& from) {
  std::ranges::move(from, std::back_inserter(to));
}

void absorb(model::TopicStatsReply& into, model::TopicStatsReply&& other) {
  append(into.queues, std::move(other.queues));
  into.put_rate += other.put_rate;
}

void absorb(model::ProgressReply& into, model::ProgressReply&& other) {
  for (model::ProgressReply::Part& part : other.parts) {
    const auto known = std::ranges::find_if(into.parts, [&](const auto& it) {
      return it.group == part.group && it.topic == part.topic;
    });
    if (known == into.parts.end()) {
      into.parts.push_back(std::move(part));
      continue;
    }
    append(known->queues, std::move(part.queues));
    known->get_rate += part.get_rate;
  }
}

void absorb(model::TimeSpansReply& into, model::TimeSpansReply&& other) {
  append(into.spans, std::move(other.spans));
}

void absorb(model::NameListReply& into, model::NameListReply&& other) {
  append(into.names, std::move(other.names));
  std::ranges::sort(into.names);
  const auto repeats = std::ranges::unique(into.names);
  into.names.erase(repeats.begin(), repeats.end());
}

/// What every broker knows alike.
template <class Reply>
void absorb(Reply& /*into*/, Reply&& /*other*/) {}

void absorb_reply(model::AdminReply& into, model::AdminReply&& other) {
  std::visit(
      [&](auto& first) {
        using Kind = std::remove_cvref_t<decltype(first)>;
        auto* const same = std::get_if<Kind>(&other);
        if (same != nullptr) absorb(first, std::move(*same));
      },
      into);
}

}  // namespace

bool concerns_one_broker(const model::AdminCommand& command) noexcept {
  return is_one_of<model::InspectQueue, model::QueryAllProgress, model::QueryRuntime,
                   model::QueryBrokerSettings, model::QueryRates>(command);
}

Result<model::AdminReply> merge(const model::AdminCommand& command,
                                std::vector<Result<model::AdminReply>> replies) {
  const auto is_failure = [](const auto& reply) { return !reply.has_value(); };
  if (is_change(command)) {
    const auto failed = std::ranges::find_if(replies, is_failure);
    if (failed != replies.end()) return std::move(*failed);
  }
  const auto first = std::ranges::find_if_not(replies, is_failure);
  if (first == replies.end()) return std::move(replies.front());
  model::AdminReply merged = std::move(**first);
  for (auto reply = std::next(first); reply != replies.end(); ++reply) {
    if (*reply) absorb_reply(merged, std::move(**reply));
  }
  return merged;
}

}  // namespace sluice::gateway
