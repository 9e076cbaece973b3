#include "tests/crash/messages.hpp"

#include <charconv>

#include <fmt/format.h>

#include "common/model/properties.hpp"
#include "common/model/stored_message.hpp"

namespace sluice::crash {

namespace {

constexpr std::size_t kBodyBytesMin = 16;
constexpr std::size_t kBodyBytesSpread = 2048;
constexpr int kHexadecimal = 16;

/// SplitMix64: the next of a sequence of numbers that look random.
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t mixed = state += 0x9E37'79B9'7F4A'7C15;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58'476D'1CE4'E5B9;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D0'49BB'1331'11EB;
  return mixed ^ (mixed >> 31U);
}

std::optional<std::uint64_t> number_of(std::string_view unique_key) {
  std::uint64_t number = 0;
  const char* const end = unique_key.data() + unique_key.size();
  const auto [stop, error] = std::from_chars(unique_key.data(), end, number, kHexadecimal);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

}  // namespace

std::string unique_key_of(std::uint64_t number) {
  return fmt::format("{:032X}", number);
}

std::string key_of(std::uint64_t number) {
  return fmt::format("order-{}", number);
}

std::string properties_of(std::uint64_t number) {
  return fmt::format("UNIQ_KEY\x01{}\x02KEYS\x01{}\x02", unique_key_of(number), key_of(number));
}

std::string body_of(std::uint64_t number) {
  std::uint64_t state = number;
  std::string body(kBodyBytesMin + next_random(state) % kBodyBytesSpread, '\0');
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < body.size(); ++i, bits >>= 8U) {
    if (i % sizeof bits == 0) bits = next_random(state);
    body[i] = static_cast<char>(bits & 0xFFU);
  }
  return body;
}

Result<FoundMessage> identify(BytesView stored, std::int32_t queue) {
  const auto view = model::StoredMessageView::parse_first(stored);
  SLUICE_TRY(view);
  const auto key = model::find_property(view->properties(), model::property::kUniqueKey);
  const auto number = key ? number_of(*key) : std::nullopt;
  if (!number) {
    return fail(Errc::corrupt_record,
                fmt::format("its unique key '{}' is none that was sent", key.value_or("")));
  }
  if (model::find_property(view->properties(), model::property::kKeys) != key_of(*number)) {
    return fail(Errc::corrupt_record, fmt::format("message {} has other keys", *number));
  }
  if (as_text(view->body()) != body_of(*number)) {
    return fail(Errc::corrupt_record, fmt::format("message {} has another body", *number));
  }
  if (view->queue() != queue || view->topic() != kTopic) {
    return fail(Errc::corrupt_record, fmt::format("message {} says it is in queue {} of {}",
                                                  *number, view->queue(), view->topic()));
  }
  return FoundMessage{.number = *number,
                      .queue_offset = view->queue_offset(),
                      .position = view->position(),
                      .size = view->size()};
}

}  // namespace sluice::crash
