#include "protocols/remoting/handlers/send_back.hpp"

#include "protocols/remoting/handlers/answer.hpp"

namespace sluice::remoting {

void answer_send_back(std::string& out, const AnswerTo& to) {
  Answer(out, to, response_code::kSystemError,
         "this broker does not take messages back for a retry: consume it again locally")
      .end();
}

}  // namespace sluice::remoting
