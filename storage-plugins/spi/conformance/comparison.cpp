#include "storage-plugins/spi/conformance/comparison.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace sluice::storage::conformance {

using memory_engine::State;

namespace {

constexpr UnixMillis kBegin{INT64_MIN};
constexpr UnixMillis kEnd{INT64_MAX};
constexpr std::uint32_t kAll = 1'000'000;
constexpr ReadLimits kUnlimited{
    .records_max = kAll, .bytes_max = UINT32_MAX, .scan_max = UINT32_MAX};

std::string words(const Record& it) {
  return describe(it);
}
std::string words(const LogBounds& it) {
  return "[" + std::to_string(it.first.value) + ", " + std::to_string(it.next.value) + "]";
}
std::string words(const Bytes& it) {
  return it.size() <= 40 ? "'" + it + "'"
                         : "'" + it.substr(0, 40) + "...' of " + std::to_string(it.size());
}
std::string words(const KeyValue& it) {
  return words(it.key) + "=" + words(it.value);
}
template <class Number, class Tag>
std::string words(const Strong<Number, Tag>& it) {
  return std::to_string(it.value);
}
template <class T>
std::string words(const std::optional<T>& it) {
  return it ? words(*it) : "nothing";
}
template <class T>
std::string words(const std::vector<T>& all) {
  std::string text = std::to_string(all.size()) + ":";
  for (const T& it : all) text += " " + words(it);
  return text;
}

bool equal(const Record& a, const Record& b) {
  return a.offset == b.offset && a.position == b.position && a.stored_at == b.stored_at &&
         a.tag_hash == b.tag_hash && a.offset_count == b.offset_count && a.payload == b.payload;
}
bool equal(const std::vector<Record>& a, const std::vector<Record>& b) {
  const auto same = [](const Record& one, const Record& other) { return equal(one, other); };
  return std::ranges::equal(a, b, same);
}
template <class T>
bool equal(const T& a, const T& b) {
  return a == b;
}

template <class T>
std::string words_of(const Result<T>& result) {
  return result ? words(*result) : sluice::describe(result.error());
}

template <class T>
bool equal_results(const Result<T>& a, const Result<T>& b) {
  if (a.has_value() != b.has_value()) return false;
  return a ? equal(*a, *b) : a.error().code == b.error().code;
}

/// Collects what differs.
class Differences {
 public:
  explicit Differences(Tolerance tolerance) : tolerance_(tolerance) {}

  template <class T>
  void compare(const std::string& question, const Result<T>& actual, const Result<T>& expected) {
    if (equal_results(actual, expected) || is_tolerated(test::error_of(actual))) return;
    add(question + ": " + words_of(actual) + " instead of " + words_of(expected));
  }

  void add(std::string difference) {
    if (!difference.empty()) all_.push_back(std::move(difference));
  }

  [[nodiscard]] bool is_tolerated(std::optional<Errc> error) const {
    return tolerance_ == Tolerance::corruption && error == Errc::corrupt_record;
  }

  [[nodiscard]] std::vector<std::string> take() { return std::move(all_); }

 private:
  Tolerance tolerance_;
  std::vector<std::string> all_;
};

std::size_t count_records(const State& state, LogId log, Offset from, Offset end) {
  const auto all = state.read(log, from, kUnlimited, {});
  if (!all) return 0;
  return static_cast<std::size_t>(
      std::ranges::count_if(all->records, [&](const Record& it) { return it.offset < end; }));
}

/// Where `next` may stand at most: at the first match that was not returned.
Offset latest_next(const State& state, LogId log, Offset from,
                   const std::vector<std::uint64_t>& tag_hashes) {
  ReadLimits first_only = kUnlimited;
  first_only.records_max = 1;
  const Offset begin = std::max(from, state.bounds(log).first);
  const auto following = state.read(log, begin, first_only, tag_hashes);
  const bool has_one = following && !following->records.empty();
  return has_one ? following->records.front().offset : state.bounds(log).next;
}

void compare_log(Differences& found, Store& store, const State& expected, LogId log,
                 Tolerance tolerance) {
  const std::string name = "log " + words(log);
  const LogBounds bounds = expected.bounds(log);
  found.compare("bounds of " + name, store.run(store.engine().bounds(log)),
                Result<LogBounds>(bounds));
  for (Offset from = bounds.first; from < bounds.next;) {
    const ReadLimits limits{.records_max = 50, .bytes_max = 100'000};
    if (tolerance == Tolerance::corruption) {
      // What a damaged engine still gives must be true; how much that is, it may choose.
      const auto read = store.read(log, from, {.records_max = 1});
      const auto reference = expected.read(log, from, {.records_max = 1}, {});
      if (read && !read->records.empty()) {
        found.compare("read of " + name, Result<std::vector<Record>>(read->records),
                      Result<std::vector<Record>>(reference->records));
      } else if (!read && !found.is_tolerated(test::error_of(read))) {
        found.add("read of " + name + ": " + sluice::describe(read.error()));
      }
      from = reference->next;
      continue;
    }
    const std::string difference = difference_of_read(store, expected, log, from, limits, {});
    if (!difference.empty()) return found.add(difference);
    from = expected.read(log, from, limits, {})->next;
  }
}

void compare_keys(Differences& found, Store& store, const State& expected,
                  const Universe& universe) {
  found.compare("scan", store.run(store.engine().scan({}, {}, kAll)),
                Result<std::vector<KeyValue>>(expected.scan({}, {}, kAll)));
  for (const Bytes& key : universe.keys) {
    found.compare("get of " + words(key), store.run(store.engine().get(key)),
                  Result<std::optional<Bytes>>(expected.get(key)));
  }
}

void compare_search(Differences& found, Store& store, const State& expected,
                    const Universe& universe) {
  for (const Bytes& key : universe.index_keys) {
    const auto all = expected.find(key, kBegin, kEnd, kAll, std::nullopt);
    found.compare("find of " + words(key),
                  store.run(store.engine().find(key, kBegin, kEnd, kAll, std::nullopt)),
                  Result<std::vector<Position>>(all));
    if (all.empty()) continue;
    const Position before = all[all.size() / 2];
    found.compare("find of " + words(key) + " below " + words(before),
                  store.run(store.engine().find(key, kBegin, kEnd, 2, before)),
                  Result<std::vector<Position>>(expected.find(key, kBegin, kEnd, 2, before)));
  }
  for (const UnixMillis time : universe.times) {
    found.compare("position_at " + words(time), store.run(store.engine().position_at(time)),
                  Result<std::optional<Position>>(expected.position_at(time)));
    for (const LogId log : universe.logs) {
      found.compare("offset_at " + words(time) + " of log " + words(log),
                    store.run(store.engine().offset_at(log, time)),
                    Result<Offset>(expected.offset_at(log, time)));
    }
  }
}

void compare_usage(Differences& found, Store& store, const State& expected) {
  const auto usage = store.run(store.engine().usage());
  if (!usage) {
    if (!found.is_tolerated(test::error_of(usage)))
      found.add("usage: " + sluice::describe(usage.error()));
    return;
  }
  const Usage reference = expected.usage();
  if (usage->record_count != reference.record_count ||
      usage->payload_bytes != reference.payload_bytes || usage->oldest != reference.oldest) {
    found.add("usage: " + std::to_string(usage->record_count) + " records of " +
              std::to_string(usage->payload_bytes) + " bytes from " + words(usage->oldest) +
              " instead of " + std::to_string(reference.record_count) + " of " +
              std::to_string(reference.payload_bytes) + " from " + words(reference.oldest));
  }
  // Also true: the position of one that was forgotten.
  if (usage->newest.has_value() != reference.newest.has_value() ||
      usage->newest < reference.newest) {
    found.add("usage: up to " + words(usage->newest) + " instead of " + words(reference.newest));
  }
}

}  // namespace

std::string describe(const Record& record) {
  return "{offset " + words(record.offset) + ", position " + words(record.position) +
         ", stored_at " + words(record.stored_at) + ", tag " + std::to_string(record.tag_hash) +
         ", payload " + words(Bytes(record.payload.text())) + "}";
}

std::string difference_of_read(Store& store, const State& expected, LogId log, Offset from,
                               ReadLimits limits, const std::vector<std::uint64_t>& tag_hashes) {
  const std::string question = "read of log " + words(log) + " from " + words(from);
  const auto actual = store.read(log, from, limits, tag_hashes);
  const auto reference = expected.read(log, from, limits, tag_hashes);
  if (!actual || !reference) {
    if (test::error_of(actual) == test::error_of(reference)) return {};
    return question + ": " + (actual ? words(actual->records) : sluice::describe(actual.error())) +
           " instead of " +
           (reference ? words(reference->records) : sluice::describe(reference.error()));
  }

  // An engine may count holes as looked at, so that a read with a small scan_max has less.
  auto wanted = reference->records;
  const auto log_length = static_cast<std::uint64_t>(expected.bounds(log).next.value);
  const bool may_have_less = limits.scan_max < log_length;
  if (may_have_less && actual->records.size() < wanted.size()) {
    wanted.resize(actual->records.size());
  }
  if (!equal(actual->records, wanted)) {
    return question + ": " + words(actual->records) + " instead of " + words(wanted);
  }

  const Offset after =
      actual->records.empty() ? from : actual->records.back().offset + std::int64_t{1};
  const bool is_progress = actual->next > from || from == expected.bounds(log).next;
  const bool is_within =
      actual->next >= after && actual->next <= latest_next(expected, log, after, tag_hashes);
  if (!is_progress || !is_within) {
    return question + ": next is " + words(actual->next) + " where the reference has " +
           words(reference->next);
  }
  if (count_records(expected, log, from, actual->next) > limits.scan_max) {
    return question + ": looked at more than scan_max records";
  }
  return {};
}

std::vector<std::string> differences(Store& store, const State& expected, const Universe& universe,
                                     Tolerance tolerance) {
  Differences found(tolerance);
  found.compare("sequence", Result<Sequence>(store.sequence()),
                Result<Sequence>(expected.sequence()));
  for (const LogId log : universe.logs) compare_log(found, store, expected, log, tolerance);
  for (const Position position : universe.positions) {
    found.compare("read_at " + words(position), store.read_at(position),
                  expected.read_at(position));
  }
  compare_keys(found, store, expected, universe);
  compare_search(found, store, expected, universe);
  compare_usage(found, store, expected);
  return found.take();
}

}  // namespace sluice::storage::conformance
