// The headers of the seam, compiled on their own.
#include "protocols/spi/protocol_plugin.hpp"
#include "protocols/spi/request_handler.hpp"
