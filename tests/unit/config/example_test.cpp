#include "common/config/example.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <gtest/gtest.h>

#include "common/config/config.hpp"
#include "common/config/yaml_source.hpp"

namespace sluice::config {
namespace {

class ExampleFile : public testing::TestWithParam<Role> {
 protected:
  [[nodiscard]] static std::filesystem::path path() {
    return std::filesystem::path(SLUICE_CONF_DIR) / (std::string(to_string(GetParam())) + ".yaml");
  }
  [[nodiscard]] static std::string text() {
    std::ifstream in(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

// SLUICE_REWRITE=1 writes the files anew from the schema.
TEST_P(ExampleFile, SaysWhatTheSchemaSays) {
  const std::string expected = example_file(GetParam());
  if (std::getenv("SLUICE_REWRITE") != nullptr) std::ofstream(path()) << expected;
  EXPECT_EQ(text(), expected) << "run this test with SLUICE_REWRITE=1 and look at the difference";
}

TEST_P(ExampleFile, ShowsEverySettingOfItsRoleWithItsDefault) {
  const auto from_file = load(path(), {}, std::nullopt);
  ASSERT_TRUE(from_file.has_value()) << from_file.error().text;
  EXPECT_EQ(from_file->role(), GetParam());
  std::set<std::string> shown;
  const auto walked = walk_yaml(text(), "file", [&](const Entry& entry) -> Result<> {
    shown.insert(entry.name);
    const Key* key = find_key(entry.name);
    if (key == nullptr || entry.name == "role") return {};
    const auto value = parse_value(*key, entry.value);
    const auto standard = parse_value(*key, RawValue{{key->default_text}, false});
    EXPECT_EQ(value, standard) << entry.name;
    return {};
  });
  ASSERT_TRUE(walked.has_value()) << walked.error().text;
  for (const Key& key : schema()) {
    EXPECT_EQ(shown.contains(key.name), key.roles.contains(GetParam())) << key.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Roles, ExampleFile, testing::ValuesIn(kRoles),
                         [](const auto& role) { return std::string(to_string(role.param)); });

}  // namespace
}  // namespace sluice::config
