#include "protocols/http1/response_text.hpp"

#include <chrono>

#include <fmt/format.h>

#include "protocols/rest/problem.hpp"

namespace sluice::http1 {

std::string http_date(UnixMillis time) {
  using std::chrono::days;
  constexpr const char* weekdays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr const char* months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::chrono::sys_time<std::chrono::milliseconds> instant{
      std::chrono::milliseconds(time.value)};
  const auto midnight = std::chrono::floor<days>(instant);
  const std::chrono::year_month_day date(midnight);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(instant - midnight));
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                     weekdays[std::chrono::weekday(midnight).c_encoding()],
                     static_cast<unsigned>(date.day()),
                     months[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

std::string response_head(const rest::Response& response, UnixMillis now, AfterResponse after) {
  std::string head =
      fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\nContent-Length: {}\r\n", response.status,
                  rest::reason_of(response.status), http_date(now), response.body.size());
  if (!response.content_type.empty()) {
    head.append("Content-Type: ").append(response.content_type).append("\r\n");
  }
  for (const auto& [name, value] : response.fields) {
    head.append(name).append(": ").append(value).append("\r\n");
  }
  head.append(after == AfterResponse::close ? "Connection: close\r\n"
                                            : "Connection: keep-alive\r\n");
  return head.append("\r\n");
}

}  // namespace sluice::http1
