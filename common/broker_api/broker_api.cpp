// The header of the seam, compiled on its own.
#include "common/broker_api/broker_api.hpp"
