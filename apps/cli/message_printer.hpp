#pragma once

#include <iosfwd>
#include <string>

#include "apps/cli/consume.hpp"
#include "common/model/reply.hpp"

namespace sluice::cli {

/// Prints messages as they come.
class MessagePrinter {
 public:
  MessagePrinter(std::ostream& out, ConsumeOptions::Output output) : out_(out), output_(output) {}

  /// \return corrupt_record if the record is no stored message.
  [[nodiscard]] Result<> print(const model::StoredRecord& record,
                               const model::Endpoint& store_host);

 private:
  void print_row(const model::StoredRecord& record, std::string_view body,
                 std::string_view properties, std::int32_t queue);

  std::ostream& out_;
  ConsumeOptions::Output output_;
  bool has_header_ = false;
};

}  // namespace sluice::cli
