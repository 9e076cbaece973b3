#include "tests/crash/server_process.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <boost/json.hpp>

namespace sluice::crash {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kReady = "ready ";
constexpr int kExecFailedExitCode = 127;
constexpr mode_t kLogMode = 0644;

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::abort();
}

std::vector<std::string> command_of(const ServerOptions& options) {
  std::vector<std::string> words{options.program.string(), "serve", "--data",
                                 options.data.string()};
  for (const std::string_view listener : {"remoting", "nameserver", "http", "admin"}) {
    words.emplace_back("--set");
    words.push_back("listeners." + std::string(listener) + ".port=0");
  }
  for (const std::string& setting : options.settings) {
    words.emplace_back("--set");
    words.push_back(setting);
  }
  return words;
}

/// In the child, between fork and exec: system calls only.
[[noreturn]] void become(char* const* arguments, int output, int log, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kExecFailedExitCode);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::execv(arguments[0], arguments);
  ::_exit(kExecFailedExitCode);
}

int milliseconds_until(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

std::uint16_t port_of(std::string_view address) {
  const std::string_view digits = address.substr(address.rfind(':') + 1);
  std::uint16_t port = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), port);
  return port;
}

}  // namespace

ServerProcess::ServerProcess(const ServerOptions& options) {
  const std::vector<std::string> words = command_of(options);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const std::filesystem::path log_path = options.data.parent_path() / "server.log";
  const int log = ::open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kLogMode);
  if (log < 0) die(log_path.c_str());
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) die("pipe2");
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) die("fork");
  if (pid_ == 0) become(arguments.data(), ends[1], log, parent);
  ::close(ends[1]);
  ::close(log);
  output_ = ends[0];
}

ServerProcess::~ServerProcess() {
  kill();
  ::close(output_);
}

bool ServerProcess::wait_until_ready() {
  const auto deadline = Clock::now() + kServerPatience;
  std::string line;
  while (true) {
    pollfd readable{.fd = output_, .events = POLLIN, .revents = 0};
    if (::poll(&readable, 1, milliseconds_until(deadline)) <= 0) return false;
    char byte = 0;
    if (::read(output_, &byte, 1) != 1) return false;
    if (byte != '\n') {
      line.push_back(byte);
      continue;
    }
    if (read_ready_line(line)) return true;
    line.clear();
  }
}

bool ServerProcess::read_ready_line(std::string_view line) {
  if (!line.starts_with(kReady)) return false;
  boost::system::error_code error;
  const boost::json::value all = boost::json::parse(line.substr(kReady.size()), error);
  if (error || !all.is_object()) return false;
  const boost::json::value* const listeners = all.get_object().if_contains("listeners");
  if (listeners == nullptr || !listeners->is_object()) return false;
  for (const auto& [name, address] : listeners->get_object()) {
    if (address.is_string()) ports_[std::string(name)] = port_of(address.get_string());
  }
  return true;
}

std::uint16_t ServerProcess::port(std::string_view listener) const {
  const auto found = ports_.find(listener);
  return found == ports_.end() ? std::uint16_t{0} : found->second;
}

bool ServerProcess::is_running() const noexcept {
  siginfo_t ended{};
  const int waited = ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT);
  return pid_ > 0 && waited == 0 && ended.si_pid == 0;
}

std::int64_t ServerProcess::anonymous_bytes() const {
  std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
  std::string word;
  while (status >> word) {
    if (word != "RssAnon:") continue;
    std::int64_t kibibytes = 0;
    status >> kibibytes;
    return kibibytes * 1024;
  }
  return 0;
}

void ServerProcess::kill() noexcept {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

void ServerProcess::ask_to_end() const noexcept {
  if (pid_ > 0) ::kill(pid_, SIGTERM);
}

int ServerProcess::terminate() noexcept {
  return end_by(SIGTERM);
}

int ServerProcess::end_by(int signal) noexcept {
  if (pid_ <= 0) return -1;
  ::kill(pid_, signal);
  const auto pid_fd = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  pollfd ended{.fd = pid_fd, .events = POLLIN, .revents = 0};
  const auto patience = std::chrono::milliseconds(kServerPatience).count();
  const bool has_ended = pid_fd >= 0 && ::poll(&ended, 1, static_cast<int>(patience)) > 0;
  if (pid_fd >= 0) ::close(pid_fd);
  if (!has_ended) {
    kill();
    return -1;
  }
  int status = 0;
  ::waitpid(std::exchange(pid_, -1), &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace sluice::crash
