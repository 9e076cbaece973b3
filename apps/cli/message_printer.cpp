#include "apps/cli/message_printer.hpp"

#include <ostream>

#include <fmt/format.h>
#include <boost/json/serialize.hpp>

#include "apps/cli/table.hpp"
#include "common/compression/stored_body.hpp"
#include "common/model/properties.hpp"
#include "common/model/stored_message.hpp"
#include "protocols/rest/message_json.hpp"

namespace sluice::cli {

namespace {
constexpr std::size_t kNameCharacters = 16;
constexpr std::size_t kBodyCharacters = 60;
constexpr auto kRowFormat = "{:>5}  {:>10}  {:<23}  {:<19}  {:<19}  {:>10}  {}\n";
}  // namespace

Result<> MessagePrinter::print(const model::StoredRecord& record,
                               const model::Endpoint& store_host) {
  const auto view = model::StoredMessageView::parse(record.payload.bytes());
  SLUICE_TRY(view);
  if (output_ == ConsumeOptions::Output::json) {
    auto message = rest::message_json(record, store_host);
    SLUICE_TRY(message);
    (*message)["topic"] = view->topic();
    out_ << boost::json::serialize(*message) << '\n';
    return {};
  }
  const auto body = compression::StoredBody::of(*view);
  if (output_ == ConsumeOptions::Output::lines) {
    out_ << as_text(body.bytes()) << '\n';
    return {};
  }
  print_row(record, as_text(body.bytes()), view->properties(), view->queue());
  return {};
}

// Printed as it comes, so the columns have fixed widths.
void MessagePrinter::print_row(const model::StoredRecord& record, std::string_view body,
                               std::string_view properties, std::int32_t queue) {
  if (!has_header_) {
    has_header_ = true;
    out_ << fmt::format(kRowFormat, "QUEUE", "OFFSET", "STORED (UTC)", "TAG", "KEYS", "SIZE",
                        "BODY");
  }
  const auto shown = [&](std::string_view name) {
    return printable(model::find_property(properties, name).value_or("-"), kNameCharacters);
  };
  out_ << fmt::format(kRowFormat, queue, record.offset, human_time(record.stored_at_ms),
                      shown(model::property::kTags), shown(model::property::kKeys),
                      human_bytes(body.size()), printable(body, kBodyCharacters));
}

}  // namespace sluice::cli
