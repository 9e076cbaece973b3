#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "bench/load/echo_server.hpp"
#include "bench/load/report.hpp"
#include "bench/load/runs.hpp"
#include "bench/load/socket.hpp"
#include "bench/load/start_probe.hpp"

namespace sluice::bench {
namespace {

struct ServerOptions {
  std::string broker;
  std::string nameserver;
  pid_t pid = 0;
  bool is_echo = false;

  [[nodiscard]] Server make() const {
    Server server{
        .broker = parse_address(broker), .nameserver = {}, .pid = pid, .is_echo = is_echo};
    if (!nameserver.empty()) server.nameserver = parse_address(nameserver);
    return server;
  }
};

struct LoadOptions {
  ServerOptions server;
  std::string topic = "bench";
  int queues = 8;
  std::size_t connections = 64;
  std::size_t body_bytes = 1024;
  Timing timing{.warm_up_s = 1, .measure_s = 3};
};

/// The subcommands share one report form, an option of the program.
class Program {
 public:
  Program();
  int run(int argument_count, char** arguments);

 private:
  void add_send();
  void add_pull();
  void add_deliver();
  void add_idle();
  void add_start();
  void add_disk();
  void add_echo();

  void add_server_options(CLI::App& command);
  void add_load_options(CLI::App& command);
  void report(const boost::json::object& result) const {
    print_report(result, is_json_ ? ReportForm::json : ReportForm::table);
  }

  CLI::App app_{"Drives a server that speaks RocketMQ remoting, and measures it."};
  bool is_json_ = false;
  LoadOptions load_;
  std::size_t in_flight_ = 1;
  std::size_t batch_messages_ = 1;
  std::uint64_t preload_messages_ = 200'000;
  double rate_ = 1000;
  IdleRequest idle_request_ = IdleRequest::send;
  double wait_s_ = 6;
  std::vector<std::string> start_command_;
  std::string probe_address_;
  double settle_s_ = 2;
  std::string disk_directory_;
  double disk_seconds_ = 1;
  std::uint16_t echo_port_ = 0;
};

Program::Program() {
  // The last one counts, so that a caller's options can follow those of a workload.
  app_.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app_.require_subcommand(1);
  app_.add_flag("--json", is_json_, "print one line of JSON instead of a table");
  add_send();
  add_pull();
  add_deliver();
  add_idle();
  add_start();
  add_disk();
  add_echo();
}

void Program::add_server_options(CLI::App& command) {
  ServerOptions& server = load_.server;
  command.add_option("--broker", server.broker, "host:port of its remoting listener")->required();
  command.add_option("--nameserver", server.nameserver, "host:port; asked for the topic's route");
  command.add_flag("--echo", server.is_echo, "the server is `sluice_bench echo`: send, pull");
  command.add_option("--pid", server.pid, "the server's process, to be weighed")->required();
  command.add_option("--topic", load_.topic)->capture_default_str();
  command.add_option("--queues", load_.queues)
      ->check(CLI::Range(1, kQueuesMax))
      ->capture_default_str();
}

void Program::add_load_options(CLI::App& command) {
  add_server_options(command);
  command.add_option("--body-bytes", load_.body_bytes)->capture_default_str();
  command.add_option("--warm-up", load_.timing.warm_up_s, "seconds")->capture_default_str();
  command.add_option("--seconds", load_.timing.measure_s, "measured")->capture_default_str();
}

void Program::add_send() {
  CLI::App* command = app_.add_subcommand("send", "sends, answered one by one");
  add_load_options(*command);
  command->add_option("--connections", load_.connections)->capture_default_str();
  command->add_option("--in-flight", in_flight_, "requests of each connection: a power of two")
      ->capture_default_str();
  command->add_option("--batch", batch_messages_, "messages of each request")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->callback([this] {
    report(run_send(load_.server.make(), {.topic = load_.topic,
                                          .queues = load_.queues,
                                          .connections = load_.connections,
                                          .in_flight = in_flight_,
                                          .messages = batch_messages_,
                                          .body_bytes = load_.body_bytes,
                                          .timing = load_.timing}));
  });
}

void Program::add_pull() {
  CLI::App* command = app_.add_subcommand("pull", "reads the queues from their beginning");
  add_load_options(*command);
  command->add_option("--connections", load_.connections)->capture_default_str();
  command->add_option("--messages", preload_messages_, "in the topic; missing ones are sent")
      ->capture_default_str();
  command->callback([this] {
    report(run_pull(load_.server.make(), {.topic = load_.topic,
                                          .queues = load_.queues,
                                          .connections = load_.connections,
                                          .body_bytes = load_.body_bytes,
                                          .messages = preload_messages_,
                                          .timing = load_.timing}));
  });
}

void Program::add_deliver() {
  CLI::App* command = app_.add_subcommand("deliver", "from a send to a pull that waits for it");
  add_load_options(*command);
  command->add_option("--connections", load_.connections, "that send")->capture_default_str();
  command->add_option("--rate", rate_, "messages per second")->capture_default_str();
  command->callback([this] {
    report(run_delivery(load_.server.make(), {.topic = load_.topic,
                                              .queues = load_.queues,
                                              .senders = load_.connections,
                                              .body_bytes = load_.body_bytes,
                                              .rate = rate_,
                                              .timing = load_.timing}));
  });
}

void Program::add_idle() {
  CLI::App* command = app_.add_subcommand("idle", "memory of connections that do nothing");
  add_server_options(*command);
  const std::map<std::string, IdleRequest> requests{{"send", IdleRequest::send},
                                                    {"heartbeat", IdleRequest::heartbeat},
                                                    {"route", IdleRequest::route}};
  command->add_option("--connections", load_.connections)->capture_default_str();
  command->add_option("--request", idle_request_, "what each has asked before it idles")
      ->transform(CLI::CheckedTransformer(requests));
  command->add_option("--wait", wait_s_, "seconds of idling")->capture_default_str();
  command->callback([this] {
    raise_open_files_limit();
    report(run_idle(load_.server.make(), {.topic = load_.topic,
                                          .queues = load_.queues,
                                          .connections = load_.connections,
                                          .request = idle_request_,
                                          .wait_s = wait_s_}));
  });
}

void Program::add_start() {
  CLI::App* command =
      app_.add_subcommand("start", "from the start of a server to its first answer");
  command->add_option("--probe", probe_address_,
                      "host:port where a send has to succeed; default: a line `ready ...`");
  command->add_option("--settle", settle_s_, "seconds of idling before it is weighed")
      ->capture_default_str();
  command->add_option("command", start_command_, "after --")->required();
  command->callback([this] {
    std::optional<Address> probe;
    if (!probe_address_.empty()) probe = parse_address(probe_address_);
    report(to_json(probe_start(start_command_, probe, settle_s_)));
  });
}

void Program::add_disk() {
  CLI::App* command = app_.add_subcommand("disk", "64 KiB writes with fdatasync");
  command->add_option("directory", disk_directory_)->required();
  command->add_option("--seconds", disk_seconds_)->capture_default_str();
  command->callback([this] { report(to_json(probe_disk(disk_directory_, disk_seconds_))); });
}

void Program::add_echo() {
  CLI::App* command = app_.add_subcommand("echo", "serves as the limit");
  command->add_option("--port", echo_port_, "0: any free port")->capture_default_str();
  command->callback([this] { run_echo_server(echo_port_); });
}

int Program::run(int argument_count, char** arguments) {
  try {
    app_.parse(argument_count, arguments);
  } catch (const CLI::Error& error) {
    return app_.exit(error);
  }
  return 0;
}

}  // namespace
}  // namespace sluice::bench

int main(int argument_count, char** arguments) {
  return sluice::bench::Program().run(argument_count, arguments);
}
