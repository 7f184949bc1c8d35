// Decides about the part of a job on one node: takes events, returns actions. It makes no system
// call and reads no clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run/node/absences.hpp"
#include "run/node/admission.hpp"
#include "run/node/deaths.hpp"
#include "run/node/node_end.hpp"
#include "run/node/node_events.hpp"

namespace gondwana::launch {

class JobOnNode {
 public:
  // `job` must outlive this object.
  JobOnNode(const Job& job, const std::string& host, std::uint64_t now);
  JobOnNode(const JobOnNode&) = delete;
  JobOnNode& operator=(const JobOnNode&) = delete;

  // Returns the actions in order. Send Tick in each iteration and at next_ns(), and after it
  // DescendantsSeen once the job ends.
  NodeActions handle(const NodeEvent& event, std::uint64_t now);
  std::optional<std::uint64_t> next_ns() const;

  const Admission& ranks() const { return ranks_; }
  const NodeEnd& end() const { return end_; }
  // The rank is alive, and so is its program.
  bool is_there(std::uint32_t rank) const { return deaths_.is_there(rank); }
  // The program that the rank runs.
  const Program& program_of(std::uint32_t rank) const;
  // Reports ranks that ended without being missed; may be empty.
  std::string describe_absent() const;
  // Reports the ranks that died in a job that continued; may be empty.
  std::string describe_dead() const;

 private:
  void on(const RanksWanted& wanted);
  void on(const RanksUnwanted& unwanted);
  void on(const RanksFailed& failed);
  void on(const Dismissed& dismissed);
  void on(const Answer& answer);
  void dismiss(std::uint32_t number);

  // A process that has asked the conductor for ranks.
  struct Asker {
    std::uint32_t rank;
    pid_t pid;
  };

  const Job& job_;
  NodeActions actions_;
  std::vector<AddRanks> added_;
  std::vector<Asker> askers_;  // in order; not answered yet
  Admission ranks_;
  NodeEnd end_;
  Absences absences_;
  Deaths deaths_;
};

}  // namespace gondwana::launch
