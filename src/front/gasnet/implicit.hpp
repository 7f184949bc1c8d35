// The implicit (NBI) operations of the calling thread, those that go over a wire: others are
// complete when they return. GASNet-EX 0.19, Implicit-event operations, access regions.
#pragma once

#include <memory>

#include "front/gasnet/remote_memory.hpp"
#include "gasnet_fwd.h"

namespace gondwana::gasnet {

// What waits for them is told by category; an access region is waited for as a whole.
struct Implicit {
  Batch puts;
  Batch gets;
  std::shared_ptr<Batch> region;  // null: the thread is in none

  // Where the next one belongs.
  Batch& for_put() { return region != nullptr ? *region : puts; }
  Batch& for_get() { return region != nullptr ? *region : gets; }

  bool is_done(gex_EC_t categories) const;
  void wait(gex_EC_t categories, CallName call);
};

// The calling thread's.
Implicit& implicit();

}  // namespace gondwana::gasnet
