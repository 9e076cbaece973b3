#include "common/compression/zlib_inflate.hpp"

#include <algorithm>
#include <array>

#include <zlib.h>

namespace sluice::compression {

namespace {

constexpr std::size_t kChunkBytes = 16U * 1024;

class InflateStream {
 public:
  InflateStream() { is_open_ = inflateInit(&stream_) == Z_OK; }
  ~InflateStream() {
    if (is_open_) inflateEnd(&stream_);
  }
  InflateStream(const InflateStream&) = delete;
  InflateStream& operator=(const InflateStream&) = delete;

  [[nodiscard]] bool is_open() const noexcept { return is_open_; }
  [[nodiscard]] z_stream& get() noexcept { return stream_; }

 private:
  z_stream stream_{};
  bool is_open_ = false;
};

}  // namespace

Result<std::string> zlib_inflate(BytesView compressed, std::size_t bytes_max) {
  InflateStream owner;
  if (!owner.is_open()) return fail(Errc::internal, "zlib has no memory");
  z_stream& stream = owner.get();
  // zlib does not write through next_in, whatever its type says.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(compressed.data()));
  stream.avail_in = static_cast<uInt>(compressed.size());
  std::string inflated;
  std::array<char, kChunkBytes> chunk;
  while (true) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    const int status = inflate(&stream, Z_NO_FLUSH);
    inflated.append(chunk.data(), chunk.size() - stream.avail_out);
    if (inflated.size() > bytes_max) {
      return fail(Errc::payload_too_large,
                  "inflates to more than " + std::to_string(bytes_max) + " bytes");
    }
    if (status == Z_STREAM_END) break;
    if (status != Z_OK) return fail(Errc::malformed_packet, "is no whole zlib stream");
  }
  if (stream.avail_in != 0) return fail(Errc::malformed_packet, "goes on after its zlib stream");
  return inflated;
}

}  // namespace sluice::compression
