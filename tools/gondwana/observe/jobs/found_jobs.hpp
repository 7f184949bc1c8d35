// The jobs of this user on this machine.
//
// A node of a job is found by its control memory. The guardian holds the descriptor of that memory.
// If another launcher started the job, the ranks of the node hold it. Only processes of the
// same user see the descriptor in /proc. No job is registered, so nothing is left behind.
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

// What the control memory of a node tells of itself, checked: a copy, for the program may damage
// the memory at any time. Nothing where that is not the memory of a node, or no longer.
std::optional<NodeFacts> read_facts(const Mapping& memory);

// The control memory of a node, mapped to be read.
class FoundNode {
 public:
  // `facts`: as read_facts() has them. `user`: whose job it is.
  FoundNode(Mapping memory, const NodeFacts& facts, pid_t holder, uid_t user);

  const NodeFacts& facts() const { return facts_; }
  // Only to be read.
  std::byte* control() const { return memory_.data(); }
  const ControlPage& page(std::uint32_t local) const;
  // A process that holds the memory: the guardian, or a rank.
  pid_t holder() const { return holder_; }
  uid_t user() const { return user_; }
  // The process of a rank of the node. Returns 0 before the rank has joined, and if the processes
  // of the node are in another PID namespace.
  pid_t process(std::uint32_t local) const;
  // Of a rank, by the number of a team; null: no team can have that number.
  const ShownTeam* shown_team(std::uint32_t local, std::uint32_t team) const;
  // What the agent of the node has to do; it has no process where the job is one of one node.
  const AgentLoad& agent_load() const { return header().agent_load; }
  // Whether process numbers of the node are those that /proc shows.
  bool has_our_numbers() const { return has_our_numbers_; }
  // The name of the host where a node of the job is; empty before it is known.
  std::string host_of(std::uint32_t node) const;

 private:
  const NodeHeader& header() const;

  Mapping memory_;
  NodeFacts facts_;
  ControlLayout layout_;
  pid_t holder_;
  uid_t user_;
  bool has_our_numbers_;
};

struct FoundJob {
  std::vector<FoundNode> nodes;  // those on this machine, by their numbers; at least one

  const NodeFacts& facts() const { return nodes.front().facts(); }
  // "3f2a9c01"
  std::string id() const { return id_of(facts().job); }
  static std::string id_of(std::uint32_t number);
  // The command line of a rank, or nothing where none has joined.
  std::string program() const;
};

struct FoundJobs {
  std::vector<FoundJob> jobs;      // the oldest first
  std::vector<std::string> notes;  // on jobs that cannot be read
};

// Whose jobs are looked for; only root sees those of others.
enum class Whose : std::uint8_t { mine, everybody };

FoundJobs find_jobs(Whose whose = Whose::mine);

// The ids of the jobs that `word` may mean. It is an id or its beginning, the number of a process
// of the job, or the program as is_program() takes it; empty: any job.
std::vector<std::string> ids_meant(const FoundJobs& found, std::string_view word);

// Whether a command line runs the program `name`: "heat" or "./heat" for "bin/heat 100", and
// "heat.py" for "python3 heat.py".
bool is_program(std::string_view command_line, std::string_view name);

// That no job is found. `where`: "on this machine".
Error no_job(std::string_view word, std::string_view where, const std::vector<std::string>& notes);

// Moves the job out of `found`; nothing where it is not there.
std::optional<FoundJob> take(FoundJobs found, std::string_view id);

}  // namespace gondwana::jobs
