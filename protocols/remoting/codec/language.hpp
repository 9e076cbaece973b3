#pragma once

#include <cstdint>
#include <string_view>

namespace sluice::remoting {

/// The language a peer says it is written in (RocketMQ's LanguageCode). Only a label: no answer
/// depends on it.
enum class LanguageCode : std::uint8_t {
  java = 0,
  cpp = 1,
  dotnet = 2,
  python = 3,
  delphi = 4,
  erlang = 5,
  ruby = 6,
  other = 7,
  http = 8,
  go = 9,
  php = 10,
  oms = 11,
  rust = 12,
  node_js = 13,
};

/// The name in JSON headers and bodies, such as `JAVA` or `NODE_JS`.
[[nodiscard]] std::string_view name_of(LanguageCode language) noexcept;

/// A name, or a number in decimal (some clients write that). What is not in the table is `other`,
/// as a newer peer may use it.
[[nodiscard]] LanguageCode language_from_text(std::string_view text) noexcept;

/// The number of binary headers; one that is not in the table is `other`.
[[nodiscard]] LanguageCode language_from_number(std::int64_t number) noexcept;

/// Versions are ordinals of RocketMQ's MQVersion enum, in which every release takes two numbers
/// (snapshot, release). They are compared with `<` and `>=`; unknown high ones are legal.
inline constexpr std::int32_t kVersion3_0_7_Snapshot = 28;
inline constexpr std::int32_t kVersion3_0_11 = 37;
inline constexpr std::int32_t kVersion3_4_9 = 121;
inline constexpr std::int32_t kVersion4_9_3 = 399;
inline constexpr std::int32_t kVersion4_9_4 = 401;
inline constexpr std::int32_t kVersion4_9_8 = 409;
inline constexpr std::int32_t kVersion5_0_0 = 413;
inline constexpr std::int32_t kVersion5_3_1 = 475;
inline constexpr std::int32_t kVersion5_5_0 = 513;

/// What we say in every frame. Java clients remember it as the version of the broker and switch
/// features by it (SQL filters need 4.1, heartbeat V2 and POP need 5.0), so it is the release whose
/// behaviour we reproduce and not a number of our own.
inline constexpr std::int32_t kOurVersion = kVersion5_5_0;

/// What we say in every frame. Clients read it into an enum that has no name for us; a name that
/// is not in the enum of an old client makes its JSON parser refuse the frame.
inline constexpr LanguageCode kOurLanguage = LanguageCode::java;

}  // namespace sluice::remoting
