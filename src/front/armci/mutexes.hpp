// Mutexes of the job. Each is a queue lock. Its tail is at the process that created it, and every
// process has a node for each mutex, at which it waits.
#pragma once

#include <cstdint>
#include <vector>

#include "core/types.hpp"
#include "front/armci/turns.hpp"

namespace gondwana::armci {

class Door;

class Mutexes {
 public:
  explicit Mutexes(Door& door) : door_(door) {}

  // Collective. False: out of memory.
  bool create(CallName call, std::uint32_t count);
  void destroy(CallName call);
  bool exist() const { return !parts_.empty(); }
  void lock(CallName call, int mutex, int proc);
  void unlock(CallName call, int mutex, int proc);

 private:
  // The mutexes that a process created, and the location of its words: the tails of its own
  // mutexes, and its nodes for all mutexes.
  struct Part {
    std::uint64_t offset;
    std::uint32_t count;
    std::uint32_t first;  // the number of its first mutex among all
  };
  class Words;

  // A mutex that a thread of this process holds.
  struct Held {
    int mutex;
    int proc;
    const OwnTurn* thread;
  };

  Words words_of(CallName call, int mutex, int proc);
  std::vector<Held>::iterator find_held(int mutex, int proc);

  Door& door_;
  std::vector<Part> parts_;  // by rank; empty: no mutexes exist
  std::byte* own_ = nullptr;
  std::vector<Held> held_;
};

}  // namespace gondwana::armci
