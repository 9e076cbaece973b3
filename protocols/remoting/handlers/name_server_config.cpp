#include "protocols/remoting/handlers/name_server_config.hpp"

#include <utility>

#include "protocols/remoting/codec/config_text.hpp"
#include "protocols/remoting/codec/kv_body.hpp"
#include "protocols/remoting/handlers/answer.hpp"
#include "protocols/remoting/handlers/name_server_reply.hpp"

namespace sluice::remoting {

namespace {

template <class Command>
Result<Command> key_of(const Fields& fields) {
  const auto name_space = fields.text("namespace");
  SLUICE_TRY(name_space);
  const auto key = fields.text("key");
  SLUICE_TRY(key);
  Command command;
  command.name_space = *name_space;
  command.key = *key;
  return command;
}

void answer_value(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  Answer answer(out, to, response_code::kSuccess);
  answer.field("value", name_server_reply_as<model::TextReply>(reply).text);
  answer.end();
}

void answer_table(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  Answer answer(out, to, response_code::kSuccess);
  answer.end_header();
  append_kv_table(out, name_server_reply_as<model::TextMapReply>(reply).texts);
  answer.end();
}

void answer_settings(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  Answer answer(out, to, response_code::kSuccess);
  answer.end_header();
  append_config_texts(out, name_server_reply_as<model::TextMapReply>(reply).texts);
  answer.end();
}

}  // namespace

Result<Call> to_put_kv(const Request& request) {
  auto command = key_of<model::PutKv>(request.fields());
  SLUICE_TRY(command);
  const auto value = request.fields().text("value");
  SLUICE_TRY(value);
  command->value = *value;
  return name_server_call(*std::move(command), answer_acknowledged);
}

Result<Call> to_get_kv(const Request& request) {
  auto command = key_of<model::GetKv>(request.fields());
  SLUICE_TRY(command);
  return name_server_call(*std::move(command), answer_value);
}

Result<Call> to_delete_kv(const Request& request) {
  auto command = key_of<model::DeleteKv>(request.fields());
  SLUICE_TRY(command);
  return name_server_call(*std::move(command), answer_acknowledged);
}

Result<Call> to_list_kv(const Request& request) {
  const auto name_space = request.fields().text("namespace");
  SLUICE_TRY(name_space);
  return name_server_call(model::ListKv{.name_space = std::string(*name_space)}, answer_table);
}

Result<Call> to_find_kv_keys(const Request& request) {
  const auto asked = key_of<model::GetKv>(request.fields());
  SLUICE_TRY(asked);
  // The value that is looked for comes as the key.
  return name_server_call(model::FindKvKeys{.name_space = asked->name_space, .value = asked->key},
                          answer_value);
}

Result<Call> to_update_settings(const Request& request) {
  auto settings = decode_config_texts(request.body);
  SLUICE_TRY(settings);
  return name_server_call(model::UpdateSettings{.settings = *std::move(settings)},
                          answer_acknowledged);
}

Result<Call> to_query_settings(const Request& /*request*/) {
  return name_server_call(model::QuerySettings{}, answer_settings);
}

}  // namespace sluice::remoting
