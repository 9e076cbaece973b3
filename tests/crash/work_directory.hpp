#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include <gtest/gtest.h>

namespace sluice::crash {

/// A directory for one store and what belongs to it. Removed when this object goes, unless the test
/// has failed: then it is evidence, and its path is printed.
class WorkDirectory {
 public:
  WorkDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "sluice-crash-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      std::perror("mkdtemp");
      std::abort();
    }
    path_ = name;
  }

  ~WorkDirectory() {
    if (testing::Test::HasFailure()) {
      std::printf("kept as evidence: %s\n%s", path_.c_str(), end_of_log().c_str());
      return;
    }
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  WorkDirectory(const WorkDirectory&) = delete;
  WorkDirectory& operator=(const WorkDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] std::filesystem::path data() const { return path_ / "data"; }
  [[nodiscard]] std::filesystem::path store() const { return data() / "store"; }

  /// The last lines that the servers wrote to their standard error.
  [[nodiscard]] std::string end_of_log() const {
    constexpr std::size_t kBytesMax = 2000;
    std::ifstream file(path_ / "server.log");
    const std::string all((std::istreambuf_iterator<char>(file)), {});
    return all.size() <= kBytesMax ? all : all.substr(all.size() - kBytesMax);
  }

 private:
  std::filesystem::path path_;
};

}  // namespace sluice::crash
