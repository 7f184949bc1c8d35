// One job of this user, wherever its nodes are.
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
#include "link/host.hpp"
#include "observe/hosts/observers.hpp"
#include "observe/jobs/found_jobs.hpp"
#include "observe/jobs/watch.hpp"
#include "observe/stacks/places.hpp"
#include "observe/trace/node_trace.hpp"

namespace gondwana::hosts {

// Which job a user means.
struct Choice {
  std::string job;                // as ids_meant() takes it
  std::vector<link::Host> hosts;  // where else to look
  bool only_here = false;         // on this host alone
  jobs::Whose whose = jobs::Whose::mine;
};

// Whether locks and words that ranks wait for get their names. It takes a look at the program.
enum class WordNames : std::uint8_t { no, yes };

class JobView {
 public:
  // Looks for the job on this host and on those of the choice. Where the choice names none, the
  // other hosts are those that the nodes of the job have told each other.
  static Result<JobView> open(const Choice& choice);

  // What all hosts have seen, for `time` or until `goes_on` says no.
  jobs::JobSeen watch(std::chrono::milliseconds time, FunctionRef<bool()> goes_on,
                      WordNames names = WordNames::no);

  // Where these ranks are in their program.
  std::vector<stacks::Place> find_places(const std::vector<std::uint32_t>& ranks,
                                         FunctionRef<bool()> goes_on);

  // The traces of all nodes, in their order, by one clock. A job that is not traced is looked at
  // for `time`, or until `goes_on` says no.
  std::vector<trace::NodeTrace> trace(std::chrono::milliseconds time, FunctionRef<bool()> goes_on);

  const std::vector<std::string>& complaints() const { return others_->complaints(); }

 private:
  JobView() : others_(std::make_unique<Observers>()) {}

  Result<void> find(const Choice& choice);
  struct ClockDifference {
    std::int64_t ahead_ns = 0;
    std::int64_t error_ns = 0;
  };

  // How far the clocks of the other hosts are ahead of that of this one.
  std::map<std::string, ClockDifference> compare_clocks(FunctionRef<bool()> goes_on);
  // The rows of jobs on the other hosts that the choice may mean.
  void add_rows_elsewhere(const Choice& choice, std::vector<jobs::Row>& rows);

  std::string id_;
  std::string program_;  // known also after the job has ended
  std::optional<jobs::FoundJob> here_;
  std::unique_ptr<Observers> others_;
};

}  // namespace gondwana::hosts
