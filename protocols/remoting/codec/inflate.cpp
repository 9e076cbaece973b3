#include "protocols/remoting/codec/inflate.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <zlib.h>

#include "common/base/assert.hpp"

namespace sluice::remoting {

namespace {

constexpr std::size_t kChunkBytes = std::size_t{64} * 1024;

/// An initialized stream, ended when it goes.
class InflateStream {
 public:
  explicit InflateStream(BytesView input) {
    const int status = inflateInit(&stream_);
    SLUICE_ASSERT(status == Z_OK, "zlib has the memory for a stream");
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(input.data()));
    stream_.avail_in = static_cast<uInt>(input.size());
  }
  ~InflateStream() { inflateEnd(&stream_); }
  InflateStream(const InflateStream&) = delete;
  InflateStream& operator=(const InflateStream&) = delete;

  /// Appends up to `bytes_max` bytes to `out`. Returns zlib's status.
  int append_to(std::string& out, std::size_t bytes_max) {
    const std::size_t begin = out.size();
    out.resize(begin + bytes_max);
    stream_.next_out = reinterpret_cast<Bytef*>(out.data() + begin);
    stream_.avail_out = static_cast<uInt>(bytes_max);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    out.resize(out.size() - stream_.avail_out);
    return status;
  }

 private:
  z_stream stream_{};
};

}  // namespace

Result<std::string> inflate_zlib(BytesView compressed, std::size_t bytes_max) {
  InflateStream stream(compressed);
  std::string out;
  while (true) {
    // One byte more than allowed shows that there is more.
    const std::size_t chunk = std::min(kChunkBytes, bytes_max + 1 - out.size());
    const int status = stream.append_to(out, chunk);
    if (out.size() > bytes_max) {
      return fail(Errc::malformed_packet,
                  fmt::format("compressed body inflates to more than {} bytes", bytes_max));
    }
    if (status == Z_STREAM_END) return out;
    if (status != Z_OK) {
      return fail(Errc::malformed_packet, "compressed body is damaged or ends early");
    }
  }
}

}  // namespace sluice::remoting
