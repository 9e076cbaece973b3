#include "common/base/metrics.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace sluice::metrics {

namespace {

template <class Value>
struct Family {
  std::string help;
  std::map<std::string, std::unique_ptr<Value>, std::less<>> by_labels;
};

struct Registry {
  std::mutex mutex;
  std::map<std::string, Family<Counter>, std::less<>> counters;
  std::map<std::string, Family<Gauge>, std::less<>> gauges;
};

Registry& registry() {
  static auto* instance = new Registry;  // Outlives every thread that may still count.
  return *instance;
}

template <class Value>
Value& find_or_add(std::map<std::string, Family<Value>, std::less<>>& families,
                   std::string_view name, std::string_view labels, std::string_view help) {
  Family<Value>& family = families[std::string(name)];
  if (family.help.empty()) family.help = help;
  auto& value = family.by_labels[std::string(labels)];
  if (!value) value = std::make_unique<Value>();
  return *value;
}

template <class Value>
void write(std::string& out, std::string_view type,
           const std::map<std::string, Family<Value>, std::less<>>& families) {
  for (const auto& [name, family] : families) {
    out.append("# HELP ").append(name).append(" ").append(family.help).append("\n");
    out.append("# TYPE ").append(name).append(" ").append(type).append("\n");
    for (const auto& [labels, value] : family.by_labels) {
      out.append(name);
      if (!labels.empty()) out.append("{").append(labels).append("}");
      out.append(" ").append(std::to_string(value->value())).append("\n");
    }
  }
}

}  // namespace

Counter& counter(std::string_view name, std::string_view labels, std::string_view help) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  return find_or_add(all.counters, name, labels, help);
}

Gauge& gauge(std::string_view name, std::string_view labels, std::string_view help) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  return find_or_add(all.gauges, name, labels, help);
}

std::string serialize() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  std::string out;
  write(out, "counter", all.counters);
  write(out, "gauge", all.gauges);
  return out;
}

}  // namespace sluice::metrics
