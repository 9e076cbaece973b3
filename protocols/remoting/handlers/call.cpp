#include "protocols/remoting/handlers/call.hpp"

#include "protocols/remoting/handlers/answer.hpp"

namespace sluice::remoting {

void answer_acknowledged(std::string& out, const AnswerTo& to, const model::Reply&) {
  answer_success(out, to);
}

}  // namespace sluice::remoting
