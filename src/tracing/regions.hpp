// Regions that the program names: events of the calling thread in a job that is traced, and ranges
// of NVTX where a tool has loaded that.
#pragma once

#include <atomic>
#include <cstdint>

namespace gondwana {

class Regions {
 public:
  enum User : std::uint32_t { trace = 1, checks = 2, tool = 4, starting = 8 };

  // A call that finds no user does nothing else.
  static bool are_used() { return users.load(std::memory_order_relaxed) != 0; }
  static void add(User user) { users.fetch_or(user, std::memory_order_relaxed); }
  // The library has started: from now on it is known what uses regions.
  static void start(bool with_checks);

  static void begin(const char* name);
  // Ends the innermost region of the thread. False: none is open.
  static bool end();

 private:
  // In one library for all: each that has an inline variable may have a copy.
  static constinit std::atomic<std::uint32_t> users;
};

}  // namespace gondwana
