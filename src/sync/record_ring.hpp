// A queue of byte records from one process to another, in shared memory. One process writes, one
// reads; neither waits. It wakes no process: see Doorbell and AgentBell.
//
// A record is contiguous: its head, then its bytes, rounded up to a multiple of 8. If it does not
// fit before the end of the ring, the rest there is skipped.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "core/assert.hpp"
#include "core/types.hpp"

namespace gondwana {

// All zero is the empty ring. Positions count bytes since the start and never decrease.
struct RecordRing {
  static constexpr std::size_t room = std::size_t{256} * 1024;

  struct Head {
    std::uint32_t size;  // of the bytes after it; `skip`: the ring continues at its start
    std::uint32_t to;
  };
  static constexpr std::uint32_t skip = ~std::uint32_t{0};
  // A record of this size fits at any position of an empty ring.
  static constexpr std::size_t longest = room / 2 - sizeof(Head);

  static constexpr std::size_t length(std::size_t size) {
    return (sizeof(Head) + size + sizeof(Head) - 1) / sizeof(Head) * sizeof(Head);
  }
  std::byte* at(std::uint64_t position) { return bytes.data() + position % room; }
  static std::size_t before_end(std::uint64_t position) { return room - position % room; }

  alignas(cache_line) std::atomic<std::uint64_t> written;
  alignas(cache_line) std::atomic<std::uint64_t> taken;
  alignas(cache_line) std::array<std::byte, room> bytes;
};

class RecordWriter {
 public:
  explicit RecordWriter(RecordRing& ring)
      : ring_(ring), written_(ring.written.load(std::memory_order_relaxed)) {}

  // Where to write `size` bytes, for publish(); null: no space now.
  std::byte* open(std::size_t size, std::uint32_t to = 0) {
    GONDWANA_ASSERT(size <= RecordRing::longest, size);
    const std::size_t length = RecordRing::length(size);
    const std::size_t left = RecordRing::before_end(written_);
    const std::size_t skipped = length > left ? left : 0;
    if (!has_room(skipped + length)) return nullptr;
    if (skipped > 0) write_head({RecordRing::skip, 0});
    written_ += skipped;
    write_head({static_cast<std::uint32_t>(size), to});
    std::byte* bytes = ring_.at(written_) + sizeof(RecordRing::Head);
    written_ += length;
    return bytes;
  }
  void publish() { ring_.written.store(written_, std::memory_order_release); }

 private:
  bool has_room(std::size_t length) {
    if (written_ + length - taken_ <= RecordRing::room) return true;
    taken_ = ring_.taken.load(std::memory_order_acquire);  // nothing is overwritten before
    return written_ + length - taken_ <= RecordRing::room;
  }
  void write_head(const RecordRing::Head& head) {
    std::memcpy(ring_.at(written_), &head, sizeof(head));
  }

  RecordRing& ring_;
  std::uint64_t written_;
  std::uint64_t taken_ = 0;  // at the last check
};

class RecordReader {
 public:
  struct Record {
    std::uint32_t to;
    Bytes bytes;  // valid until it is popped
  };

  explicit RecordReader(RecordRing& ring)
      : ring_(ring), taken_(ring.taken.load(std::memory_order_relaxed)) {}

  bool has_record() const { return ring_.written.load(std::memory_order_acquire) != taken_; }

  // Whether a record is present, for threads that do not read records.
  bool shows_record() const {
    return ring_.written.load(std::memory_order_acquire) !=
           ring_.taken.load(std::memory_order_relaxed);
  }

  std::optional<Record> front() {
    if (!has_record()) return std::nullopt;
    RecordRing::Head head = read_head();
    if (head.size == RecordRing::skip) {
      taken_ += RecordRing::before_end(taken_);
      head = read_head();
    }
    GONDWANA_ASSERT(RecordRing::length(head.size) <= RecordRing::before_end(taken_), head.size);
    return Record{head.to, {ring_.at(taken_) + sizeof(head), head.size}};
  }

  // The record from front().
  void pop() {
    taken_ += RecordRing::length(read_head().size);
    ring_.taken.store(taken_, std::memory_order_release);
  }

 private:
  RecordRing::Head read_head() const {
    RecordRing::Head head;
    std::memcpy(&head, ring_.at(taken_), sizeof(head));
    return head;
  }

  RecordRing& ring_;
  std::uint64_t taken_;
};

}  // namespace gondwana
