// Observes the ranks of a guardian, in their memory and in /proc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/function_ref.hpp"
#include "memory/rank_report.hpp"
#include "memory/stillness.hpp"
#include "run/job.hpp"
#include "run/node/job_on_node.hpp"
#include "run/node/oom_watch.hpp"
#include "run/node/wire_up.hpp"

namespace gondwana::launch {

class Inspector {
 public:
  // Both must outlive this object.
  Inspector(const WireUp& wire, const JobOnNode& job) : wire_(wire), job_(job) {}

  // May be empty. `is_interrupted` returns whether a signal has arrived.
  std::string describe(Report report, FunctionRef<bool()> is_interrupted) const;
  // Call this when the rank has ended.
  RankEnded end_of(std::uint32_t rank, int wait_status) const;
  RanksSeen states() const;
  // Nothing if ranks may continue.
  std::optional<NodeEvent> look_for_deadlock(bool sees_all_ranks);
  // Describes programs of other runtimes whose ranks were separate jobs.
  std::vector<std::string> describe_no_jobs(const std::vector<Program>& programs) const;

 private:
  std::vector<Survivor> survivors() const;

  const WireUp& wire_;
  const JobOnNode& job_;
  Deadlock deadlock_;
  OomWatch oom_;
};

}  // namespace gondwana::launch
