// The compiled parts of Asio and Beast, once for all.
#include <boost/asio/impl/src.hpp>

// Beast takes an empty chunked content that arrives in pieces ("0\r\n", then "\r\n") for a mistake
// of its own: it asserts five bytes where three are enough, and goes on rightly without.
#define BOOST_DISABLE_ASSERTS
#include <boost/assert.hpp>

#include <boost/beast/src.hpp>
