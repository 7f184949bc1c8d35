// One job of this user, wherever its nodes are.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/function_ref.hpp"
#include "core/result.hpp"
#include "hosts/observers.hpp"
#include "jobs/found_jobs.hpp"
#include "jobs/watch.hpp"
#include "run/job.hpp"
#include "why/places.hpp"

namespace gondwana::hosts {

// Which job a user means.
struct Choice {
  std::string job;                  // as ids_meant() takes it
  std::vector<launch::Host> hosts;  // where else to look
  bool only_here = false;           // on this host alone
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
  std::vector<why::Place> find_places(const std::vector<std::uint32_t>& ranks,
                                      FunctionRef<bool()> goes_on);

 private:
  JobView() : others_(std::make_unique<Observers>()) {}

  Result<void> find(const Choice& choice);
  // The ids of jobs on the other hosts that `word` may mean.
  void add_ids_elsewhere(const std::string& word, std::vector<std::string>& ids);

  std::string id_;
  std::optional<jobs::FoundJob> here_;
  std::unique_ptr<Observers> others_;
};

}  // namespace gondwana::hosts
