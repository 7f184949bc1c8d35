// How a node agent detects that the whole job waits forever. It asks the nodes one after the other
// whether their ranks wait, starting with the node last found busy. The job is stuck if two rounds
// find all ranks waiting, no rank progressed in between and no messages are in flight. Messages to
// a rank that has ended stay in flight. Then the job counts as stuck once it has been still for the
// peer timeout. A job without any remaining rank is not stuck, because its processes may take long
// to end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gondwana::remote {

// The report of an agent on the ranks of its node.
struct NodeReport {
  bool is_still = false;
  bool any_leaves = false;
  std::uint64_t print = 0;  // 0: no rank is part of the job any more
  std::uint64_t messages_in_flight = 0;
  std::string text = {};  // "rank 2 has called exit and ...; rank 3 waits in shmem_barrier_all"
};

class Inquiry {
 public:
  // `patience_ns`: the longest silence of a node; 0: no limit.
  Inquiry(std::uint32_t node, std::uint32_t nodes, std::uint64_t patience_ns)
      : node_(node), peer_timeout_ns_(patience_ns), reports_(nodes), is_gone_(nodes) {}

  // From now on the job has `nodes` nodes. A round that runs asks the new ones, too.
  void include(std::uint32_t nodes) {
    if (nodes <= reports_.size()) return;
    reports_.resize(nodes);
    is_gone_.resize(nodes);
  }
  // A round that runs is not due again: with many or slow nodes it would never end.
  bool is_due(std::uint64_t now_ns) const { return !runs_ && now_ns >= next_ns_; }
  std::uint32_t round() const { return round_; }

  // Begins a round with the report of this node.
  void begin(NodeReport own, std::uint64_t now_ns);
  // The node to ask now; nothing while a reply is awaited or if the round is complete.
  std::optional<std::uint32_t> next_to_ask(std::uint64_t now_ns);
  // The last question could not be sent yet.
  void ask_again() {
    if (asked_) asked_->is_sent = false;
  }
  // Takes a report. Ignores it unless it is from the node asked last, in this round.
  void hear(std::uint32_t node, std::uint32_t round, NodeReport report, std::uint64_t now_ns);
  // All ranks of that node have ended, so it is not asked any more.
  void hear_farewell(std::uint32_t node, NodeReport report);

  // The waits of all ranks, once it is known that none can continue.
  const std::optional<std::string>& diagnosis() const { return diagnosis_; }

 private:
  struct Question {
    std::uint32_t node;
    std::uint64_t since_ns;
    bool is_sent = true;
  };
  struct Found {
    std::uint64_t print;
    std::uint64_t since_ns;
  };

  bool is_asked(std::uint32_t node) const { return asked_ && asked_->node == node; }
  // A rank can continue.
  void put_off(std::uint64_t now_ns);
  // What earlier rounds have found stays.
  void end_round(std::uint64_t now_ns);
  void conclude(std::uint64_t now_ns);

  std::uint32_t node_;
  std::uint64_t peer_timeout_ns_;
  std::uint32_t round_ = 0;
  bool runs_ = false;
  std::optional<Question> asked_;                   // has not replied yet
  std::uint32_t busy_ = 0;                          // the node last found busy
  std::vector<std::optional<NodeReport>> reports_;  // of this round, by node
  std::vector<bool> is_gone_;
  std::optional<Found> found_;
  std::uint64_t next_ns_ = 0;
  std::uint64_t pause_ns_ = 0;
  std::optional<std::string> diagnosis_;
};

}  // namespace gondwana::remote
