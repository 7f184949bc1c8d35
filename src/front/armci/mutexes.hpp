// Mutexes of the job. Each is a queue lock: its tail lies at the process that gave it, and every
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

  // Collective. False: no memory is left.
  bool create(CallName call, std::uint32_t count);
  void destroy(CallName call);
  bool exist() const { return !parts_.empty(); }
  void lock(CallName call, int mutex, int proc);
  void unlock(CallName call, int mutex, int proc);

 private:
  // The mutexes that a process has given, and where its words lie: the tails of its own mutexes,
  // and its nodes for all.
  struct Part {
    std::uint64_t offset;
    std::uint32_t count;
    std::uint32_t first;  // the number of its first mutex, of all
  };
  class Words;

  // One that a thread of this process holds.
  struct Held {
    int mutex;
    int proc;
    const OwnTurn* thread;
  };

  Words words_of(CallName call, int mutex, int proc);
  std::vector<Held>::iterator find_held(int mutex, int proc);

  Door& door_;
  std::vector<Part> parts_;  // by rank; empty: there are no mutexes
  std::byte* own_ = nullptr;
  std::vector<Held> held_;
};

}  // namespace gondwana::armci
