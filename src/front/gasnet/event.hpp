// Operations that take their time: collectives, and puts and gets over a wire.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <variant>

#include "engine/collectives/staged/entered_barrier.hpp"
#include "front/gasnet/remote_memory.hpp"
#include "gasnet_fwd.h"

namespace gondwana::gasnet {

// Moved on by advance() of one thread at a time, complete when that returns true. Must not wait.
class Operation {
 public:
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;

  virtual bool advance() = 0;
  // Whether what it needs next comes from another node. By who may advance it.
  virtual bool waits_for_network() const { return false; }

  bool is_complete() const { return complete_.load(std::memory_order_acquire); }
  // By who saw advance() return true. Pairs with is_complete().
  void finish() { complete_.store(true, std::memory_order_release); }

 private:
  std::atomic<bool> complete_{false};
};

class Door;
struct Team;

// A barrier that this member of a team on one node has entered. A value.
class BarrierEvent {
 public:
  BarrierEvent(Team& team, StagedTeam& members) : team_(&team), barrier_(members) {}

  bool is_complete();
  void wait(CallName call);

 private:
  Team* team_;
  staged::EnteredBarrier barrier_;
};

}  // namespace gondwana::gasnet

namespace gondwana::gasnet {

// Of a root: local completion, or all that the root is.
struct Leaf {
  Batch* batch;
  bool is_local;

  bool is_complete() const { return is_local ? batch->has_free_sources() : batch->is_done(); }
};

}  // namespace gondwana::gasnet

// A root is owned by the client's handle: gone when a test or wait has seen it complete, and its
// leaves with it. A leaf may be asked again.
struct gondwana_gex_event {
  std::variant<gondwana::gasnet::BarrierEvent, std::shared_ptr<gondwana::gasnet::Operation>,
               std::shared_ptr<gondwana::gasnet::Batch>, gondwana::gasnet::Leaf>
      what;
  std::array<std::unique_ptr<gondwana_gex_event>, 2> leaves = {};  // by Leaf::is_local

  bool is_complete();
  bool is_leaf() const { return std::holds_alternative<gondwana::gasnet::Leaf>(what); }
  bool has_leaf(gex_Event_t event) const {
    return event == leaves[0].get() || event == leaves[1].get();
  }
};

namespace gondwana::gasnet {

// Starts it, and gives the event by which the client learns of its end; GEX_EVENT_INVALID where
// that has come already.
gex_Event_t start(Door& door, std::shared_ptr<Operation> operation);
// The same of operations that are under way.
gex_Event_t event_of(std::shared_ptr<Batch> batch);
// The event of its local completion; GEX_EVENT_INVALID where that has come already.
gex_Event_t local_completion_of(gex_Event_t root);

}  // namespace gondwana::gasnet
