#include "apps/cli/batch.hpp"

#include <utility>

#include "common/base/limits.hpp"
#include "common/model/message_id.hpp"
#include "common/model/names.hpp"

namespace sluice::cli {

namespace {

constexpr std::string_view kProducerGroup = "sluice_cli";

/// What the views of a Send point into.
class Lines final : public SliceOwner {
 public:
  Lines(std::vector<std::string> lines, const std::string& properties, Environment& environment)
      : lines_(std::move(lines)) {
    properties_.reserve(lines_.size());
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      std::string& own = properties_.emplace_back(properties);
      const std::string key =
          model::make_unique_key(model::Endpoint{}, environment.random(), environment.now().value);
      const auto added = model::add_property(own, model::property::kUniqueKey, key);
      static_cast<void>(added);  // Hex digits can be stored.
    }
  }

  [[nodiscard]] const std::vector<std::string>& lines() const noexcept { return lines_; }
  [[nodiscard]] const std::string& properties(std::size_t index) const noexcept {
    return properties_[index];
  }

 private:
  std::vector<std::string> lines_;
  std::vector<std::string> properties_;
};

/// Blanks stand between the keys of a stored message.
Result<std::string> joined_keys(const std::vector<std::string>& keys) {
  std::string all;
  for (const std::string& key : keys) {
    if (key.empty() || key.find(' ') != std::string::npos) {
      return fail(Errc::invalid_argument,
                  "--key '" + key + "': a key has no blank and is not empty; repeat --key for " +
                      "several keys");
    }
    if (!all.empty()) all.push_back(' ');
    all.append(key);
  }
  return all;
}

Result<> add_user_property(std::string& encoded, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    return fail(Errc::invalid_argument, "--property '" + text + "': write it as name=value");
  }
  const std::string name = text.substr(0, equals);
  if (model::is_reserved_property(name)) {
    return fail(Errc::invalid_argument,
                "--property '" + text + "': the name " + name + " is reserved");
  }
  const auto added = model::add_property(encoded, name, text.substr(equals + 1));
  if (!added) return fail(added.error().code, "--property '" + text + "': " + added.error().text);
  return {};
}

}  // namespace

Result<std::string> encode_properties(const MessageOptions& options) {
  std::string encoded;
  for (const std::string& property : options.properties) {
    SLUICE_TRY(add_user_property(encoded, property));
  }
  if (!options.tag.empty()) {
    SLUICE_TRY(model::add_property(encoded, model::property::kTags, options.tag));
  }
  if (!options.keys.empty()) {
    const auto keys = joined_keys(options.keys);
    SLUICE_TRY(keys);
    SLUICE_TRY(model::add_property(encoded, model::property::kKeys, *keys));
  }
  return encoded;
}

Result<std::optional<std::string>> BatchReader::next_line() {
  if (held_) return std::exchange(held_, std::nullopt);
  return reader_.next();
}

Result<LineBatch> BatchReader::next() {
  LineBatch batch;
  std::size_t bytes = 0;
  while (batch.lines.size() < kBatchLinesMax) {
    const bool would_wait = !batch.lines.empty() && !held_ && !reader_.has_buffered_line();
    if (would_wait) break;
    auto line = next_line();
    SLUICE_TRY(line);
    if (!*line) {
      batch.is_last = true;
      break;
    }
    const bool fits = batch.lines.empty() || bytes + (*line)->size() <= kBatchBytesMax;
    if (!fits) {
      held_ = std::move(*line);
      break;
    }
    bytes += (*line)->size();
    batch.lines.push_back(std::move(**line));
  }
  return batch;
}

std::vector<std::vector<std::string>> deal(std::vector<std::string> lines, std::size_t hands,
                                           std::size_t first) {
  std::vector<std::vector<std::string>> dealt(hands);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    dealt[(first + i) % hands].push_back(std::move(lines[i]));
  }
  return dealt;
}

model::Send to_send(const std::string& topic, const std::string& properties,
                    std::vector<std::string> lines, Environment& environment) {
  const boost::intrusive_ptr<const Lines> owner(
      new Lines(std::move(lines), properties, environment));
  model::Send send;
  send.topic = topic;
  for (std::size_t i = 0; i < owner->lines().size(); ++i) {
    send.messages.push_back(
        {.body = as_bytes(owner->lines()[i]), .properties = owner->properties(i), .flag = 0});
  }
  send.owner = owner;
  send.is_batch = send.messages.size() > 1;
  send.born_at_ms = environment.now().value;
  send.template_topic = std::string(model::kAutoCreateTopic);
  send.template_queues = limits::kQueuesPerTopicMax;
  send.producer_group = std::string(kProducerGroup);
  return send;
}

}  // namespace sluice::cli
