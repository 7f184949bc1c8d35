// The turns of the threads of this process: one at a time is in the library. A thread that waits
// long for other processes gives its turn away meanwhile.
//
// What is one piece within the node needs no turn, be it put, got, added or updated: it touches no
// state of the door but the counters, which then may miss some.
#pragma once

#include <cstdint>

#include "sync/turn_lock.hpp"

namespace gondwana::armci {

using ProcessTurns = TurnLock<RealAtomics>;

// What a thread has of them.
struct OwnTurn {
  std::uint32_t depth = 0;  // of calls within calls
  std::uint32_t kept = 0;
  ProcessTurns::IsFirst is_first = false;
  std::uint64_t mpi_called_ns = 0;  // by a wait of this thread
};

extern constinit ProcessTurns process_turns __attribute__((visibility("hidden")));
extern constinit thread_local OwnTurn own_turn
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

// The turn of a call. Calls within calls have the turn already.
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

// While it lives, waits keep the turn: another thread would find state in the midst of a change.
class KeptTurn {
 public:
  KeptTurn() { ++own_turn.kept; }
  KeptTurn(const KeptTurn&) = delete;
  KeptTurn& operator=(const KeptTurn&) = delete;
  ~KeptTurn() { --own_turn.kept; }
};

// Before the first turn.
void prepare_turns();

}  // namespace gondwana::armci
