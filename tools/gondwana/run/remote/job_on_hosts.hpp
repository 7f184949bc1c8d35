// Decides about a job on several hosts for its conductor: takes events, returns actions. It makes
// no system call and reads no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "run/job.hpp"
#include "run/node/node_directory.hpp"
#include "run/node/node_events.hpp"
#include "run/outcome.hpp"
#include "run/remote/agreements.hpp"
#include "run/remote/frames.hpp"
#include "run/remote/host_growth.hpp"
#include "run/remote/host_life.hpp"
#include "run/remote/job_roster.hpp"
#include "run/remote/world_agreement.hpp"

namespace gondwana::launch {

// Hosts are numbered in order. Sent again if the launcher of a host is started again.
struct HostStarted {
  std::uint32_t node;
  HostFacts facts;
};
struct HostSaid {
  std::uint32_t node;
  Frame frame;
};
struct HostPipeEnded {
  std::uint32_t node;
  std::string why;        // the data could not be parsed; may be empty
  std::uint64_t time_ns;  // time by which the process must end too
};
struct HostProcessEnded {
  std::uint32_t node;
  int wait_status;
  std::uint64_t time_ns;  // time by which the pipe must end too
};
// The answer to StartHosts if a host cannot be used.
struct GrowthFailed {
  std::string reason;
};
// HostSeen is the answer to LookAtHost.
using HostsEvent =
    std::variant<HostStarted, HostSaid, HostPipeEnded, HostProcessEnded, HostSeen, SignalCame,
                 LauncherLost, OutputFailed, Failed, TraceFailed, GrowthFailed, Tick>;

struct Send {
  std::vector<std::uint32_t> to;  // nodes
  Frame frame;
};
struct CloseHost {
  std::uint32_t node;
  bool is_killed;  // whether the process that connects to the host is killed
};
struct LookAtHost {
  std::uint32_t node;
};
struct StartInput {
  std::uint32_t node;
};
struct StopInput {};
// Start the launchers of nodes that are added, from this number on.
struct StartHosts {
  std::uint32_t first;
  GrowthPlan plan;
};
// Forget the nodes from this number on, which have been closed. Others will have their numbers.
struct DropHosts {
  std::uint32_t first;
};
// Explains the waits as `gondwana why` does.
enum class Explain { shortly, at_length };

using HostsAction = std::variant<Said, Send, CloseHost, LookAtHost, StartInput, StopInput,
                                 StartHosts, DropHosts, Explain>;
using HostsActions = std::vector<HostsAction>;

// When to look at each host. The first time is found without a walk over all hosts.
class HostTimes {
 public:
  void set(std::uint32_t node, std::optional<std::uint64_t> ns);
  std::optional<std::uint64_t> first() const;
  // The hosts whose time has come, the earliest first. They keep their times.
  std::vector<std::uint32_t> due(std::uint64_t now) const;

 private:
  std::vector<std::optional<std::uint64_t>> times_;  // by node
  std::set<std::pair<std::uint64_t, std::uint32_t>> order_;
};

class JobOnHosts {
 public:
  // Both must outlive this object. `parts`: the part of each host in the job.
  JobOnHosts(const Job& job, const std::vector<Job>& parts, std::uint64_t now);
  JobOnHosts(const JobOnHosts&) = delete;
  JobOnHosts& operator=(const JobOnHosts&) = delete;

  // Returns the actions in order. Send Tick in each iteration, and at next_ns().
  HostsActions handle(const HostsEvent& event, std::uint64_t now);
  std::optional<std::uint64_t> next_ns() const;

  // As far as is known, no process of the job is left.
  bool is_over() const { return living_ == 0; }
  bool is_over(std::uint32_t node) const { return hosts_[node].life.is_over(); }
  const Outcome& outcome() const { return outcome_; }
  // Reports the ranks that died in a job that continued; may be empty.
  std::string describe_dead() const;

 private:
  struct Host {
    HostLife life;
    std::uint64_t sent_epoch = 0;  // epoch of the rows that it has
    bool is_suspect = false;       // abandoned if it stays silent
    bool has_no_rank = false;      // left
    bool is_lost = false;          // its ranks are dead, or on another node
    bool was_silent = false;       // when it was lost
    bool knows_absence = false;    // a rank of another host takes no part
  };
  struct Wish {
    std::uint32_t node;  // of the asker
    MoreWanted wanted;
  };
  // A node whose ranks are started again on another one.
  struct LostNode {
    std::uint32_t node;
    std::vector<launch::Host> places;  // to try, in order
  };
  // Why a growth has failed: a process has ended on the way, or the host cannot be used.
  enum class Failure : std::uint8_t { death, refusal };
  // Hosts that are being added. Their ranks have no numbers for others before all of them are
  // known.
  struct Growing {
    std::variant<Wish, LostNode> why;
    Session session;
    std::uint32_t first;  // node
  };

  // Ranks that have numbers, and do not all run yet. Those of them that leave wait, because the
  // others need their memory.
  struct Joining {
    Session session;
    std::set<std::uint32_t> missing;
    std::vector<DeadRank> leaving = {};
  };

  void start(const HostStarted& started, std::uint64_t now);
  void on(const HostSaid& said);
  void on(const SignalCame& signal);
  void on(const OutputFailed& failed);
  void on(const Stopping& stopping);
  bool on_change(std::uint32_t node, const Frame& frame);
  bool on(std::uint32_t node, RanksDied died);
  bool on(std::uint32_t node, const RankRuns& runs);
  void on(const ShrinkEntry& entry);
  void on(std::uint32_t node, const MoreWanted& wanted);
  void on(std::uint32_t node, const LeaveWanted& wanted);
  bool on_news(std::uint32_t node, const Frame& frame);
  void begin_growth();
  Result<GrowthPlan> plan_for(const Wish& wish, std::uint32_t nodes) const;
  void finish_growth();
  void fail_growth(const std::string& reason, Failure how = Failure::death);
  void leave(const DeadRank& rank);
  void number_leave(const DeadRank& rank);
  void count_in(std::uint32_t rank);
  bool fails_growth(std::uint32_t node, const Frame& frame);
  bool is_added(std::uint32_t node) const { return growing_ && node >= growing_->first; }
  Result<void> admit(const LeaveWanted& wanted) const;
  void answer(std::uint32_t node, const Answer& answer);
  void tell_past(std::uint32_t node);
  void decide(const std::optional<WorldDecision>& decision);
  const Job& part_of(std::uint32_t node) const;
  const Program& program_of(std::uint32_t rank) const;
  std::vector<std::uint32_t> informed() const;
  void lose_host(std::uint32_t node, const HostEnd& end);
  void lose(const RanksDied& died, std::optional<std::uint32_t> lost_node);
  void number(std::uint32_t first, const std::vector<RankDeath>& deaths,
              std::optional<std::uint32_t> lost_node = {});
  bool knows_nodes() const;
  bool can_replace(std::uint32_t node, const std::vector<DeadRank>& dead) const;
  std::vector<launch::Host> places_for(std::uint32_t node) const;
  GrowthPlan plan_replacement(const LostNode& lost, std::uint32_t nodes) const;
  void forget_part(std::uint32_t node);
  void replace_elsewhere(LostNode lost, const std::string& reason, Failure how);
  std::string consequence(std::uint32_t restarts_before) const;
  void on_seen(const HostSeen& seen, std::uint64_t now);
  void on_tick(std::uint64_t now);
  void on_time_up();
  void close_host(std::uint32_t node, bool is_killed);
  void end_host(std::uint32_t node, const HostEnd& end, bool is_killed);
  void end_hosts(const End& end);
  void release_hosts();
  void end_job(int status, const std::string& sentence);
  void tell_absence(std::uint32_t node, const Left& left);
  void send_rows();
  void send_to_all(const Frame& frame);
  // Ask the host's life again when it is to be looked at.
  void reschedule(std::uint32_t node) { times_.set(node, hosts_[node].life.next_ns()); }
  // Whether the job ends, or will because the user has asked for it.
  bool will_end() const { return ending_ || end_signal_.has_value(); }
  std::vector<std::uint32_t> living() const;

  const Job& job_;
  const std::vector<Job>& parts_;
  std::vector<Job> added_;  // the parts of nodes that were added
  std::vector<launch::Host> hosts_of_nodes_;
  std::uint32_t ranks_;  // that have a number
  HostsActions actions_;
  std::vector<Host> hosts_;
  std::size_t living_ = 0;  // hosts that are not over
  HostTimes times_;
  NodeDirectory nodes_;
  std::optional<std::uint64_t> time_up_ns_;
  std::optional<std::uint64_t> abandon_at_ns_;
  Outcome outcome_;
  Agreements agreements_;
  WorldAgreement world_;
  std::optional<Growing> growing_;
  std::vector<Joining> joining_;
  std::deque<std::variant<Wish, LostNode>> wishes_;  // not begun
  std::vector<DeadRanks> changes_;  // deaths and leaves, in the order of their numbers
  JobRoster roster_;
  int first_death_status_ = 0;
  std::optional<int> end_signal_;  // the user has asked for the end
  bool ending_ = false;
};

}  // namespace gondwana::launch
