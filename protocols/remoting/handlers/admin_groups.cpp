#include "protocols/remoting/handlers/admin_groups.hpp"

#include <utility>

#include "protocols/remoting/handlers/admin.hpp"
#include "protocols/remoting/translate/connection_bodies.hpp"
#include "protocols/remoting/translate/group_bodies.hpp"

namespace sluice::remoting {

namespace {

void answer_groups(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  const auto& groups = admin_reply_as<model::GroupsReply>(reply);
  Answer answer(out, to, response_code::kSuccess);
  answer.number("totalGroupNum", groups.total);
  answer.end_header();
  append_group_table(out, groups);
  answer.end();
}

void answer_group(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  const auto& groups = admin_reply_as<model::GroupsReply>(reply).groups;
  if (groups.empty()) {
    return answer_error(out, to, {Errc::group_not_found, "No group in this broker."});
  }
  Answer answer(out, to, response_code::kSuccess);
  answer.end_header();
  append_group_config(out, groups.front());
  answer.end();
}

}  // namespace

Result<Call> to_put_group(const Request& request) {
  auto group = decode_group_config(request.body);
  SLUICE_TRY(group);
  model::PutGroups put;
  put.groups.push_back(*std::move(group));
  return admin_call(request, std::move(put));
}

Result<Call> to_put_groups(const Request& request) {
  auto groups = decode_group_list(request.body);
  SLUICE_TRY(groups);
  return admin_call(request, model::PutGroups{*std::move(groups)});
}

Result<Call> to_delete_group(const Request& request) {
  const auto group = request.fields().text("groupName");
  SLUICE_TRY(group);
  model::DeleteGroup remove;
  remove.group = *group;
  // 4.9 has another name for it.
  remove.forgets_progress = request.fields().boolean_or("cleanOffset", false) ||
                            request.fields().boolean_or("removeOffset", false);
  return admin_call(request, std::move(remove));
}

Result<Call> to_query_groups(const Request& request) {
  const auto page = page_of(request.fields(), "groupSeq", "maxGroupNum");
  SLUICE_TRY(page);
  model::QueryGroups query;
  query.page = *page;
  return admin_call(request, std::move(query), answer_groups);
}

Result<Call> to_query_group(const Request& request) {
  const auto group = request.fields().text("group");
  SLUICE_TRY(group);
  model::QueryGroups query;
  query.group = *group;
  query.makes_missing = true;
  if (query.group.empty()) return fail(missing_field("group"));
  return admin_call(request, std::move(query), answer_group);
}

Result<Call> to_query_consumers(const Request& request) {
  const auto group = request.fields().text("consumerGroup");
  SLUICE_TRY(group);
  return admin_call(request, model::QueryConsumers{std::string(*group)},
                    answer_with_body<model::ConsumersReply, append_consumer_connection>);
}

Result<Call> to_query_producers(const Request& request) {
  const auto group = request.fields().text("producerGroup");
  SLUICE_TRY(group);
  if (group->empty()) return fail(missing_field("producerGroup"));
  return admin_call(request, model::QueryProducers{std::string(*group)},
                    answer_with_body<model::ProducersReply, append_producer_connection>);
}

Result<Call> to_query_all_producers(const Request& request) {
  return admin_call(request, model::QueryProducers{},
                    answer_with_body<model::ProducersReply, append_producer_table>);
}

}  // namespace sluice::remoting
