#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/error.hpp"
#include "common/config/config.hpp"

namespace sluice::apps {

/// A port that is free now. Only for port 0: routes and message ids hold the number, so it must be
/// known before anything listens.
[[nodiscard]] Result<std::uint16_t> find_free_port(const std::string& bind_address);

/// Whether `listener` could listen now, so that a start that must fail leaves nothing on the disk.
/// \return io_error, naming the listener, its address and the settings to change.
[[nodiscard]] Result<> check_can_listen(const config::ListenerConfig& listener);

/// `text` of the listener `name`, with the settings that change where it listens.
[[nodiscard]] std::string describe_listen_failure(std::string_view name, std::string_view text);

}  // namespace sluice::apps
