#include "bench/load/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

#include "bench/load/fail.hpp"

namespace sluice::bench {
namespace {

constexpr int kStopMsMax = 30'000;
constexpr int kSignalExitCodeBase = 128;
constexpr int kExecFailedExitCode = 127;

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) fail("cannot read {}: has the server ended?", path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The number after `name:` in the text of /proc/<pid>/status.
std::int64_t status_value(const std::string& status, const std::string& name) {
  const std::size_t position = status.find(name + ":");
  if (position == std::string::npos) fail("no {} in /proc status", name);
  return std::stoll(status.substr(position + name.size() + 1));
}

[[noreturn]] void become(const std::vector<std::string>& command, int output_fd, pid_t parent) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kExecFailedExitCode);
  dup2(output_fd, STDOUT_FILENO);
  execvp(arguments.front(), arguments.data());
  fmt::print(stderr, "{}: {}\n", command.front(), std::generic_category().message(errno));
  _exit(kExecFailedExitCode);
}

/// True once the process can be waited for without blocking.
bool wait_for_end(pid_t pid, int timeout_ms) {
  const auto pid_fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (pid_fd < 0) fail("pidfd_open: {}", std::generic_category().message(errno));
  pollfd poll_fd{.fd = pid_fd, .events = POLLIN, .revents = 0};
  const int ready = poll(&poll_fd, 1, timeout_ms);
  close(pid_fd);
  return ready > 0;
}

}  // namespace

// The fields after the name in parentheses, which may hold blanks: the first is number 3, state;
// 14 and 15 are utime and stime (man 5 proc).
double process_cpu_seconds(pid_t pid) {
  const std::string text = read_file(fmt::format("/proc/{}/stat", pid));
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  constexpr int kFirstField = 3;
  constexpr int kUserTimeField = 14;
  std::string skipped;
  for (int field = kFirstField; field < kUserTimeField; ++field) fields >> skipped;
  std::int64_t user_ticks = 0;
  std::int64_t system_ticks = 0;
  fields >> user_ticks >> system_ticks;
  return static_cast<double>(user_ticks + system_ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double own_cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

ResidentMemory resident_memory(pid_t pid) {
  const std::string status = read_file(fmt::format("/proc/{}/status", pid));
  return {.anonymous_kib = status_value(status, "RssAnon"),
          .file_kib = status_value(status, "RssFile")};
}

// "cpu user nice system idle iowait irq softirq steal ..."
MachineTime machine_time() {
  std::istringstream fields(read_file("/proc/stat"));
  std::string label;
  std::int64_t user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0,
               steal = 0;
  fields >> label >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal;
  return {.total = user + nice + system + idle + iowait + irq + softirq + steal,
          .idle = idle + iowait,
          .stolen = steal};
}

Child::Child(const std::vector<std::string>& command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("pipe: {}", std::generic_category().message(errno));
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) fail("fork: {}", std::generic_category().message(errno));
  if (pid_ == 0) become(command, ends[1], parent);
  close(ends[1]);
  output_fd_ = ends[0];
}

Child::~Child() {
  if (pid_ > 0) stop();
  close(output_fd_);
}

std::optional<std::string> Child::take_line() {
  const std::size_t end = output_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = output_.substr(0, end);
  output_.erase(0, end + 1);
  return line;
}

std::optional<std::string> Child::read_line(int timeout_ms) {
  if (auto line = take_line()) return line;
  pollfd poll_fd{.fd = output_fd_, .events = POLLIN, .revents = 0};
  if (poll(&poll_fd, 1, timeout_ms) <= 0) return std::nullopt;
  char bytes[4096];
  const ssize_t size = read(output_fd_, bytes, sizeof bytes);
  if (size <= 0) fail("the server ended, or closed its output");
  output_.append(bytes, static_cast<std::size_t>(size));
  return take_line();
}

int Child::stop() {
  kill(pid_, SIGTERM);
  if (!wait_for_end(pid_, kStopMsMax)) kill(pid_, SIGKILL);
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFSIGNALED(status) ? kSignalExitCodeBase + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace sluice::bench
