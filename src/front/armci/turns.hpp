// The turns of the threads of this process: only one thread at a time is in the library. A thread
// that waits long for other processes yields its turn meanwhile.
//
// A put, get, add or update of one piece within the node needs no turn. It touches no state of the
// door but the counters, which may then miss some operations.
#pragma once

#include <cstdint>

#include "sync/turn_lock.hpp"

namespace gondwana::armci {

using ProcessTurns = TurnLock<RealAtomics>;

// A thread's state.
struct OwnTurn {
  std::uint32_t depth = 0;  // depth of nested calls
  std::uint32_t kept = 0;
  ProcessTurns::IsFirst is_first = false;
  std::uint64_t mpi_called_ns = 0;  // by the last wait of this thread
};

extern constinit ProcessTurns process_turns __attribute__((visibility("hidden")));
extern constinit thread_local OwnTurn own_turn
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

// The turn of a call. Nested calls share it.
class Turn {
 public:
  [[gnu::always_inline]] Turn() {
    if (own_turn.depth++ == 0) process_turns.enter(own_turn.is_first);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  [[gnu::always_inline]] ~Turn() {
    if (--own_turn.depth == 0) process_turns.leave(own_turn.is_first);
  }
};

// Waits keep the turn during its lifetime, because another thread would see state that is half
// changed.
class KeptTurn {
 public:
  KeptTurn() { ++own_turn.kept; }
  KeptTurn(const KeptTurn&) = delete;
  KeptTurn& operator=(const KeptTurn&) = delete;
  ~KeptTurn() { --own_turn.kept; }
};

// Called before the first turn.
void prepare_turns();

}  // namespace gondwana::armci
