#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/types.hpp"
#include "storage-plugins/spi/write_batch.hpp"

/// \file
/// The keys that the broker keeps in a storage engine, and their values, byte by byte in
/// docs/formats/kv-keys.md. Numbers are big-endian, so that keys sort as the numbers do.

namespace sluice::broker::keys {

/// Names a topic in keys: shorter than its name, and never reused.
using TopicNumber = Strong<std::uint32_t, struct TopicNumberTag>;

/// The smallest LogId / topic number that is not reserved (8 / 4 bytes).
[[nodiscard]] Bytes next_log_id();
[[nodiscard]] Bytes next_topic_number();

[[nodiscard]] Bytes topic(std::string_view name);
[[nodiscard]] Bytes group(std::string_view name);

/// A group's progress in one queue (8 bytes).
[[nodiscard]] Bytes offset(TopicNumber topic, std::int32_t queue, std::string_view group);

/// What offset() was made of.
[[nodiscard]] TopicNumber topic_of_offset(std::string_view key) noexcept;
[[nodiscard]] std::string_view group_of_offset(std::string_view key) noexcept;

/// Where the offsets of one topic begin; those of the next number end them.
[[nodiscard]] Bytes offsets_of(TopicNumber topic);

/// What find() looks messages up by.
[[nodiscard]] Bytes index(TopicNumber topic, std::string_view key);

/// First bytes of each kind, for scans: [prefix, prefix + 1).
inline constexpr char kTopicPrefix = 't';
inline constexpr char kGroupPrefix = 'g';
inline constexpr char kOffsetPrefix = 'o';

[[nodiscard]] Bytes encode_number(std::uint64_t value);
[[nodiscard]] std::uint64_t decode_number(std::string_view bytes) noexcept;

}  // namespace sluice::broker::keys
