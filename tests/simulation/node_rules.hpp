// What a guardian must decide about one event, written down a second time, as a specification: an
// event that ends the job does so at once, with its status and its sentence; no other does.
#pragma once

#include <optional>
#include <string>

#include "run/node/job_on_node.hpp"
#include "simulation/ledger.hpp"

namespace gondwana::simulation {

// How things were before the event.
struct NodeBefore {
  explicit NodeBefore(const launch::JobOnNode& job)
      : is_idle(job.end().is_idle()),
        is_over(job.end().ending().is_over()),
        status(job.end().outcome().status),
        alive(job.ranks().alive()),
        all_alive(job.ranks().all_alive()) {}

  bool is_idle;
  bool is_over;
  std::optional<int> status;
  std::uint32_t alive;
  std::uint32_t all_alive;
};

class NodeRules {
 public:
  NodeRules(const launch::Job& job, std::string host, Time began);

  // What is wrong, or nothing.
  std::optional<std::string> check(const launch::NodeEvent& event, const NodeBefore& before,
                                   const launch::JobOnNode& after,
                                   const launch::NodeActions& actions, Time now);
  // Why the job ends, if that event has told it: to be noticed now here, later elsewhere.
  std::optional<Cause> take_cause() { return std::exchange(cause_, std::nullopt); }

 private:
  enum class Ends { no, may, must };
  struct Expected {
    Ends ends = Ends::no;
    std::optional<int> status = {};  // of the event
    bool settles_later = false;      // also where the job ends already
    bool overrides = false;
    bool is_cause = false;  // the user is told, or the other hosts
    std::string begins = {};
    std::string ending = {};
  };

  Expected expect(const launch::NodeEvent& event, const NodeBefore& before,
                  const launch::JobOnNode& after, Time now) const;
  Expected expect(const launch::RankEnded& ended, const NodeBefore& before,
                  const launch::JobOnNode& after) const;
  Expected expect(const launch::SignalCame& signal) const;
  std::optional<std::string> check_status(const Expected& expected, const NodeBefore& before,
                                          const launch::JobOnNode& after) const;
  std::optional<std::string> check_words(const Expected& expected, const NodeBefore& before,
                                         bool ends_now, const launch::NodeActions& actions);
  static std::optional<std::string> check_signals(const launch::NodeEvent& event,
                                                  const NodeBefore& before,
                                                  const launch::JobOnNode& after,
                                                  const launch::NodeActions& actions);

  const launch::Job& job_;
  std::string host_;
  Time began_;
  std::optional<Cause> cause_;
};

}  // namespace gondwana::simulation
