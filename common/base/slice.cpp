#include "common/base/slice.hpp"

#include <cstring>
#include <new>

namespace sluice {

boost::intrusive_ptr<Buffer> Buffer::make(std::size_t size) {
  // The header and the bytes share one allocation.
  void* memory = ::operator new(sizeof(Buffer) + size);
  auto* bytes = static_cast<std::byte*>(memory) + sizeof(Buffer);
  return new (memory) Buffer(bytes, size);
}

void Buffer::dispose() noexcept {
  this->~Buffer();
  ::operator delete(static_cast<void*>(this));
}

Slice Slice::copy_of(BytesView bytes) {
  if (bytes.empty()) return {};
  auto buffer = Buffer::make(bytes.size());
  std::memcpy(buffer->data(), bytes.data(), bytes.size());
  return buffer->slice(0, bytes.size());
}

}  // namespace sluice
