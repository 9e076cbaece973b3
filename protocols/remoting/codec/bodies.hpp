#pragma once

// All JSON bodies; include the one you need where that is enough.
#include "protocols/remoting/codec/heartbeat_body.hpp"        // IWYU pragma: export
#include "protocols/remoting/codec/kv_body.hpp"               // IWYU pragma: export
#include "protocols/remoting/codec/list_bodies.hpp"           // IWYU pragma: export
#include "protocols/remoting/codec/queue_bodies.hpp"          // IWYU pragma: export
#include "protocols/remoting/codec/register_broker_body.hpp"  // IWYU pragma: export
#include "protocols/remoting/codec/route_body.hpp"            // IWYU pragma: export
