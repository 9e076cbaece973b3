#pragma once

#include <string>

#include "protocols/remoting/handlers/request.hpp"

namespace sluice::remoting {

/// CONSUMER_SEND_MSG_BACK (36). There are no retries on the broker yet: an error makes the client
/// keep the message and try it again by itself, so nothing is lost.
void answer_send_back(std::string& out, const AnswerTo& to);

}  // namespace sluice::remoting
