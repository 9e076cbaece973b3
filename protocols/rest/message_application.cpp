#include "protocols/rest/message_application.hpp"

#include <chrono>
#include <utility>

#include "common/base/limits.hpp"
#include "common/model/names.hpp"
#include "protocols/rest/problem.hpp"
#include "protocols/rest/resources.hpp"

namespace sluice::rest {

namespace {

Response wrong_reply() {
  return to_problem({Errc::internal, "the system answered something else than was asked"});
}

class PublishExchange final : public Exchange {
 public:
  PublishExchange(Publish publish, protocol::RequestHandler& handler, Environment& environment)
      : publish_(std::move(publish)), handler_(handler), environment_(environment) {}

  [[nodiscard]] std::size_t body_bytes_max() const noexcept override {
    return limits::kMessageBodyBytesMax;
  }
  [[nodiscard]] bool waits() const noexcept override { return false; }

  Task<Response> answer(model::CallContext context, Slice body) override {
    context.deadline = environment_.steady_now() + limits::kHttpAnswerAgeMax;
    const auto group = group_to_place(publish_);
    if (group) {
      const auto placed = co_await place(context, *group);
      if (!placed) co_return to_problem(placed.error());
    }
    const std::string topic = publish_.topic;
    std::vector<model::Send> sends;
    sends.push_back(to_send(std::move(publish_), std::move(body), context.session->peer,
                            environment_.now().value));
    const auto replies = co_await handler_.send(context, std::move(sends));
    if (!replies) co_return to_problem(replies.error());
    if (replies->size() != 1) co_return wrong_reply();
    const Result<model::SendReply>& reply = replies->front();
    if (!reply) co_return to_problem(reply.error());
    co_return to_response(topic, *reply);
  }

 private:
  /// Gives the message the queue that its group has.
  Task<> place(model::CallContext context, std::string group) {
    auto route = co_await find_route(context, publish_.topic);
    if (!route && route.error().code == Errc::topic_not_found) {
      // The queues that it will have once this message makes it.
      auto template_route = co_await find_route(context, std::string(model::kAutoCreateTopic));
      if (template_route) route = std::move(template_route);
    }
    SLUICE_CO_TRY(route);
    auto chosen = choose_queue(*route, group);
    if (!chosen) {
      co_return fail(Errc::permission_denied,
                     "topic " + quoted(publish_.topic) + " has no queue to write to");
    }
    publish_.queue = chosen->queue;
    publish_.broker_name = std::move(chosen->broker_name);
    co_return Result<>{};
  }

  Task<model::Route> find_route(model::CallContext context, std::string topic) {
    model::Command query = model::QueryRoute{std::move(topic)};
    auto reply = co_await handler_.handle(context, std::move(query));
    SLUICE_CO_TRY(reply);
    auto* found = std::get_if<model::RouteReply>(&*reply);
    if (found == nullptr) co_return fail(Errc::internal, "the system answered without a route");
    co_return std::move(found->route);
  }

  Publish publish_;
  protocol::RequestHandler& handler_;
  Environment& environment_;
};

class ReadExchange final : public Exchange {
 public:
  ReadExchange(model::Pull pull, protocol::RequestHandler& handler, Environment& environment)
      : pull_(std::move(pull)), handler_(handler), environment_(environment) {}

  [[nodiscard]] std::size_t body_bytes_max() const noexcept override { return 0; }
  [[nodiscard]] bool waits() const noexcept override { return pull_.wait.count() > 0; }

  Task<Response> answer(model::CallContext context, Slice) override {
    context.deadline = environment_.steady_now() + pull_.wait + limits::kHttpAnswerAgeMax;
    model::Command command = pull_;
    const auto reply = co_await handler_.handle(context, std::move(command));
    if (!reply) co_return to_problem(reply.error());
    const auto* pulled = std::get_if<model::PullReply>(&*reply);
    if (pulled == nullptr) co_return wrong_reply();
    co_return to_response(pull_, *pulled);
  }

 private:
  model::Pull pull_;
  protocol::RequestHandler& handler_;
  Environment& environment_;
};

class MessageApplication final : public Application {
 public:
  MessageApplication(protocol::RequestHandler& handler, Environment& environment)
      : handler_(handler), environment_(environment) {}

  [[nodiscard]] tl::expected<std::unique_ptr<Exchange>, Response> begin(
      const RequestHead& head) override {
    auto call = route(head);
    if (!call) return tl::unexpected(std::move(call).error());
    if (auto* publish = std::get_if<Publish>(&*call)) {
      return std::make_unique<PublishExchange>(std::move(*publish), handler_, environment_);
    }
    return std::make_unique<ReadExchange>(std::move(std::get<model::Pull>(*call)), handler_,
                                          environment_);
  }

 private:
  protocol::RequestHandler& handler_;
  Environment& environment_;
};

}  // namespace

std::unique_ptr<Application> make_message_application(protocol::RequestHandler& handler,
                                                      Environment& environment) {
  return std::make_unique<MessageApplication>(handler, environment);
}

}  // namespace sluice::rest
