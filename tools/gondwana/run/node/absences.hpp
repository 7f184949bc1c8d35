// Ends the job if ranks wait in vain: for a rank that has ended without taking part, for one that
// ends and waits for them, or for the node agent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "run/job.hpp"
#include "run/node/admission.hpp"
#include "run/node/node_end.hpp"
#include "run/node/node_events.hpp"

namespace gondwana::launch {

class Absences {
 public:
  // All arguments must outlive this object.
  Absences(const Job& job, std::string host, Admission& ranks, NodeEnd& end, NodeActions& actions)
      : job_(job), host_(std::move(host)), ranks_(ranks), end_(end), actions_(actions) {}

  // A rank of this node ended with status 0 and has called no door.
  void on_absent(std::uint32_t rank);
  void on(const Left& left, std::uint64_t now);
  void on(const RankLeaves& leaves, std::uint64_t now);
  void on(const AgentLost& lost, std::uint64_t now);
  void on(const RanksSeen& seen, std::uint64_t now);
  void on(const DeadlockSeen& seen, std::uint64_t now);
  void on(const NobodyCanGoOn& seen, std::uint64_t now);
  void on_tick(std::uint64_t now);
  std::optional<std::uint64_t> next_ns() const;

 private:
  // An agent that has ended. It is no loss if the ranks end as well.
  struct LostAgent {
    std::string sentence;
    std::string fault;  // a known fault of a library; may be empty
    std::uint64_t report_at_ns;
  };

  std::optional<std::uint64_t> look_at_ranks_ns() const;
  void leave_job(const RanksSeen& seen, std::uint64_t now);

  const Job& job_;
  std::string host_;
  Admission& ranks_;
  NodeEnd& end_;
  NodeActions& actions_;
  std::uint64_t next_look_ns_ = 0;  // a change of a rank's state sends no event
  std::optional<std::uint64_t> deadlock_at_ns_;
  std::optional<LostAgent> lost_agent_;
};

}  // namespace gondwana::launch
