#pragma once

#include <string>
#include <utility>

#include "protocols/remoting/client/broker_client.hpp"
#include "protocols/remoting/client/response.hpp"
#include "protocols/remoting/codec/response_codes.hpp"

/// \file
/// What the requests of broker_client.hpp are made of; for the client's own source files.

namespace sluice::remoting {

inline void write_broker_name(FrameWriter& writer, const std::string& broker_name) {
  if (!broker_name.empty()) writer.field("bname", broker_name);
}

[[nodiscard]] inline Result<> check_success(const Response& response) {
  if (response.code() == response_code::kSuccess) return {};
  return fail(error_of(response.code(), response.remark()));
}

/// The same where RocketMQ has no code of its own for what `code` means here.
[[nodiscard]] inline Result<> check_success(const Response& response, std::int32_t code,
                                            Errc meaning) {
  auto success = check_success(response);
  if (success || response.code() != code) return success;
  return fail(meaning, std::move(success).error().text);
}

/// Sends a request and waits for its answer. `write_fields(FrameWriter&)` adds to the caller's
/// fields.
template <class WriteFields>
Task<Response> ask_anyhow(BrokerRequest request, RequestHead head, WriteFields write_fields,
                          Slice body) {
  auto write_all = [&](FrameWriter& writer) {
    write_caller(writer, request.caller);
    write_fields(writer);
  };
  auto response =
      co_await request.client->request(head, write_all, std::move(body), request.timeout);
  co_return std::move(response);
}

/// The same; an answer other than success is an error.
template <class WriteFields>
Task<Response> ask(BrokerRequest request, RequestHead head, WriteFields write_fields, Slice body) {
  auto response =
      co_await ask_anyhow(std::move(request), head, std::move(write_fields), std::move(body));
  SLUICE_CO_TRY(response);
  auto success = check_success(*response);
  SLUICE_CO_TRY(success);
  co_return std::move(response);
}

template <class WriteFields>
Task<> tell(BrokerRequest request, RequestHead head, WriteFields write_fields, Slice body) {
  auto response = co_await ask(std::move(request), head, std::move(write_fields), std::move(body));
  SLUICE_CO_TRY(response);
  co_return Result<>{};
}

}  // namespace sluice::remoting
