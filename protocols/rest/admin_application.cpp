#include "protocols/rest/admin_application.hpp"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/serialize.hpp>

#include "common/base/limits.hpp"
#include "common/base/metrics.hpp"
#include "protocols/rest/admin/cluster.hpp"
#include "protocols/rest/admin/kv.hpp"
#include "protocols/rest/problem.hpp"

namespace sluice::rest {

namespace {

using Text = Response (*)();
using ToQuestion = Result<admin::Question> (*)(const Target& target);

Response metrics_text() {
  return {.status = 200,
          .content_type = "text/plain; version=0.0.4; charset=utf-8",
          .body = metrics::serialize(),
          .fields = {}};
}

Response health() {
  return {.status = 200,
          .content_type = "application/json",
          .body = R"({"status":"ok"})",
          .fields = {}};
}

/// One resource; a segment `*` is any name. Exactly one of the last two is set.
struct Resource {
  std::vector<std::string_view> path;
  Text text = nullptr;
  ToQuestion to_question = nullptr;
};

// Everything that is served, one line a resource.
const Resource kResources[] = {
    {.path = {"metrics"}, .text = metrics_text},
    {.path = {"healthz"}, .text = health},
    {.path = {"v1", "brokers"}, .to_question = admin::to_brokers},
    {.path = {"v1", "clusters"}, .to_question = admin::to_clusters},
    {.path = {"v1", "topics"}, .to_question = admin::to_topics},
    {.path = {"v1", "topics", "*", "route"}, .to_question = admin::to_route},
    {.path = {"v1", "kv"}, .to_question = admin::to_kv_namespaces},
    {.path = {"v1", "kv", "*"}, .to_question = admin::to_kv_entries},
};

bool is_at(const Resource& resource, const std::vector<std::string>& segments) {
  return std::ranges::equal(resource.path, segments,
                            [](std::string_view pattern, const std::string& segment) {
                              return pattern == "*" || pattern == segment;
                            });
}

const Resource* find(const std::vector<std::string>& segments) {
  for (const Resource& resource : kResources) {
    if (is_at(resource, segments)) return &resource;
  }
  return nullptr;
}

Response not_found() {
  std::string paths;
  for (const Resource& resource : kResources) {
    if (!paths.empty()) paths += ", ";
    for (const std::string_view segment : resource.path) paths.append("/").append(segment);
  }
  return to_problem({Errc::not_found, "no such resource: there are " + paths});
}

class TextExchange final : public Exchange {
 public:
  explicit TextExchange(Text text) : text_(text) {}

  [[nodiscard]] std::size_t body_bytes_max() const noexcept override { return 0; }
  [[nodiscard]] bool waits() const noexcept override { return false; }
  Task<Response> answer(model::CallContext, Slice) override { co_return text_(); }

 private:
  Text text_;
};

class QuestionExchange final : public Exchange {
 public:
  QuestionExchange(admin::Question question, protocol::RequestHandler& handler,
                   Environment& environment)
      : question_(std::move(question)), handler_(handler), environment_(environment) {}

  [[nodiscard]] std::size_t body_bytes_max() const noexcept override { return 0; }
  [[nodiscard]] bool waits() const noexcept override { return false; }

  Task<Response> answer(model::CallContext context, Slice) override {
    context.deadline = environment_.steady_now() + limits::kHttpAnswerAgeMax;
    const auto reply = co_await handler_.handle(std::move(context), std::move(question_.command));
    if (!reply) co_return to_problem(reply.error());
    const auto object = question_.answer(*reply, question_.name, question_.page);
    if (object.empty()) {
      co_return to_problem({Errc::internal, "the system answered something else than was asked"});
    }
    co_return Response{.status = 200,
                       .content_type = "application/json",
                       .body = boost::json::serialize(object),
                       .fields = {}};
  }

 private:
  admin::Question question_;
  protocol::RequestHandler& handler_;
  Environment& environment_;
};

class AdminApplication final : public Application {
 public:
  AdminApplication(protocol::RequestHandler& handler, Environment& environment)
      : handler_(handler), environment_(environment) {}

  [[nodiscard]] tl::expected<std::unique_ptr<Exchange>, Response> begin(
      const RequestHead& head) override {
    const auto target = parse_target(head.target);
    if (!target) return tl::unexpected(to_problem(target.error()));
    const Resource* const resource = find(target->segments);
    if (resource == nullptr) return tl::unexpected(not_found());
    if (head.method != "GET" && head.method != "HEAD") return tl::unexpected(method_not_allowed());
    if (resource->text != nullptr) return std::make_unique<TextExchange>(resource->text);
    auto question = resource->to_question(*target);
    if (!question) return tl::unexpected(to_problem(question.error()));
    return std::make_unique<QuestionExchange>(std::move(*question), handler_, environment_);
  }

 private:
  static Response method_not_allowed() {
    Response response =
        to_problem({Errc::unsupported, "this resource serves GET and HEAD only"}, 405, {});
    response.fields.emplace_back("Allow", "GET, HEAD");
    return response;
  }

  protocol::RequestHandler& handler_;
  Environment& environment_;
};

}  // namespace

std::unique_ptr<Application> make_admin_application(protocol::RequestHandler& handler,
                                                    Environment& environment) {
  return std::make_unique<AdminApplication>(handler, environment);
}

}  // namespace sluice::rest
