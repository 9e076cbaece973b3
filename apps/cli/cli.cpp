#include "apps/cli/cli.hpp"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "apps/cli/consume.hpp"
#include "apps/cli/produce.hpp"
#include "apps/cli/topic.hpp"
#include "apps/cli/version.hpp"
#include "apps/cli/words.hpp"
#include "common/base/limits.hpp"

namespace sluice::cli {

namespace {

constexpr const char* kDefaultNameServer = "127.0.0.1:9876";

/// What the definitions below need: where to read and write, and where the exit code goes.
struct Context {
  Console console;
  int* exit_code;
};

void add_name_server(CLI::App& command, std::string& name_servers) {
  name_servers = kDefaultNameServer;
  command.add_option("--nameserver", name_servers, "Name server; several separated by commas")
      ->type_name("HOST:PORT")
      ->capture_default_str();
}

void add_json(CLI::App& command, Format& format) {
  command.add_flag_callback("--json", [&format] { format = Format::json; }, "For machines");
}

CLI::Option* add_topic(CLI::App& command, const std::string& name, std::string& topic) {
  return command.add_option(name, topic, "Topic")->required()->type_name("TOPIC");
}

// --- serve and version -----------------------------------------------------------------------

ServeOptions to_serve_options(const std::string& role, const std::string& file,
                              const std::string& data, std::vector<std::string> overrides) {
  ServeOptions options;
  if (!role.empty()) options.role = config::role_of(role);
  if (!file.empty()) options.file = file;
  options.overrides = std::move(overrides);
  if (!data.empty()) options.overrides.push_back("data=" + data);
  return options;
}

void add_serve(CLI::App& app, Context context, const std::function<int(ServeOptions)>& serve) {
  struct Given {
    std::string role;
    std::string file;
    std::string data;
    std::vector<std::string> overrides;
  };
  const auto given = std::make_shared<Given>();
  CLI::App* command = app.add_subcommand("serve", "Run a server until SIGTERM, SIGINT or SIGHUP");
  command->add_option("--role", given->role, "What the process is; standalone is all in one")
      ->check(CLI::IsMember({"standalone", "gateway", "broker", "nameserver"}));
  command->add_option("--config", given->file, "YAML file; conf/standalone.yaml has every setting")
      ->type_name("FILE");
  command->add_option("--data", given->data, "Directory for everything that is kept (./data)")
      ->type_name("DIR");
  command
      ->add_option("--set", given->overrides,
                   "Setting that wins over the file; repeatable. A list: KEY=A,B or KEY=[A,B]")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  command->callback([given, context, serve] {
    *context.exit_code =
        serve(to_serve_options(given->role, given->file, given->data, given->overrides));
  });
}

std::string version_text() {
  std::string text = "sluice " + std::string(version());
  if (!commit().empty()) text += " (" + std::string(commit()) + ")";
  return text;
}

void print_version(Format format, std::ostream& out) {
  if (format == Format::json) {
    const boost::json::object json{{"version", version()}, {"commit", commit()}};
    out << boost::json::serialize(json) << '\n';
    return;
  }
  out << version_text() << '\n';
}

void add_version(CLI::App& app, Context context) {
  const auto format = std::make_shared<Format>(Format::text);
  CLI::App* command = app.add_subcommand("version", "Print the version");
  add_json(*command, *format);
  command->callback([format, context] { print_version(*format, context.console.out); });
}

// --- messages --------------------------------------------------------------------------------

void add_produce(CLI::App& app, Context context) {
  const auto options = std::make_shared<ProduceOptions>();
  CLI::App* command = app.add_subcommand(
      "produce",
      "Send lines, each a message: the bytes of the line without its newline.\n"
      "All go to one queue, queue 0 unless --queue says another, and keep their order there.\n"
      "A topic that does not exist is made by its first message, if the broker allows it.");
  add_topic(*command, "--topic", options->message.topic);
  add_name_server(*command, options->name_servers);
  auto* file = command->add_option("--file", options->file, "Read from here, not standard input")
                   ->type_name("FILE");
  command->add_option("--body", options->body, "Send this text as one message")
      ->type_name("TEXT")
      ->excludes(file);
  command->add_option("--tag", options->message.tag, "Tag of every message");
  command->add_option("--key", options->message.keys, "Key of every message; repeatable")
      ->take_all()
      ->allow_extra_args(false);
  command
      ->add_option("--property", options->message.properties,
                   "Property of every message; repeatable")
      ->type_name("NAME=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  auto* queue = command->add_option("--queue", options->queue, "Send to this queue")
                    ->type_name("N")
                    ->check(at_least(0));
  command
      ->add_flag("--spread", options->is_spread,
                 "Send to all queues in turn: faster to consume, no order between them")
      ->excludes(queue);
  add_json(*command, options->format);
  command->callback(
      [options, context] { *context.exit_code = produce(*options, context.console); });
}

void add_consume(CLI::App& app, Context context) {
  const auto options = std::make_shared<ConsumeOptions>();
  CLI::App* command =
      app.add_subcommand("consume",
                         "Print the messages of a topic, to what is the end when it begins.\n"
                         "With --group, go on where the group was, and keep its progress.");
  add_topic(*command, "--topic", options->topic);
  add_name_server(*command, options->name_servers);
  command->add_option("--group", options->group, "Consumer group");
  command
      ->add_option_function<std::string>(
          "--from",
          [options](const std::string& text) {
            const auto start = parse_start(text);
            if (!start) throw CLI::ValidationError(start.error().text);
            options->from = *start;
          },
          "first, last or an offset (the group's progress; without a group: first)")
      ->type_name("WHERE");
  command->add_option("--max", options->messages_max, "Most messages")
      ->type_name("N")
      ->check(at_least(1));
  command->add_flag("--follow", options->follows, "Wait for more until interrupted");
  auto* output = command
                     ->add_option_function<std::string>(
                         "--output",
                         [options](const std::string& word) {
                           if (word == "table") options->output = ConsumeOptions::Output::table;
                         },
                         "lines: each body and a newline (default); table: what a person looks for")
                     ->check(CLI::IsMember({"lines", "table"}));
  command
      ->add_flag_callback(
          "--json", [options] { options->output = ConsumeOptions::Output::json; },
          "For machines: one object a line")
      ->excludes(output);
  command->callback(
      [options, context] { *context.exit_code = consume(*options, context.console); });
}

// --- topics ----------------------------------------------------------------------------------

void add_topic_create(CLI::App& topic, Context context) {
  const auto options = std::make_shared<CreateTopicOptions>();
  CLI::App* command = topic.add_subcommand("create", "Create a topic");
  add_topic(*command, "topic", options->topic);
  add_name_server(*command, options->name_servers);
  command->add_option("--queues", options->queues, "Queues on each broker")
      ->type_name("N")
      ->check(CLI::Range(std::int32_t{1}, limits::kQueuesPerTopicMax))
      ->capture_default_str();
  command
      ->add_option_function<std::string>(
          "--may",
          [options](const std::string& word) {
            const bool reads = word != "w";
            const bool writes = word != "r";
            options->permission =
                (reads ? model::permission::kRead : 0) | (writes ? model::permission::kWrite : 0);
          },
          "What clients may do: read, write or both; `permission` in JSON")
      ->check(CLI::IsMember({"rw", "r", "w"}))
      ->default_str("rw");
  command->add_option("--broker", options->broker_name, "Only on this broker")->type_name("NAME");
  command->add_flag("--update", options->updates, "Change the topic if it exists");
  add_json(*command, options->format);
  command->callback(
      [options, context] { *context.exit_code = create_topic(*options, context.console); });
}

void add_topic_delete(CLI::App& topic, Context context) {
  const auto options = std::make_shared<TopicOptions>();
  CLI::App* command = topic.add_subcommand("delete", "Delete a topic and its messages");
  add_topic(*command, "topic", options->topic);
  add_name_server(*command, options->name_servers);
  add_json(*command, options->format);
  command->callback(
      [options, context] { *context.exit_code = delete_topic(*options, context.console); });
}

void add_topic_list(CLI::App& topic, Context context) {
  const auto options = std::make_shared<ListTopicsOptions>();
  CLI::App* command = topic.add_subcommand("list", "List topics");
  add_name_server(*command, options->name_servers);
  command->add_flag("--all", options->shows_system,
                    "Also the broker's own, and those of retries and dead letters");
  add_json(*command, options->format);
  command->callback(
      [options, context] { *context.exit_code = list_topics(*options, context.console); });
}

void add_topic_show(CLI::App& topic, Context context) {
  const auto options = std::make_shared<TopicOptions>();
  CLI::App* command = topic.add_subcommand("show", "Show the queues of a topic");
  add_topic(*command, "topic", options->topic);
  add_name_server(*command, options->name_servers);
  add_json(*command, options->format);
  command->callback(
      [options, context] { *context.exit_code = show_topic(*options, context.console); });
}

void add_topics(CLI::App& app, Context context) {
  CLI::App* topic = app.add_subcommand("topic", "Create, delete, list and show topics");
  topic->require_subcommand(1);
  add_topic_create(*topic, context);
  add_topic_delete(*topic, context);
  add_topic_list(*topic, context);
  add_topic_show(*topic, context);
}

}  // namespace

Result<config::Config> load_config(const ServeOptions& options) {
  return config::load(options.file, options.overrides, options.role);
}

int run(int argc, char** argv, const std::function<int(ServeOptions)>& serve) {
  const Console console{.input = STDIN_FILENO,
                        .out = std::cout,
                        .err = std::cerr,
                        .shows_progress = ::isatty(STDERR_FILENO) == 1};
  std::ios::sync_with_stdio(false);
  return run(argc, argv, serve, console);
}

int run(int argc, char** argv, const std::function<int(ServeOptions)>& serve,
        const Console& console) {
  CLI::App app("Sluice, a message broker. `sluice COMMAND --help` says more.", "sluice");
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text(), "Print the version");
  int exit_code = kExitDone;
  const Context context{console, &exit_code};
  add_serve(app, context, serve);
  add_produce(app, context);
  add_consume(app, context);
  add_topics(app, context);
  add_version(app, context);
  app.add_subcommand("help", "Print the help of a command");
  std::vector<std::string> words = with_help_as_option({argv + 1, argv + argc});
  if (const std::string unknown = describe_unknown_command(app, words); !unknown.empty()) {
    console.err << "sluice: " << unknown << '\n';
    return kExitUsage;
  }
  std::ranges::reverse(words);  // As CLI11 takes them.
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    const bool is_help = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    app.exit(error, console.out, console.err);
    return is_help ? kExitDone : kExitUsage;
  }
  return exit_code;
}

}  // namespace sluice::cli
