#include "protocols/remoting/handlers/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "protocols/remoting/handlers/answer.hpp"
#include "protocols/remoting/handlers/send_back.hpp"
#include "tests/unit/remoting/wire.hpp"

namespace sluice::remoting {
namespace {

TEST(Table, ServesTheseCodesAndNoOther) {
  std::vector<std::int32_t> codes;
  for (const TableRow& row : table()) codes.push_back(row.code);
  std::ranges::sort(codes);
  EXPECT_EQ(codes,
            (std::vector<std::int32_t>{
                10,  11,  12,  14,  15,  17,  18,  21,  25,  26,  28,  29,    30,    31,   32,  33,
                34,  35,  36,  38,  41,  42,  43,  46,  100, 101, 102, 103,   104,   105,  106, 200,
                201, 202, 203, 204, 205, 206, 207, 208, 215, 216, 217, 219,   222,   223,  224, 225,
                300, 303, 304, 305, 307, 309, 310, 311, 312, 313, 314, 315,   317,   318,  319, 320,
                321, 322, 327, 328, 343, 345, 351, 352, 361, 901, 904, 20001, 20002, 20003}));
}

TEST(Table, FindsEveryRowByItsCode) {
  for (const TableRow& row : table()) EXPECT_EQ(find_row(row.code), &row) << row.code;
}

TEST(Table, FindsNothingForOtherCodes) {
  for (const std::int32_t code : {-1, 0, 9, 1023, 1024, 20'000, 200'050, 2'147'483'647}) {
    EXPECT_EQ(find_row(code), nullptr) << code;
  }
}

// The client then keeps the message and consumes it again by itself.
TEST(SendBack, IsAnsweredWithAnErrorThatSaysSo) {
  std::string out;
  answer_send_back(out, {.opaque = 3});
  const Received answer = read_frame(out);
  EXPECT_EQ(answer.code, response_code::kSystemError);
  EXPECT_EQ(answer.opaque, 3);
  EXPECT_NE(answer.remark, "");
}

TEST(Answer, OverTheFrameLimitIsAnErrorThatSaysSo) {
  std::string out = "before";
  Answer answer(out, {.opaque = 5}, response_code::kSuccess);
  answer.end_header();
  out.append(17U * 1024 * 1024, 'x');
  answer.end();
  const Received received = read_frame(std::string_view(out).substr(6));
  EXPECT_EQ(received.code, response_code::kMessageIllegal);
  EXPECT_EQ(received.opaque, 5);
  EXPECT_NE(received.remark.find("16777216"), std::string::npos) << received.remark;
}

}  // namespace
}  // namespace sluice::remoting
