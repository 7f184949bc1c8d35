// Buffers of the program that all ranks have registered together: the n-th of one rank is the
// counterpart of the n-th of each other. An address in the buffer of this rank stands for the same
// distance from the beginning of that of a peer.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/types.hpp"
#include "engine/spaces/program_memory.hpp"

namespace gondwana {

// The buffer of one rank: in its arena.
struct BufferPart {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;  // bytes; 0: it has none
};

// One that is registered. Lives until it is removed, on all ranks.
struct RegisteredBuffer {
  Bytes own;
  const BufferPart* parts;  // by rank
};

class RegisteredBuffers {
 public:
  static constexpr std::size_t nowhere = ~std::size_t{0};

  // Where [object, object + size) of this rank lies in the arena of `rank`, or `nowhere`. Any
  // thread; `rank` is one of the job.
  std::size_t find(Rank rank, const void* object, std::size_t size) const {
    const List* list = list_.load(std::memory_order_acquire);
    return list == nullptr ? nowhere : find_in(*list, rank, object, size);
  }

  // One thread at a time.
  void add(const RegisteredBuffer& buffer);
  void remove(const void* address);
  // The buffer that contains one of the bytes; null if none does.
  const RegisteredBuffer* overlapping(Bytes bytes) const;

 private:
  using List = std::vector<RegisteredBuffer>;  // by address

  static std::size_t find_in(const List& list, Rank rank, const void* object, std::size_t size);
  void use(List list);

  std::atomic<const List*> list_{nullptr};
  // Former ones too: a thread may still look at them.
  std::vector<std::unique_ptr<const List>> lists_;
};

}  // namespace gondwana
