// The jobs of this user on this machine.
//
// A node of a job is found by its control memory. The guardian holds the descriptor of that memory.
// If another launcher started the job, the ranks of the node hold it. Only processes of the same
// user see the descriptor in /proc. No job is registered, so nothing has to be removed.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/mapping.hpp"
#include "core/result.hpp"
#include "memory/layout.hpp"

namespace gondwana::jobs {

// Reads and validates the facts that a node publishes in its control memory. Returns a copy,
// because the program may damage the memory at any time. Returns nothing if this is not, or no
// longer, the memory of a node.
std::optional<NodeFacts> read_facts(const Mapping& memory);

// The control memory of a node, mapped read-only.
class FoundNode {
 public:
  // `facts` come from read_facts(). `user` is the owner of the job.
  FoundNode(Mapping memory, const NodeFacts& facts, pid_t holder, uid_t user);

  const NodeFacts& facts() const { return facts_; }
  // Read-only.
  std::byte* control() const { return memory_.data(); }
  const ControlPage& page(std::uint32_t local) const;
  const ThreadSlots& threads(std::uint32_t local) const;
  // Whether this rank is dead and the job continues.
  bool is_dead(std::uint32_t local) const;
  // Whether this rank has left the job on purpose, which continues.
  bool has_left(std::uint32_t local) const;
  // How often another process has taken the place of the rank.
  std::uint32_t restarts(std::uint32_t local) const;
  // A process that holds the memory: the guardian, or a rank.
  pid_t holder() const { return holder_; }
  uid_t user() const { return user_; }
  // The process of a rank of the node. Returns 0 before the rank has joined, and if the processes
  // of the node are in another PID namespace.
  pid_t process(std::uint32_t local) const;
  // A team of a rank, by number; null if no team can have that number.
  const ShownTeam* shown_team(std::uint32_t local, std::uint32_t team) const;
  // The load of the node's agent. A job on one node has no agent process.
  const AgentLoad& agent_load() const { return header().agent_load; }
  // Whether /proc on this host shows the process numbers that the node uses.
  bool has_our_numbers() const { return has_our_numbers_; }
  // The nodes of the job without those whose ranks have moved to others, as this node knows.
  std::uint32_t nodes_in_use() const;
  // The name of the host of a node; empty until it is known.
  std::string host_of(std::uint32_t node) const;

 private:
  const NodeHeader& header() const;
  const DeathPlace& death(std::uint32_t local) const;

  Mapping memory_;
  NodeFacts facts_;
  ControlLayout layout_;
  pid_t holder_;
  uid_t user_;
  bool has_our_numbers_;
};

struct FoundJob {
  std::vector<FoundNode> nodes;  // the nodes on this machine, sorted by number; at least one

  const NodeFacts& facts() const { return nodes.front().facts(); }
  // "3f2a9c01"
  std::string id() const { return id_of(facts().job); }
  static std::string id_of(std::uint32_t number);
  // The command line of a rank; empty if none has joined.
  std::string program() const;
};

struct FoundJobs {
  std::vector<FoundJob> jobs;      // oldest first
  std::vector<std::string> notes;  // about jobs that cannot be read
};

// Whose jobs to find; only root can see jobs of others.
enum class Whose : std::uint8_t { mine, everybody };

FoundJobs find_jobs(Whose whose = Whose::mine);

// The ids of the jobs that `word` may mean: an id or its beginning, the number of a process of the
// job, or a program as for is_program(). An empty word means any job.
std::vector<std::string> ids_meant(const FoundJobs& found, std::string_view word);

// Whether a command line runs the program `name`: "heat" or "./heat" for "bin/heat 100", and
// "heat.py" for "python3 heat.py".
bool is_program(std::string_view command_line, std::string_view name);

// The error that no job was found. `where`: "on this machine".
Error no_job(std::string_view word, std::string_view where, const std::vector<std::string>& notes);

// Removes the job from `found`; returns nothing if it is not there.
std::optional<FoundJob> take(FoundJobs found, std::string_view id);

}  // namespace gondwana::jobs
