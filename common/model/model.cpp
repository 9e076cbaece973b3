// The headers of the model that have no source of their own: compiled here with the library.
#include "common/model/call_context.hpp"
#include "common/model/command.hpp"
#include "common/model/reply.hpp"
#include "common/model/route.hpp"
