#include "protocols/rest/admin_application.hpp"

#include "common/base/metrics.hpp"
#include "protocols/rest/problem.hpp"

namespace sluice::rest {

namespace {

using Answer = Response (*)();

class AdminExchange final : public Exchange {
 public:
  explicit AdminExchange(Answer answer) : answer_(answer) {}

  [[nodiscard]] std::size_t body_bytes_max() const noexcept override { return 0; }
  [[nodiscard]] bool waits() const noexcept override { return false; }
  Task<Response> answer(model::CallContext, Slice) override { co_return answer_(); }

 private:
  Answer answer_;
};

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

class AdminApplication final : public Application {
 public:
  [[nodiscard]] tl::expected<std::unique_ptr<Exchange>, Response> begin(
      const RequestHead& head) override {
    const auto target = parse_target(head.target);
    if (!target) return tl::unexpected(to_problem(target.error()));
    const Answer answer = find(*target);
    if (answer == nullptr) {
      return tl::unexpected(
          to_problem({Errc::not_found, "no such resource: there are /metrics and /healthz"}));
    }
    if (head.method == "GET" || head.method == "HEAD") {
      return std::make_unique<AdminExchange>(answer);
    }
    Response response =
        to_problem({Errc::unsupported, "this resource serves GET and HEAD only"}, 405, {});
    response.fields.emplace_back("Allow", "GET, HEAD");
    return tl::unexpected(std::move(response));
  }

 private:
  static Answer find(const Target& target) {
    if (target.segments.size() != 1) return nullptr;
    if (target.segments[0] == "metrics") return metrics_text;
    if (target.segments[0] == "healthz") return health;
    return nullptr;
  }
};

}  // namespace

std::unique_ptr<Application> make_admin_application() {
  return std::make_unique<AdminApplication>();
}

}  // namespace sluice::rest
