// How a node agent finds out whether the whole job waits for ever: it asks all nodes whether their
// ranks wait, one after the other, and the one that went on last first. Two rounds that find all of
// them still, no rank gone on in between and no messages under way are enough. Messages to a rank
// that has ended is under way for ever: then the job counts as stuck once it has been still for as
// long as the silence of a node may last.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gondwana::remote {

// What an agent says of the ranks of its node.
struct NodeReport {
  bool is_still = false;
  bool any_leaves = false;
  std::uint64_t print = 0;
  std::uint64_t messages_in_flight = 0;
  std::string text;  // "rank 2 has called exit and ...; rank 3 waits in shmem_barrier_all"
};

class Inquiry {
 public:
  // `patience_ns`: that silence may last; 0: no limit.
  Inquiry(std::uint32_t node, std::uint32_t nodes, std::uint64_t patience_ns)
      : node_(node), peer_timeout_ns_(patience_ns), reports_(nodes), is_gone_(nodes) {}

  bool is_due(std::uint64_t now_ns) const { return now_ns >= next_ns_; }
  std::uint32_t round() const { return round_; }

  // A round begins with the report of the own node.
  void begin(NodeReport own, std::uint64_t now_ns);
  // Who is to be asked now; nobody where an answer is awaited or where none is needed.
  std::optional<std::uint32_t> next_to_ask(std::uint64_t now_ns);
  // The one that was to be asked last could not be asked yet.
  void ask_again() { asked_.reset(); }
  // Of another node, in the present round; reports of others are ignored.
  void hear(std::uint32_t node, std::uint32_t round, NodeReport report, std::uint64_t now_ns);
  // All ranks of that node have ended: it is not asked any more.
  void hear_farewell(std::uint32_t node, NodeReport report);

  // What all nodes wait for, once it is known that none can go on.
  const std::optional<std::string>& diagnosis() const { return diagnosis_; }

 private:
  struct Found {
    std::uint64_t print;
    std::uint64_t since_ns;
  };

  void put_off(std::uint64_t now_ns);
  void conclude(std::uint64_t now_ns);

  std::uint32_t node_;
  std::uint64_t peer_timeout_ns_;
  std::uint32_t round_ = 0;
  bool runs_ = false;
  std::optional<std::uint32_t> asked_;  // and has not answered
  std::uint64_t asked_ns_ = 0;
  std::uint32_t busy_ = 0;                          // the node that was found not to be still
  std::vector<std::optional<NodeReport>> reports_;  // of this round, by node
  std::vector<bool> is_gone_;
  std::optional<Found> found_;
  std::uint64_t next_ns_ = 0;
  std::uint64_t pause_ns_ = 0;
  std::optional<std::string> diagnosis_;
};

}  // namespace gondwana::remote
