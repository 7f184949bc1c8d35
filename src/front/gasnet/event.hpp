// Asynchronous operations: collectives, and puts and gets to other nodes.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <variant>

#include "engine/collectives/staged/entered_barrier.hpp"
#include "front/gasnet/remote_memory.hpp"
#include "gasnet_fwd.h"

namespace gondwana::gasnet {

// One thread at a time calls advance(), which must not wait and returns true on completion.
class Operation {
 public:
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;

  virtual bool advance() = 0;
  // Whether the next step waits for another node. Called by the thread that may advance it.
  virtual bool waits_for_network() const { return false; }

  bool is_complete() const { return complete_.load(std::memory_order_acquire); }
  // Called by the thread that saw advance() return true. Pairs with is_complete().
  void finish() { complete_.store(true, std::memory_order_release); }

 private:
  std::atomic<bool> complete_{false};
};

class Door;
struct Team;

// A barrier of a team on one node that this member has entered. Copyable.
class BarrierEvent {
 public:
  BarrierEvent(Team& team, StagedTeam& members) : team_(&team), barrier_(members) {}

  bool is_complete();
  void wait(CallName call);

 private:
  Team* team_;
  staged::EnteredBarrier barrier_;
};

// A leaf of a root event: its local completion, or the same completion as the root.
struct Leaf {
  Batch* batch;
  bool is_local;

  bool is_complete() const { return is_local ? batch->has_free_sources() : batch->is_done(); }
};

}  // namespace gondwana::gasnet

// The client's handle owns a root. A test or wait that sees the root complete frees it and its
// leaves. A leaf may be tested again.
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

// Each function returns GEX_EVENT_INVALID if the operation is already complete.
gex_Event_t start(Door& door, std::shared_ptr<Operation> operation);
// The operations of the batch must be in flight already.
gex_Event_t event_of(std::shared_ptr<Batch> batch);
// The event of the local completion of `root`.
gex_Event_t local_completion_of(gex_Event_t root);

}  // namespace gondwana::gasnet
