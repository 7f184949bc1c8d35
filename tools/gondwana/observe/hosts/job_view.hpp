// One job of this user, on all hosts of its nodes.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/function_ref.hpp"
#include "core/result.hpp"
#include "link/clock_difference.hpp"
#include "link/host.hpp"
#include "observe/hosts/observers.hpp"
#include "observe/jobs/found_jobs.hpp"
#include "observe/jobs/watch.hpp"
#include "observe/stacks/places.hpp"
#include "observe/trace/node_trace.hpp"

namespace gondwana::hosts {

// The job that a user selects.
struct Choice {
  std::string job;                // as accepted by ids_meant()
  std::vector<link::Host> hosts;  // further hosts to search
  bool only_here = false;         // search this host only
  jobs::Whose whose = jobs::Whose::mine;
};

// Whether to name the locks and words that ranks wait for, which requires reading the program.
enum class WordNames : std::uint8_t { no, yes };

class JobView {
 public:
  // Finds the job on this host and on the hosts in `choice`. If `choice` names no host, it searches
  // the hosts that the job's nodes have published.
  static Result<JobView> open(const Choice& choice);

  // Returns the observations of all hosts, after `time` or when `continues` returns false.
  jobs::JobSeen watch(std::chrono::milliseconds time, FunctionRef<bool()> continues,
                      WordNames names = WordNames::no);

  // Finds where these ranks are in their program.
  std::vector<stacks::Place> find_places(const std::vector<std::uint32_t>& ranks,
                                         FunctionRef<bool()> continues);

  // The traces of all nodes, in order, converted to one clock. If the job is not traced, it is
  // sampled for `time` or until `continues` returns false.
  std::vector<trace::NodeTrace> trace(std::chrono::milliseconds time,
                                      FunctionRef<bool()> continues);

  const std::vector<std::string>& complaints() const { return others_->complaints(); }

 private:
  JobView() : others_(std::make_unique<Observers>()) {}

  Result<void> find(const Choice& choice);
  Result<std::string> find_id(const Choice& choice, const jobs::FoundJobs& found);
  // The clocks of the other hosts, by their names.
  std::map<std::string, link::ClockDifference> compare_clocks(FunctionRef<bool()> continues);
  // Adds the jobs on other hosts that `choice` may mean.
  void add_rows_elsewhere(const Choice& choice, std::vector<jobs::Row>& rows);

  std::string id_;
  std::string program_;  // kept after the job has ended
  std::optional<jobs::FoundJob> here_;
  std::unique_ptr<Observers> others_;
};

}  // namespace gondwana::hosts
