#include "protocols/http1/request_check.hpp"

#include <boost/asio/buffer.hpp>

#include <gtest/gtest.h>

#include "protocols/http1/response_text.hpp"

namespace sluice::http1 {
namespace {

/// What becomes of a request: 0 if its head is accepted, else the status it is answered with.
unsigned status_of(std::string_view request) {
  Parser parser;
  set_limits(parser);
  parser.eager(true);
  boost::system::error_code error;
  parser.put(boost::asio::buffer(request.data(), request.size()), error);
  if (error && error != boost::beast::http::error::need_more) return answer_to(error).status;
  if (!parser.is_header_done()) return 999;
  const auto head = check_head(parser);
  return head ? 0 : head.error().status;
}

unsigned post_with(std::string_view fields, std::string_view content = "") {
  std::string request = "POST /v1/topics/t/messages HTTP/1.1\r\nHost: h\r\n";
  request.append(fields).append("\r\n").append(content);
  return status_of(request);
}

TEST(RequestCheck, AcceptsOneLengthOrOneChunkedCoding) {
  EXPECT_EQ(post_with("Content-Length: 2\r\n", "hi"), 0U);
  EXPECT_EQ(post_with("Transfer-Encoding: chunked\r\n", "0\r\n\r\n"), 0U);
  EXPECT_EQ(post_with("Transfer-Encoding: Chunked\r\n", "0\r\n\r\n"), 0U);
}

// RFC 9112 §6.1, §6.3: what two readers may take for two different requests.
TEST(RequestCheck, RefusesEveryDoubtAboutWhereARequestEnds) {
  EXPECT_EQ(post_with("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n"), 400U);
  EXPECT_EQ(post_with("Transfer-Encoding: chunked\r\nContent-Length: 2\r\n"), 400U);
  EXPECT_EQ(post_with("Content-Length: 2\r\nContent-Length: 2\r\n"), 400U);
  EXPECT_EQ(post_with("Content-Length: 2\r\nContent-Length: 3\r\n"), 400U);
  EXPECT_EQ(post_with("Content-Length: 2, 2\r\n"), 400U);
  EXPECT_EQ(post_with("Content-Length: +2\r\n"), 400U);
  EXPECT_EQ(post_with("Content-Length: 0x2\r\n"), 400U);
  EXPECT_EQ(post_with("Content-Length: -2\r\n"), 400U);
  EXPECT_EQ(post_with("Content-Length:\r\n"), 400U);
  EXPECT_EQ(post_with("Content-Length : 2\r\n"), 400U);
  EXPECT_EQ(post_with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), 400U);
}

TEST(RequestCheck, RefusesOtherCodingsEvenWithALength) {
  EXPECT_EQ(post_with("Transfer-Encoding: gzip, chunked\r\n"), 501U);
  EXPECT_EQ(post_with("Transfer-Encoding: gzip\r\n"), 501U);
  EXPECT_EQ(post_with("Transfer-Encoding: xchunked\r\n"), 501U);
  EXPECT_EQ(post_with("Transfer-Encoding: gzip\r\nContent-Length: 2\r\n"), 400U);
}

TEST(RequestCheck, RefusesACodingInHttp10) {
  EXPECT_EQ(status_of("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400U);
}

TEST(RequestCheck, AsksForOneHost) {
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\r\n"), 400U);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400U);
  EXPECT_EQ(status_of("GET / HTTP/1.0\r\n\r\n"), 0U);
}

TEST(RequestCheck, KnowsOneExpectation) {
  EXPECT_EQ(post_with("Expect: 100-Continue\r\nContent-Length: 2\r\n"), 0U);
  EXPECT_EQ(post_with("Expect: the-worst\r\n"), 417U);
}

TEST(RequestCheck, RefusesWhatIsNoHttp) {
  EXPECT_EQ(status_of("hello\r\n\r\n"), 400U);
  EXPECT_EQ(status_of("\x16\x03\x01\x02\x00\x01\x00\x01\xFC\x03\x03"), 400U);
  EXPECT_EQ(status_of("GET / HTTP/1.1\nHost: h\n\n"), 505U);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: h\r\nX\x01: 1\r\n\r\n"), 400U);
  EXPECT_EQ(status_of("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 505U);
}

TEST(RequestCheck, ReadsAnAbsoluteTargetAsItsPath) {
  Parser parser;
  boost::system::error_code error;
  const std::string_view request = "GET HTTP://example:80/a?b=1 HTTP/1.1\r\nHost: h\r\n\r\n";
  parser.put(boost::asio::buffer(request.data(), request.size()), error);
  const auto head = check_head(parser);
  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->target, "/a?b=1");
}

// RFC 9110 §5.6.7.
TEST(HttpDate, IsWrittenAsTheStandardWritesIt) {
  EXPECT_EQ(http_date(UnixMillis{784'111'777'999}), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(http_date(UnixMillis{0}), "Thu, 01 Jan 1970 00:00:00 GMT");
}

}  // namespace
}  // namespace sluice::http1
