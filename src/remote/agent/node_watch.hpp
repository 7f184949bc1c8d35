// Watches the nodes with which the ranks of this one communicate. A node that is silent for longer
// than the peer timeout is lost. Nodes that end in order are not missed, because a job ends
// everywhere at once.
#pragma once

#include <cstdint>
#include <map>

#include "remote/agent/outbox.hpp"

namespace gondwana::remote {

class NodeWatch {
 public:
  // `memory` and `outbox` must outlive the object. `peer_timeout_ns`: 0: no limit.
  NodeWatch(const NodeMemory& memory, Outbox& outbox, std::uint64_t peer_timeout_ns)
      : memory_(memory), outbox_(outbox), peer_timeout_ns_(peer_timeout_ns) {}

  void check(std::uint64_t now_ns);
  // The agent of a node has replied. False: it was not asked.
  bool hear(std::uint32_t node, std::uint64_t now_ns);
  // Marks a node as lost. Ranks check the mark several times a second, even while they sleep.
  void lose(std::uint32_t node, NodeState how);

 private:
  // A node that must reply from time to time.
  struct Watched {
    bool has_answered = false;
    std::uint64_t heard_ns = 0;
    std::uint32_t beats = 0;
    bool owes_hello = false;  // the hello of this round has not been accepted by the endpoint
    bool owes_beat = false;   // likewise the beat
  };

  bool needs_watch(std::uint32_t node) const;
  bool all_have_answered() const;
  void begin_round(std::uint64_t now_ns, bool was_away);
  bool send_beats();
  bool greet(std::uint32_t node, Watched& watched);

  const NodeMemory& memory_;
  Outbox& outbox_;
  std::uint64_t peer_timeout_ns_;
  std::uint64_t next_round_ns_ = 0;
  std::uint64_t next_check_ns_ = 0;           // earlier if beats have to be repeated
  std::map<std::uint32_t, Watched> watched_;  // by node
};

}  // namespace gondwana::remote
