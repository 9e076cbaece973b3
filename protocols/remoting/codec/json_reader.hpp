#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "common/base/error.hpp"
#include "common/base/types.hpp"

/// \file
/// Reads JSON bodies for the codec's .cpp files; includes Boost.JSON, so no public header does.

namespace sluice::remoting {

/// Puts quotation marks around integers and flat objects that stand where a key stands, which
/// fastjson leaves out: `{0:"a"}` becomes `{"0":"a"}`, and `{{"q":1}:2}` becomes
/// `{"{\"q\":1}":2}`. Everything else stays as it is.
[[nodiscard]] std::string quote_bare_keys(std::string_view text);

/// Parses `body`, bare keys and bytes that are not UTF-8 included.
/// \param what  Names the body in error texts.
/// \return malformed_packet if it is not JSON (nesting over 32 among that); quota_exceeded if it
///         takes more than limits::kRemotingJsonMemoryMax.
[[nodiscard]] Result<boost::json::value> parse_json(BytesView body, std::string_view what);

/// Keeps the first thing that is wrong with a body; malformed_packet.
class JsonErrors {
 public:
  explicit JsonErrors(std::string_view what) noexcept : what_(what) {}

  void add(std::string_view name, std::string_view problem) {
    if (!first_)
      first_ = Error{Errc::malformed_packet, fmt::format("{}: \"{}\" {}", what_, name, problem)};
  }
  /// `value` if nothing was wrong with it.
  template <class T>
  [[nodiscard]] Result<T> finish(T value) const {
    if (first_) return fail(*first_);
    return value;
  }

 private:
  std::string_view what_;
  std::optional<Error> first_;
};

/// One JSON object, read the way Java's parsers do: any order, unknown members ignored, null as if
/// absent, numbers and booleans also as text. What cannot be read gives the fallback and goes to
/// the errors, so that a decoder reads a whole structure and checks once.
class JsonObject {
 public:
  /// null reads as an object without members.
  JsonObject(const boost::json::value& value, std::string_view name, JsonErrors& errors);

  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
  [[nodiscard]] std::string text(std::string_view name, std::string_view fallback = {}) const;
  [[nodiscard]] std::int64_t int64(std::string_view name, std::int64_t fallback = 0) const;
  [[nodiscard]] std::int32_t int32(std::string_view name, std::int32_t fallback = 0) const;
  [[nodiscard]] bool boolean(std::string_view name, bool fallback = false) const;
  [[nodiscard]] double real(std::string_view name, double fallback = 0) const;
  /// A member as JSON, whatever it is; empty if absent.
  [[nodiscard]] std::string json(std::string_view name) const;
  /// A member that is an object; without members if absent.
  [[nodiscard]] JsonObject object(std::string_view name) const;

  /// Calls `each(value)` for the elements of an array; absent is empty. More than `count_max`: an
  /// error and no call.
  template <class Each>
  void for_each(std::string_view name, std::size_t count_max, Each each) const {
    const boost::json::value* const member = find(name);
    if (member == nullptr) return;
    const boost::json::array* const array = member->if_array();
    if (array == nullptr) return errors_->add(name, "is not an array");
    if (array->size() > count_max) return errors_->add(name, too_many(count_max));
    for (const boost::json::value& element : *array) each(element);
  }

  /// Calls `each(key, value)` for the members of a member; absent is empty. More than `count_max`:
  /// an error and no call.
  template <class Each>
  void for_each_member(std::string_view name, std::size_t count_max, Each each) const {
    const boost::json::value* const member = find(name);
    if (member == nullptr) return;
    const boost::json::object* const object = member->if_object();
    if (object == nullptr) return errors_->add(name, "is not an object");
    if (object->size() > count_max) return errors_->add(name, too_many(count_max));
    for (const auto& [key, value] : *object) each(std::string_view(key), value);
  }

  [[nodiscard]] JsonErrors& errors() const noexcept { return *errors_; }

 private:
  [[nodiscard]] const boost::json::value* find(std::string_view name) const;
  [[nodiscard]] static std::string too_many(std::size_t count_max);

  const boost::json::object* object_ = nullptr;
  JsonErrors* errors_;
};

/// A JSON scalar as text: strings as they are, numbers and booleans as written; nullopt for null,
/// arrays and objects.
[[nodiscard]] std::optional<std::string> scalar_text(const boost::json::value& value);

/// A JSON number, or a text that holds one.
[[nodiscard]] std::optional<std::int64_t> scalar_int64(const boost::json::value& value);

}  // namespace sluice::remoting
