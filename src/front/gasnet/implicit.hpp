// The implicit (NBI) operations of the calling thread that go to other nodes or to devices. All
// others are complete when they return. GASNet-EX 0.19, Implicit-event operations, access regions.
#pragma once

#include <memory>

#include "front/gasnet/remote_memory.hpp"
#include "gasnet_fwd.h"

namespace gondwana::gasnet {

// A caller waits for puts and gets by category, and for an access region as a whole.
struct Implicit {
  Batch puts;
  Batch gets;
  std::shared_ptr<Batch> region;  // null: outside access regions

  // The batch of the next operation.
  Batch& for_put() { return region != nullptr ? *region : puts; }
  Batch& for_get() { return region != nullptr ? *region : gets; }

  bool is_done(gex_EC_t categories) const;
  void wait(gex_EC_t categories, CallName call);
};

Implicit& implicit();  // of the calling thread

}  // namespace gondwana::gasnet
