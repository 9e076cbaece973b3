#include "protocols/remoting/handlers/admin_broker.hpp"

#include <utility>

#include "protocols/remoting/handlers/admin.hpp"
#include "protocols/remoting/translate/broker_bodies.hpp"
#include "protocols/remoting/translate/data_version.hpp"

namespace sluice::remoting {

namespace {

void append_runtime(std::string& out, const model::SettingsReply& reply) {
  append_table(out, reply.settings);
}

void answer_settings(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  const auto& settings = admin_reply_as<model::SettingsReply>(reply);
  std::string version;
  append_data_version(version, to_wire(settings.version));
  Answer answer(out, to, response_code::kSuccess);
  answer.field("version", version);
  answer.end_header();
  append_properties(out, settings.settings);
  answer.end();
}

}  // namespace

Result<Call> to_query_runtime(const Request& request) {
  return admin_call(request, model::QueryRuntime{},
                    answer_with_body<model::SettingsReply, append_runtime>);
}

Result<Call> to_query_broker_settings(const Request& request) {
  return admin_call(request, model::QueryBrokerSettings{}, answer_settings);
}

Result<Call> to_change_broker_settings(const Request& request) {
  auto settings = decode_properties(request.body);
  SLUICE_TRY(settings);
  return admin_call(request, model::ChangeBrokerSettings{*std::move(settings)});
}

Result<Call> to_query_rates(const Request& request) {
  const auto name = request.fields().text("statsName");
  SLUICE_TRY(name);
  const auto key = request.fields().text("statsKey");
  SLUICE_TRY(key);
  return admin_call(request, model::QueryRates{std::string(*name), std::string(*key)},
                    answer_with_body<model::RatesReply, append_rates>);
}

}  // namespace sluice::remoting
