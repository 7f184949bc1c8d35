// Buffers of the program that all ranks registered together: the n-th of one rank is the
// counterpart of the n-th of every other. An address at some distance from the start of this rank's
// buffer names the byte at the same distance in a peer's buffer.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/types.hpp"

namespace gondwana {

// The buffer of one rank: in its arena, or in another of its spaces. Consists of whole words.
struct BufferPart {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;   // bytes; 0: the rank has no memory
  std::uint64_t space = 0;  // a SpaceId

  SpaceId id() const {
    // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): only the arena's has a name
    return SpaceId(static_cast<std::uint32_t>(space));
  }
};

// A buffer that all ranks have registered.
struct RegisteredBuffer {
  Bytes own;
  const BufferPart* parts;  // by rank; never unmapped while registered
};

// Converts to false if no buffer contains the object.
struct BufferPlace {
  static constexpr std::size_t nowhere = ~std::size_t{0};

  std::size_t offset = nowhere;
  SpaceId space = SpaceId::arena;

  explicit operator bool() const { return offset != nowhere; }
  bool is_in_arena() const { return offset != nowhere && space == SpaceId::arena; }
};

class RegisteredBuffers {
 public:
  // The location of [object, object + size) of this rank at `rank`, which must be a rank of the
  // job. Thread-safe.
  BufferPlace find(Rank rank, const void* object, std::size_t size) const {
    return count_.load(std::memory_order_relaxed) == 0 ? BufferPlace() : search(rank, object, size);
  }

  // Called by one thread at a time.
  void add(const RegisteredBuffer& buffer);
  void remove(const void* address);
  // The memory of a buffer that contains one of the bytes, or empty.
  Bytes overlapping(Bytes bytes) const;

 private:
  struct Row {
    std::atomic<std::uintptr_t> begin;
    std::atomic<std::size_t> size;
    std::atomic<const BufferPart*> parts;

    void set(const Row& other);
  };

  BufferPlace search(Rank rank, const void* object, std::size_t size) const;
  BufferPlace find(Rank rank, std::uintptr_t object, std::size_t size) const;
  std::size_t rows_up_to(std::uintptr_t address) const;
  void make_room();

  std::atomic<std::uint64_t> version_{0};  // odd while rows change
  std::atomic<std::size_t> count_{0};
  std::atomic<Row*> rows_{nullptr};  // sorted by address
  std::size_t room_ = 0;
  // Includes earlier, smaller arrays, because a thread may still read them.
  std::vector<std::unique_ptr<Row[]>>
      arrays_;  // NOLINT(modernize-avoid-c-arrays): rows do not move
};

}  // namespace gondwana
