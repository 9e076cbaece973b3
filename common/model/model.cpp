// The headers of the model, each compiled on its own.
#include "common/model/call_context.hpp"
#include "common/model/command.hpp"
#include "common/model/reply.hpp"
#include "common/model/route.hpp"
