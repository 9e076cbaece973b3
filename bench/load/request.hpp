#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::bench {

/// \file Request frames of the RocketMQ remoting protocol with the JSON header that the Java client
/// 5.5.0 writes: member order, spacing and fields are those of its captured frames, and the fields
/// that change from one request to the next have a fixed width, so that a send is a patch.

enum class RequestCode : int {
  pull_message = 11,
  update_and_create_topic = 17,
  get_max_offset = 30,
  heart_beat = 34,
  get_route_info_by_topic = 105,
  send_message_v2 = 310,
  send_batch_message = 320,
};

inline constexpr std::size_t kFrameLengthBytes = 4;
inline constexpr std::size_t kFramePrefixBytes = 8;  ///< Frame length and header length.
inline constexpr std::size_t kOpaqueDigits = 8;
inline constexpr std::uint32_t kOpaqueFirst = 10'000'000;
/// A power of two that 8 digits hold above kOpaqueFirst, so that slot numbers fit in the low bits.
inline constexpr std::uint32_t kOpaqueCount = 1U << 26;
/// What follows the opaque of every frame that this program makes, requests and replies.
inline constexpr std::string_view kHeaderEnd =
    R"(,"serializeTypeCurrentRPC":"JSON","version":513})";
inline constexpr int kQueuesMax = 10;  ///< The queue is one digit in a frame.

struct ExtField {
  std::string_view key;
  std::string_view value;  ///< Already escaped as JSON.
};

/// The whole frame, with an opaque of kOpaqueFirst.
[[nodiscard]] std::string make_request(RequestCode code, std::span<const ExtField> fields,
                                       std::string_view body = {});

/// A successful reply as the Java broker 5.5.0 writes it: what the echo server answers.
[[nodiscard]] std::string make_reply(std::span<const ExtField> fields, std::string_view body = {});

/// Where the opaque digits stand in what begins with a frame made here.
[[nodiscard]] std::size_t opaque_position(std::string_view frame);

struct SendShape {
  std::string topic;
  std::string broker_name;
  std::size_t body_bytes;
  std::size_t messages;  ///< 1: SEND_MESSAGE_V2. More: a client batch, SEND_BATCH_MESSAGE.
};

/// One send request, patched anew for every use.
class SendFrame {
 public:
  explicit SendFrame(const SendShape& shape);

  /// Gives the frame a new opaque, born time and queue, and every message a new UNIQ_KEY.
  void patch(std::uint32_t opaque, int queue, std::int64_t born_ms);

  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  /// The first message's body.
  [[nodiscard]] char* body() { return bytes_.data() + body_at_; }

 private:
  std::string make_body(const SendShape& shape);

  std::string bytes_;
  std::size_t opaque_at_ = 0;
  std::size_t queue_at_ = 0;
  std::size_t born_at_ = 0;
  std::size_t body_at_ = 0;
  std::vector<std::size_t> counters_at_;  ///< The last 8 digits of every UNIQ_KEY.
};

struct PullShape {
  std::string topic;
  std::string group;
  std::string broker_name;
  int messages_max;
  std::int64_t suspend_ms;  ///< 0: the server answers at once, whether it has messages or not.
};

/// One pull request. The offset has the digits it needs, as a client writes it, so the frame is put
/// together from pieces for every use.
class PullFrame {
 public:
  explicit PullFrame(const PullShape& shape);

  void patch(std::uint32_t opaque, int queue, std::uint64_t offset);

  /// Valid until the next patch().
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

 private:
  std::string before_queue_, before_offset_, before_opaque_;
  std::string bytes_;
};

}  // namespace sluice::bench
