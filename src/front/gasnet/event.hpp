// Operations that take their time. On a node only collectives do.
#pragma once

#include <atomic>
#include <memory>

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

  bool is_complete() const { return complete_.load(std::memory_order_acquire); }
  // By who saw advance() return true. Pairs with is_complete().
  void finish() { complete_.store(true, std::memory_order_release); }

 private:
  std::atomic<bool> complete_{false};
};

}  // namespace gondwana::gasnet

// Owned by the client's handle: gone when a test or wait has seen it complete.
struct gondwana_gex_event {
  std::shared_ptr<gondwana::gasnet::Operation> operation;
};

namespace gondwana::gasnet {

class Door;

// Starts it, and gives the event by which the client learns of its end; GEX_EVENT_INVALID where
// that has come already.
gex_Event_t start(Door& door, std::shared_ptr<Operation> operation);

}  // namespace gondwana::gasnet
