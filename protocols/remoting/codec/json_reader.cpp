#include "protocols/remoting/codec/json_reader.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <new>
#include <utility>
#include <vector>

#include <boost/json/parser.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/storage_ptr.hpp>

#include "common/base/assert.hpp"
#include "common/base/limits.hpp"
#include "protocols/remoting/codec/fields.hpp"
#include "protocols/remoting/codec/json_text.hpp"

namespace sluice::remoting {

namespace {

namespace json = boost::json;

// Two bytes of text can cost a parsed value of 24 and a place on the parser's stack: without a
// bound, one frame could take half a gigabyte.
class BoundedMemory final : public json::memory_resource {
 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (bytes > limits::kRemotingJsonMemoryMax - used_) throw std::bad_alloc();
    // Boost.JSON frees keys under another alignment than it asked for; new suits them all.
    SLUICE_ASSERT(alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__,
                  "JSON values are not over-aligned");
    void* const memory = ::operator new(bytes);
    used_ += bytes;
    return memory;
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t /*alignment*/) override {
    used_ -= bytes;
    ::operator delete(memory);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }

  std::size_t used_ = 0;
};

/// Position after the string that begins at `begin`, which is a quotation mark.
std::size_t skip_string(std::string_view text, std::size_t begin) {
  std::size_t i = begin + 1;
  while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
  return std::min(i + 1, text.size());
}

std::size_t skip_any(std::string_view text, std::size_t begin, std::string_view set) {
  const std::size_t end = text.find_first_not_of(set, begin);
  return end == std::string_view::npos ? text.size() : end;
}

/// The objects that have begun and not ended, as positions in the text that is written. One that
/// turns out to be a key becomes a string. Only flat objects do: what is nested inside of a key
/// would be escaped once a level, and grow without bound.
class OpenObjects {
 public:
  void begin(std::size_t position) {
    if (positions_.size() < kDepthMax) positions_.push_back({position, true});
    ++depth_;
  }

  /// `text` ends with the bracket.
  void end(std::string& text, bool is_key) {
    if (depth_ == 0) return;
    if (depth_-- > positions_.size()) return;
    const Open object = positions_.back();
    positions_.pop_back();
    if (!positions_.empty()) positions_.back().is_flat = false;
    if (!is_key || !object.is_flat) return;
    const std::string key = text.substr(object.position);
    text.resize(object.position);
    append_json_string(text, key);
  }

 private:
  // Deeper than the parser goes.
  static constexpr std::size_t kDepthMax = 64;

  struct Open {
    std::size_t position;
    bool is_flat;  ///< No object has been in it.
  };
  std::vector<Open> positions_;
  std::size_t depth_ = 0;
};

}  // namespace

// An integer or an object is a key if a colon follows: in JSON nothing but a string has one behind
// it.
std::string quote_bare_keys(std::string_view text) {
  constexpr std::string_view kInteger = "-0123456789";
  constexpr std::string_view kWhiteSpace = " \t\r\n";
  const auto has_colon_at = [&](std::size_t begin) {
    const std::size_t after = skip_any(text, begin, kWhiteSpace);
    return after < text.size() && text[after] == ':';
  };
  std::string quoted;
  quoted.reserve(text.size() + text.size() / 8);
  OpenObjects open_objects;
  std::size_t i = 0;
  while (i < text.size()) {
    const std::size_t begin = i;
    if (text[i] == '"') {
      i = skip_string(text, i);
      quoted.append(text.substr(begin, i - begin));
      continue;
    }
    i = skip_any(text, i, kInteger);
    if (i == begin) {
      const char c = text[i++];
      if (c == '{') open_objects.begin(quoted.size());
      quoted.push_back(c);
      if (c == '}') open_objects.end(quoted, has_colon_at(i));
      continue;
    }
    const bool is_key = has_colon_at(i);
    if (is_key) quoted.push_back('"');
    quoted.append(text.substr(begin, i - begin));
    if (is_key) quoted.push_back('"');
  }
  return quoted;
}

namespace {

Result<json::value> parse_strict(std::string_view text, std::string_view what) {
  const auto memory = json::make_shared_resource<BoundedMemory>();
  try {
    json::parser parser(memory);
    parser.reset(memory);
    json::error_code error;
    parser.write(text.data(), text.size(), error);
    if (!error) return parser.release();
    return fail(Errc::malformed_packet,
                fmt::format("{} is not the JSON it should be: {}", what, error.message()));
  } catch (const std::exception&) {
    return fail(Errc::quota_exceeded,
                fmt::format("{} needs more than {} bytes of memory to be parsed", what,
                            limits::kRemotingJsonMemoryMax));
  }
}

}  // namespace

Result<json::value> parse_json(BytesView body, std::string_view what) {
  auto value = parse_strict(as_text(body), what);
  if (value || value.error().code == Errc::quota_exceeded) return value;
  std::string valid;
  append_valid_utf8(valid, as_text(body));
  auto repaired = parse_strict(quote_bare_keys(valid), what);
  return repaired ? std::move(repaired) : std::move(value);
}

JsonObject::JsonObject(const json::value& value, std::string_view name, JsonErrors& errors)
    : object_(value.if_object()), errors_(&errors) {
  if (object_ == nullptr && !value.is_null()) errors.add(name, "is not an object");
}

const json::value* JsonObject::find(std::string_view name) const {
  const json::value* const member = object_ == nullptr ? nullptr : object_->if_contains(name);
  return member == nullptr || member->is_null() ? nullptr : member;
}

std::string JsonObject::text(std::string_view name, std::string_view fallback) const {
  const json::value* const member = find(name);
  if (member == nullptr) return std::string(fallback);
  auto text = scalar_text(*member);
  if (!text) errors_->add(name, "is not a text");
  return std::move(text).value_or(std::string(fallback));
}

std::int64_t JsonObject::int64(std::string_view name, std::int64_t fallback) const {
  const json::value* const member = find(name);
  if (member == nullptr) return fallback;
  const auto number = scalar_int64(*member);
  if (!number) errors_->add(name, "is not a 64-bit integer");
  return number.value_or(fallback);
}

std::int32_t JsonObject::int32(std::string_view name, std::int32_t fallback) const {
  const std::int64_t number = int64(name, fallback);
  if (number == static_cast<std::int32_t>(number)) return static_cast<std::int32_t>(number);
  errors_->add(name, "is not a 32-bit integer");
  return fallback;
}

bool JsonObject::boolean(std::string_view name, bool fallback) const {
  const json::value* const member = find(name);
  if (member == nullptr) return fallback;
  const auto text = scalar_text(*member);
  if (!text) errors_->add(name, "is not a boolean");
  return text && parse_boolean(*text);
}

double JsonObject::real(std::string_view name, double fallback) const {
  const json::value* const member = find(name);
  if (member == nullptr) return fallback;
  if (const double* const number = member->if_double()) return *number;
  const auto whole = scalar_int64(*member);
  if (!whole) errors_->add(name, "is not a number");
  return whole ? static_cast<double>(*whole) : fallback;
}

std::string JsonObject::json(std::string_view name) const {
  const boost::json::value* const member = find(name);
  return member == nullptr ? std::string() : boost::json::serialize(*member);
}

JsonObject JsonObject::object(std::string_view name) const {
  static const json::value null;
  const json::value* const member = find(name);
  return {member == nullptr ? null : *member, name, *errors_};
}

std::string JsonObject::too_many(std::size_t count_max) {
  return fmt::format("has more than {} entries", count_max);
}

std::optional<std::string> scalar_text(const json::value& value) {
  if (const json::string* const string = value.if_string()) return std::string(*string);
  if (value.is_null() || value.is_structured()) return std::nullopt;
  return json::serialize(value);
}

std::optional<std::int64_t> scalar_int64(const json::value& value) {
  if (const std::int64_t* const number = value.if_int64()) return *number;
  if (const json::string* const string = value.if_string()) {
    return parse_decimal<std::int64_t>(std::string_view(*string));
  }
  if (const double* const number = value.if_double()) {
    constexpr double kExactMax = 9007199254740992.0;  // 2^53: whole numbers up to here are exact
    const bool is_whole = std::trunc(*number) == *number && std::abs(*number) <= kExactMax;
    if (is_whole) return static_cast<std::int64_t>(*number);
  }
  return std::nullopt;
}

}  // namespace sluice::remoting
