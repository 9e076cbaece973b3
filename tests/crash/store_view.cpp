#include "tests/crash/store_view.hpp"

#include <limits>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "broker/metadata/keys.hpp"
#include "broker/metadata/records.hpp"
#include "common/base/byte_reader.hpp"
#include "storage-plugins/append-log/plugin.hpp"
#include "tests/crash/settings.hpp"
#include "tests/support/run_task.hpp"

namespace sluice::crash {

namespace {

namespace keys = broker::keys;

constexpr std::uint32_t kScanPage = 1000;
constexpr std::uint32_t kFoundMax = 8;
/// Every key is looked up where its record is. In all of the store, and by position, only those of
/// one record in so many: that looks into every segment, and a store has a hundred.
constexpr std::size_t kThoroughStep = 16;
constexpr UnixMillis kAnyTime{0};
constexpr UnixMillis kEndOfTime{std::numeric_limits<std::int64_t>::max()};
/// Keys that must find nothing, looked up after each kill.
constexpr std::size_t kAbsentKeysMax = 2000;

/// Reads one store. Lives until its task has ended.
class Reader {
 public:
  Reader(storage::StorageEngine& engine, std::uint64_t issued, StoreView& view, Problems& problems)
      : engine_(engine), view_(view), problems_(problems), is_stored_(issued + 1) {}

  Task<> read() {
    auto usage = co_await engine_.usage();
    SLUICE_CO_TRY(usage);
    view_.payload_bytes = usage->payload_bytes;
    auto value = co_await engine_.get(keys::topic(kTopic));
    SLUICE_CO_TRY(value);
    if (*value) {
      auto topic = broker::decode_topic(kTopic, **value);
      SLUICE_CO_TRY(topic);
      topic_ = topic->number;
      auto queues = co_await read_queues(*topic);
      SLUICE_CO_TRY(queues);
      auto absent = co_await look_up_absent();
      SLUICE_CO_TRY(absent);
      auto offsets = co_await read_offsets();
      SLUICE_CO_TRY(offsets);
    }
    if (usage->record_count != records_) {
      problems_.add(fmt::format("the engine counts {} records, the queues hold {}",
                                usage->record_count, records_));
    }
    co_return Result<>{};
  }

 private:
  Task<> read_queues(broker::TopicRecord topic) {
    std::int32_t queue = 0;
    for (const broker::LogRange& range : topic.logs) {
      for (std::uint32_t i = 0; i < range.count && queue < kQueues; ++i, ++queue) {
        auto done = co_await read_queue(queue, range.first + i);
        SLUICE_CO_TRY(done);
      }
    }
    co_return Result<>{};
  }

  Task<> read_queue(std::int32_t queue, storage::LogId log) {
    auto bounds = co_await engine_.bounds(log);
    SLUICE_CO_TRY(bounds);
    QueueView& into = view_.queues[static_cast<std::size_t>(queue)];
    into.first = bounds->first.value;
    into.next = bounds->next.value;
    storage::Offset from = bounds->first;
    while (from < bounds->next) {
      auto result = co_await engine_.read(log, from, {}, {});
      SLUICE_CO_TRY(result);
      if (result->records.empty()) {
        problems_.add(fmt::format("queue {}: nothing at offset {} below the end {}", queue,
                                  from.value, bounds->next.value));
        break;
      }
      for (storage::Record& record : result->records) {
        auto checked = co_await check_record(queue, std::move(record));
        SLUICE_CO_TRY(checked);
      }
      from = result->next;
    }
    co_return Result<>{};
  }

  Task<> check_record(std::int32_t queue, storage::Record record) {
    QueueView& into = view_.queues[static_cast<std::size_t>(queue)];
    const std::int64_t expected = into.first + static_cast<std::int64_t>(into.entries.size());
    if (record.offset.value != expected) {
      problems_.add(fmt::format("queue {}: offset {} follows where {} should", queue,
                                record.offset.value, expected));
    }
    ++records_;
    const auto found = identify(record.payload.bytes(), queue);
    if (!found) {
      problems_.add(
          fmt::format("queue {} offset {}: {}", queue, record.offset.value, found.error().text));
      into.entries.push_back({0, record.position.value});
      co_return Result<>{};
    }
    into.entries.push_back({found->number, record.position.value});
    note_stored(queue, record.offset, found->number);
    auto looked_up = co_await look_up(found->number, std::move(record));
    co_return looked_up;
  }

  void note_stored(std::int32_t queue, storage::Offset offset, std::uint64_t number) {
    if (number == 0 || number >= is_stored_.size()) {
      problems_.add(fmt::format("queue {} offset {}: message {} was never sent", queue,
                                offset.value, number));
      return;
    }
    if (is_stored_[number]) {
      problems_.add(
          fmt::format("queue {} offset {}: message {} stands here a second time (it was sent once)",
                      queue, offset.value, number));
    }
    is_stored_[number] = true;
  }

  Task<> look_up(std::uint64_t number, storage::Record record) {
    const bool is_thorough = number % kThoroughStep == 0;
    const UnixMillis first = is_thorough ? kAnyTime : record.stored_at;
    const UnixMillis last = is_thorough ? kEndOfTime : record.stored_at + 1;
    const std::string texts[] = {unique_key_of(number), key_of(number)};
    for (const std::string& text : texts) {
      auto found = co_await find(text, first, last);
      SLUICE_CO_TRY(found);
      const bool is_right = found->size() == 1 && found->front() == record.position;
      if (!is_right) {
        problems_.add(fmt::format("message {} is at position {}; its key {} finds {}", number,
                                  record.position.value, text, describe(*found)));
      }
    }
    if (!is_thorough) co_return Result<>{};
    auto again = co_await engine_.read_at(record.position);
    SLUICE_CO_TRY(again);
    if (again->payload != record.payload || again->offset != record.offset) {
      problems_.add(fmt::format("position {} holds offset {} by position and {} by offset",
                                record.position.value, again->offset.value, record.offset.value));
    }
    co_return Result<>{};
  }

  Task<> look_up_absent() {
    std::size_t looked_up = 0;
    for (std::uint64_t number = is_stored_.size(); number-- > 1;) {
      if (is_stored_[number]) continue;
      if (++looked_up > kAbsentKeysMax) break;
      auto found = co_await find(unique_key_of(number), kAnyTime, kEndOfTime);
      SLUICE_CO_TRY(found);
      if (found->empty()) continue;
      problems_.add(
          fmt::format("message {} is in no queue, and its key finds {}", number, describe(*found)));
    }
    co_return Result<>{};
  }

  Task<std::vector<storage::Position>> find(std::string key, UnixMillis first, UnixMillis last) {
    auto found =
        co_await engine_.find(keys::index(topic_, key), first, last, kFoundMax, std::nullopt);
    co_return found;
  }

  static std::string describe(const std::vector<storage::Position>& positions) {
    std::string text;
    for (const storage::Position position : positions) text += fmt::format(" {}", position.value);
    return text.empty() ? "nothing" : "position" + text;
  }

  /// Keys `o` topic-number:u32 queue:i32 group (docs/formats/kv-keys.md).
  Task<> read_offsets() {
    Bytes from = keys::offsets_of(topic_);
    const Bytes end = keys::offsets_of(topic_ + 1);
    const std::size_t prefix_bytes = from.size();
    while (true) {
      auto page = co_await engine_.scan(from, end, kScanPage);
      SLUICE_CO_TRY(page);
      for (const storage::KeyValue& entry : *page) {
        ByteReader reader(as_bytes(std::string_view(entry.key).substr(prefix_bytes)));
        const auto queue = reader.read<std::int32_t>();
        const std::string group(reader.read_text(reader.remaining()));
        view_.offsets[{group, queue}] = static_cast<std::int64_t>(keys::decode_number(entry.value));
      }
      if (page->size() < kScanPage) co_return Result<>{};
      from = page->back().key + '\0';
    }
  }

  storage::StorageEngine& engine_;
  StoreView& view_;
  Problems& problems_;
  keys::TopicNumber topic_;
  std::uint64_t records_ = 0;
  std::vector<bool> is_stored_;  // by number
};

}  // namespace

void Problems::add(std::string text) {
  if (++count_ <= kProblemsMax) texts_.push_back(std::move(text));
}

void Problems::add_all(const Problems& others) {
  for (const std::string& text : others.texts_) add(text);
  count_ += others.count_ - others.texts_.size();
}

std::string Problems::to_string() const {
  std::string all;
  for (const std::string& text : texts_) all += "  " + text + "\n";
  if (count_ > texts_.size()) all += fmt::format("  and {} more\n", count_ - texts_.size());
  return all;
}

StoreView read_store(const std::filesystem::path& directory, std::uint64_t issued,
                     Problems& problems) {
  StoreView view;
  test::TestRuntime runtime;
  storage::PositionCounter positions(0);
  storage::EngineOptions options;
  options.data_directory = directory;
  options.settings["segment_bytes"] = std::to_string(kSegmentBytes);
  options.runtime = &runtime.get();
  options.positions = &positions;
  options.disk = &runtime->disk();
  const auto plugin = append_log::make_plugin();
  auto engine = test::run(runtime.get(), plugin->open(std::move(options)));
  if (!engine) {
    problems.add("the store does not open: " + engine.error().text);
    return view;
  }
  Reader reader(**engine, issued, view, problems);
  if (const auto read = test::run(runtime.get(), reader.read()); !read) {
    problems.add("the store cannot be read: " + read.error().text);
  }
  if (const auto closed = test::run(runtime.get(), (*engine)->close()); !closed) {
    problems.add("the store does not close: " + closed.error().text);
  }
  return view;
}

}  // namespace sluice::crash
