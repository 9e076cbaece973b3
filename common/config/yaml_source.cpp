#include "common/config/yaml_source.hpp"

#include <set>
#include <sstream>
#include <vector>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

namespace sluice::config {

namespace {

int line_of(const YAML::Node& node) {
  return node.Mark().is_null() ? 1 : node.Mark().line + 1;
}

/// Notes where documents begin, and nothing else.
class DocumentCounter final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override { starts_.push_back(mark); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

  [[nodiscard]] const std::vector<YAML::Mark>& starts() const noexcept { return starts_; }

 private:
  std::vector<YAML::Mark> starts_;
};

/// The line on which a second document begins; 0 if there is none. Looks no further: what is no
/// YAML after the first, yaml-cpp 0.7 takes for empty documents without end (LoadAll() fills the
/// memory with them).
int line_of_second_document(const std::string& text) {
  std::istringstream in(text);
  YAML::Parser parser(in);
  DocumentCounter counter;
  const bool has_second = parser.HandleNextDocument(counter) && parser.HandleNextDocument(counter);
  return has_second && counter.starts().size() > 1 ? counter.starts()[1].line + 1 : 0;
}

class Walk {
 public:
  Walk(std::string_view file, const std::function<Result<>(const Entry&)>& visit)
      : file_(file), visit_(visit) {}

  Result<> group(const YAML::Node& map, const std::string& prefix) {
    for (const auto& pair : map) {
      const auto visited = member(pair.first, pair.second, prefix);
      SLUICE_TRY(visited);
    }
    return {};
  }

  [[nodiscard]] tl::unexpected<Error> wrong(int line, std::string_view what) const {
    return fail(Errc::invalid_argument,
                file_ + ":" + std::to_string(line) + ": " + std::string(what));
  }

 private:
  Result<> member(const YAML::Node& key, const YAML::Node& value, const std::string& prefix) {
    const int line = line_of(key);
    if (!key.IsScalar()) return wrong(line, "a name is expected here");
    const std::string name = prefix + key.Scalar();
    if (!seen_.insert(name).second) return wrong(line, "'" + name + "' is given twice");
    Entry entry{.name = name, .line = line, .kind = Entry::Kind::value, .value = {}};
    if (value.IsMap()) {
      entry.kind = Entry::Kind::group;
      const auto visited = visit_(entry);
      SLUICE_TRY(visited);
      return group(value, name + ".");
    }
    if (value.IsNull()) {
      entry.kind = Entry::Kind::nothing;
    } else if (value.IsScalar()) {
      entry.value.items.push_back(value.Scalar());
    } else {
      const auto filled = fill_list(value, entry);
      SLUICE_TRY(filled);
    }
    return visit_(entry);
  }

  Result<> fill_list(const YAML::Node& sequence, Entry& entry) const {
    entry.value.is_list = true;
    for (const auto& item : sequence) {
      if (!item.IsScalar()) return wrong(line_of(item), "'" + entry.name + "' lists plain values");
      entry.value.items.push_back(item.Scalar());
    }
    return {};
  }

  std::string file_;
  const std::function<Result<>(const Entry&)>& visit_;
  std::set<std::string> seen_;
};

}  // namespace

Result<> walk_yaml(const std::string& text, std::string_view file,
                   const std::function<Result<>(const Entry&)>& visit) {
  Walk walk(file, visit);
  try {
    const int second = line_of_second_document(text);
    if (second > 0) return walk.wrong(second, "the settings end before this line");
    const YAML::Node document = YAML::Load(text);
    if (document.IsNull()) return {};
    if (!document.IsMap()) return walk.wrong(1, "expected settings, one 'name: value' a line");
    return walk.group(document, "");
  } catch (const YAML::Exception& error) {
    return walk.wrong(error.mark.line + 1,
                      error.msg +
                          " (usual causes: the indentation of this line or the one before, "
                          "a tab instead of blanks, no blank behind a colon)");
  }
}

}  // namespace sluice::config
