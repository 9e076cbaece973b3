#include "apps/cli/progress.hpp"

#include <algorithm>
#include <ostream>
#include <string>

#include <fmt/format.h>

#include "apps/cli/table.hpp"

namespace sluice::cli {

namespace {

constexpr std::chrono::milliseconds kFirstDraw{500};
constexpr std::chrono::milliseconds kDrawInterval{100};
constexpr std::size_t kBarCharacters = 30;
constexpr std::string_view kWipeLine = "\r\x1b[K";

std::string bar_of(std::uint64_t done, std::uint64_t total) {
  const double part = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto filled = static_cast<std::size_t>(part * kBarCharacters);
  return fmt::format("[{}{}] {:3.0f} %  ", std::string(filled, '#'),
                     std::string(kBarCharacters - filled, '.'), part * 100);
}

}  // namespace

Progress::Progress(const Console& console, Environment& environment, std::uint64_t total)
    : console_(console),
      environment_(environment),
      total_(total),
      start_(environment.steady_now()),
      next_draw_(start_ + kFirstDraw) {}

Progress::~Progress() {
  if (is_drawn_) console_.err << kWipeLine << std::flush;
}

void Progress::update(std::uint64_t bytes, std::uint64_t messages) {
  if (!console_.shows_progress) return;
  const auto now = environment_.steady_now();
  if (now < next_draw_) return;
  next_draw_ = now + kDrawInterval;
  draw(bytes, messages);
}

void Progress::draw(std::uint64_t bytes, std::uint64_t messages) {
  is_drawn_ = true;
  const auto rate = static_cast<std::uint64_t>(static_cast<double>(messages) / seconds());
  console_.err << kWipeLine << (total_ > 0 ? bar_of(bytes, total_) : std::string())
               << grouped(messages) << " messages, " << human_bytes(bytes) << "  " << grouped(rate)
               << "/s" << std::flush;
}

double Progress::seconds() const {
  const std::chrono::duration<double> time = environment_.steady_now() - start_;
  return std::max(time.count(), 1e-6);
}

}  // namespace sluice::cli
