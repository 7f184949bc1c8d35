// The time of one thread by call path: a hash table with an entry for each path.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "call_site.hpp"
#include "counters.hpp"

namespace gondwana::profile {

class PathTable {
 public:
  struct Entry {
    std::uint64_t calls = 0;  // 0: the entry is free
    std::uint64_t ticks = 0;
    std::uint64_t bytes = 0;
    std::size_t number = 0;  // index of the call
    CallPath path{};
  };

  // Called only by the thread that owns the table.
  void add(std::size_t number, const CallPath& path, std::uint64_t ticks, std::uint64_t bytes) {
    Entry& entry = find(number, path);
    increase(entry.ticks, ticks);
    increase(entry.bytes, bytes);
    // Release: a thread that reads the count finds the path; see entry_at().
    std::atomic_ref(entry.calls).store(entry.calls + 1, std::memory_order_release);
  }

  static constexpr std::size_t size() { return places; }

  // Returns a copy; its `calls` is 0 if the entry is free.
  Entry entry_at(std::size_t place);

 private:
  static constexpr std::size_t bits = 10;
  static constexpr std::size_t places = std::size_t{1} << bits;
  static constexpr std::size_t max_used = places / 4 * 3;  // keeps searches short

  Entry& find(std::size_t number, const CallPath& path) {
    Entry& entry = entries_[place_of(number, path)];
    if (entry.number == number && entry.path == path && entry.calls > 0) [[likely]]
      return entry;
    return find_by_probing(number, path);
  }
  Entry& find_by_probing(std::size_t number, const CallPath& path);

  static std::size_t place_of(std::size_t number, const CallPath& path) {
    std::uint64_t mixed = number;
    for (const void* address : path)
      mixed = (mixed ^ reinterpret_cast<std::uintptr_t>(address)) * 0x9e3779b97f4a7c15;
    return mixed >> (64 - bits);
  }

  std::array<Entry, places> entries_{};
  Entry others_;  // paths that found no free entry; no report lists them
  std::size_t used_ = 0;
};

}  // namespace gondwana::profile
