#include "protocols/remoting/codec/request_codes.hpp"

namespace sluice::remoting {

std::string_view name_of_request(std::int32_t code) noexcept {
  switch (code) {
#define SLUICE_REQUEST(constant, number, name) \
  case request_code::constant:                 \
    return name;
#include "protocols/remoting/codec/request_codes.def"
#undef SLUICE_REQUEST
    default:
      return "OTHER";
  }
}

}  // namespace sluice::remoting
