#include "protocols/remoting/session/receive_memory.hpp"

#include <sys/mman.h>

#include <new>

#include "common/base/limits.hpp"

namespace sluice::remoting {

namespace {

/// nullptr if the system has none, or has too many mappings.
std::byte* map(std::size_t size) {
  void* const memory =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

}  // namespace

ReceiveMemoryPtr ReceiveMemory::make(std::size_t size) {
  std::byte* const mapped = size >= limits::kSessionReadBytes ? map(size) : nullptr;
  const bool is_mapped = mapped != nullptr;
  std::byte* const data = is_mapped ? mapped : static_cast<std::byte*>(::operator new(size));
  return new ReceiveMemory(data, size, is_mapped);
}

ReceiveMemory::~ReceiveMemory() {
  if (is_mapped_) {
    ::munmap(data_, size_);
  } else {
    ::operator delete(data_);
  }
}

}  // namespace sluice::remoting
