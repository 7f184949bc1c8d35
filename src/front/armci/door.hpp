// The ARMCI door of one process: the state that its calls share.
#pragma once

#include <fmt/format.h>

#include <string>

#include "armci/armci.h"
#include "engine/engine.hpp"
#include "front/armci/group_table.hpp"
#include "front/armci/heap.hpp"
#include "front/armci/mailbox.hpp"
#include "front/armci/memory.hpp"
#include "front/armci/mutexes.hpp"
#include "front/armci/shared_place.hpp"
#include "front/armci/transfers.hpp"
#include "front/armci/turns.hpp"
#include "front/armci/words.hpp"

namespace gondwana::armci {

// Prints the message and ends the job.
[[noreturn, gnu::cold]] void give_up(CallName call, const std::string& sentence);

class Door {
 public:
  // Collective.
  Door(Engine& engine, CallName call);
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;
  ~Door();

  Engine& engine() const { return engine_; }
  Rank rank() const { return engine_.rank(); }
  std::uint32_t ranks() const { return engine_.ranks(); }
  const Roster& roster() const { return engine_.memory().roster(); }
  Lane& lane() const { return engine_.default_lane(); }
  CounterBlock& counters() const { return counters_; }

  const Memory& memory() const { return memory_; }
  GlobalHeap& heap() { return heap_; }
  Words& words() { return words_; }
  GroupTable& groups() { return groups_; }
  Mailbox& mailbox() { return mailbox_; }
  Mutexes& mutexes() { return mutexes_; }
  Transfers& transfers() { return transfers_; }

  // Ends the job if the process does not exist.
  Rank checked_rank(CallName call, int proc) const;
  // Ends the job if the operation failed.
  void check(CallName call, bool is_done) const {
    if (!is_done) [[unlikely]]
      fail(call);
  }
  // Called before a put or accumulate to another node, so that it follows all earlier operations.
  void order(CallName call) {
    transfers_.wait_for_all(call);
    engine_.remote().fence(lane());
  }
  void complete(CallName call) const { check(call, engine_.rma().quiet(lane())); }

 private:
  void join(CallName call);
  ArmciPlace place_of(CallName call, Rank rank) const;
  [[noreturn, gnu::cold]] void fail(CallName call) const;

  Engine& engine_;
  CounterBlock& counters_;
  Memory memory_;
  GlobalHeap heap_;
  Words words_;
  GroupTable groups_;
  Mailbox mailbox_;
  Mutexes mutexes_;
  Transfers transfers_;
};

// The door of this process; null before ARMCI_Init and after ARMCI_Finalize.
extern constinit Door* own_door __attribute__((visibility("hidden")));
[[noreturn, gnu::cold]] void refuse_without_door(CallName call);

[[gnu::always_inline]] inline Door& open_door(CallName call) {
  if (own_door == nullptr) [[unlikely]]
    refuse_without_door(call);
  return *own_door;
}

// A call of the program. It holds the turn of the process, and gives access to the door.
class Entry {
 public:
  [[gnu::always_inline]] explicit Entry(CallName call) : call_(call), door_(open_door(call)) {}

  CallName call() const { return call_; }
  Door& operator*() const { return door_; }
  Door* operator->() const { return &door_; }

 private:
  CallName call_;
  Door& door_;
  Turn turn_;
};

}  // namespace gondwana::armci
