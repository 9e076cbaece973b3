#include "protocols/rest/resources.hpp"

#include "common/model/names.hpp"
#include "protocols/rest/problem.hpp"

namespace sluice::rest {

namespace {

Response not_found() {
  return to_problem({Errc::not_found,
                     "no such resource: there are /v1/topics/{topic}/messages and "
                     "/v1/topics/{topic}/queues/{queue}/messages"});
}

Response method_not_allowed(std::string_view allowed) {
  Response response = to_problem(
      {Errc::unsupported, "this resource serves " + std::string(allowed) + " only"}, 405, {});
  response.fields.emplace_back("Allow", std::string(allowed));
  return response;
}

Response to_refusal(const Error& error) {
  // Here it is the body's coding that is not supported, not the method (RFC 9110 §15.5.16).
  if (error.code == Errc::unsupported) return to_problem(error, 415, {});
  return to_problem(error);
}

// Names of the broker's own topics, and of retries and dead letters, belong to other resources.
Result<> check_topic(const std::string& topic) {
  const auto checked = model::check_topic_name(topic);
  SLUICE_TRY(checked);
  if (model::is_reserved_topic(topic)) {
    return fail(Errc::permission_denied, "topic " + quoted(topic) + " is reserved");
  }
  return {};
}

template <class T>
tl::expected<Call, Response> to_call(Result<T> parsed) {
  if (!parsed) return tl::unexpected(to_refusal(parsed.error()));
  return Call(std::move(*parsed));
}

}  // namespace

tl::expected<Call, Response> route(const RequestHead& head) {
  auto target = parse_target(head.target);
  if (!target) return tl::unexpected(to_refusal(target.error()));
  std::vector<std::string>& path = target->segments;
  const bool is_under_topic =
      path.size() >= 4 && path[0] == "v1" && path[1] == "topics" && path.back() == "messages";
  const bool is_messages = is_under_topic && path.size() == 4;
  const bool is_queue_messages = is_under_topic && path.size() == 6 && path[3] == "queues";
  if (!is_messages && !is_queue_messages) return tl::unexpected(not_found());
  if (is_messages && head.method != "POST") return tl::unexpected(method_not_allowed("POST"));
  const bool reads = head.method == "GET" || head.method == "HEAD";
  if (is_queue_messages && !reads) return tl::unexpected(method_not_allowed("GET, HEAD"));
  const auto topic = check_topic(path[2]);
  if (!topic) return tl::unexpected(to_refusal(topic.error()));
  if (is_messages) return to_call(parse_publish(path[2], *target, head));
  return to_call(parse_read(path[2], path[4], *target));
}

}  // namespace sluice::rest
