// Regions that the program names: events of the calling thread in a traced job, and ranges of NVTX
// if a tool has loaded it.
#pragma once

#include <atomic>
#include <cstdint>

namespace gondwana {

class Regions {
 public:
  enum User : std::uint32_t { trace = 1, checks = 2, tool = 4, starting = 8 };

  // If nothing uses regions, a call does nothing else than this test.
  static bool are_used() { return users.load(std::memory_order_relaxed) != 0; }
  static void add(User user) { users.fetch_or(user, std::memory_order_relaxed); }
  // Called when the library has started and knows whether regions are used.
  static void start(bool with_checks);

  static void begin(const char* name);
  // Ends the innermost region of the thread. False: none is open.
  static bool end();

 private:
  // Defined in one library, because each library with an inline variable could have its own copy.
  static constinit std::atomic<std::uint32_t> users;
};

}  // namespace gondwana
