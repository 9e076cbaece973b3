// The one place where Asio's and Beast's sources are compiled.
#include <boost/asio/impl/src.hpp>
#include <boost/beast/src.hpp>
