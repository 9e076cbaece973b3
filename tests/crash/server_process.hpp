#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace sluice::crash {

/// How long a server may take for what it should do at once.
inline constexpr std::chrono::seconds kServerPatience{60};

struct ServerOptions {
  std::filesystem::path program;
  std::filesystem::path data;         ///< `--data`.
  std::vector<std::string> settings;  ///< `key=value`, each for one `--set`.
};

/// `sluice serve` as a process of its own, on free ports. Its standard error goes to `server.log`
/// beside the data directory, appended over all starts. Killed when this object goes, and by the
/// system should the test itself end. Not thread-safe.
class ServerProcess {
 public:
  /// Starts it and does not wait. The thread that calls must live as long as the server.
  explicit ServerProcess(const ServerOptions& options);
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  /// Waits for the line that begins with `ready`. \return false if the server ended, or did not
  /// print it within kServerPatience.
  [[nodiscard]] bool wait_until_ready();

  /// Port of a listener as the ready line names it; 0 if there is none, or before that line.
  [[nodiscard]] std::uint16_t port(std::string_view listener) const;

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  [[nodiscard]] bool is_running() const noexcept;

  /// User memory in use that no file backs (RssAnon of proc(5)); 0 once it ended.
  [[nodiscard]] std::int64_t anonymous_bytes() const;

  /// SIGKILL, and waits until the process is gone. Idempotent.
  void kill() noexcept;

  /// SIGTERM, and does not wait.
  void ask_to_end() const noexcept;

  /// SIGTERM. \return the exit code; -1 if it did not end by itself within kServerPatience.
  [[nodiscard]] int terminate() noexcept;

  /// The same by another signal.
  [[nodiscard]] int end_by(int signal) noexcept;

 private:
  bool read_ready_line(std::string_view line);

  pid_t pid_ = -1;
  int output_ = -1;
  std::map<std::string, std::uint16_t, std::less<>> ports_;
};

}  // namespace sluice::crash
