// A message being written: in the receiver's inbox, or in a buffer for the network.
#pragma once

#include "memory/node_memory.hpp"
#include "sync/inbox.hpp"

namespace gondwana {

struct RankBells {
  const NodeMemory* memory;
  Doorbell<RealAtomics>& operator()(std::uint32_t slot) const {
    return memory->page(memory->roster().rank_in(slot)).sync_bell;
  }
};
using NodeQueue = SharedQueue<RankBells>;

// The queue for messages of one class to one peer. The sending thread owns the credit cache.
struct MessageTarget {
  NodeQueue lane;
  CreditCache credit_cache;
  Doorbell<RealAtomics>* data_bell;
};

// The thread that opened it owns it until it publishes or cancels it.
struct Draft {
  MessageTarget* target;  // null: the rank is out of reach, and the message is in a buffer
  Reservation at;
  InboxMessage* message;
  MutableBytes block;
};

}  // namespace gondwana
