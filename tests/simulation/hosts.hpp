// The hosts of a simulated job that continues after deaths: one, or several with a conductor. The
// decisions of conductor and guardians are the real ones, and so are the frames between them.
// Connections, processes and the clock are simulated. Agents, guardians, hosts, connections and the
// launcher fail.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/node/job_on_node.hpp"
#include "run/remote/frames.hpp"
#include "run/remote/job_on_hosts.hpp"
#include "simulation/part_report.hpp"
#include "simulation/random.hpp"
#include "simulation/schedule.hpp"

namespace gondwana::simulation {

inline constexpr std::uint64_t tag_of_job = 0x5eed;
inline constexpr std::uint32_t peer_timeout_s = 4;
inline constexpr Time told_ns = 500 * ms;         // of a rank whose host is well
inline constexpr Time loss_told_ns = 9 * second;  // of a host or an agent

// A node of the job: a host, or a part of one.
struct HostNode {
  std::uint32_t number;
  launch::Job part;
  std::optional<launch::JobOnNode> guardian = {};
  Time to_conductor = 0;  // when the last frame arrives
  Time to_node = 0;
  Time silent_at = ~Time{0};
  bool has_agent = false;
  bool is_linked = true;  // with the conductor
  bool is_over = false;
  bool is_well = true;  // no fault but deaths of ranks has hit it

  std::string name() const;
  bool is_idle() const { return guardian && guardian->end().is_idle(); }
};

class Hosts {
 public:
  Hosts(const Hosts&) = delete;
  Hosts& operator=(const Hosts&) = delete;
  virtual ~Hosts() = default;

  PartReport run();

 protected:
  Hosts(std::uint64_t seed, std::uint64_t stream, bool logs);

  // What differs between jobs.
  virtual void start() = 0;
  virtual void perform(HostNode& node, const launch::NodeAction& action) = 0;
  virtual void obey(HostNode& node, const launch::Frame& order) = 0;
  virtual launch::RanksSeen look(HostNode& node) = 0;
  virtual std::uint32_t count_living(const HostNode& node) const = 0;
  virtual void kill_ranks(HostNode& node) = 0;
  // Its agent or its connection is lost.
  virtual void expect_ranks_told(HostNode& node) = 0;
  virtual void on_end_begins(HostNode& /*node*/) {}
  virtual void on_heard(HostNode& /*node*/, const launch::Frame& /*frame*/) {}
  virtual void on_sent(const launch::Send& /*send*/) {}
  virtual void add_hosts(const launch::StartHosts& /*start*/) {}
  // How other nodes reach it.
  virtual std::string contact_of(const HostNode& node) const { return node.name(); }
  virtual void judge_end() = 0;

  Time latency() { return random_.skewed(latency_); }
  void add(HostNode& node);
  void begin_conductor(const launch::Job& job, const std::vector<launch::Job>& parts);
  void start_connection(HostNode& node);
  void handle(HostNode& node, const launch::NodeEvent& event);
  void handle(const launch::HostsEvent& event);
  void tell_conductor(HostNode& node, const launch::Frame& frame);
  void tick(HostNode& node);
  void tick_all();

  // Faults.
  void kill_agent(HostNode& node);
  void kill_guardian(HostNode& node);
  void power_off(HostNode& node);
  void cut(HostNode& node);
  void kill_launcher();
  void tell_loss(HostNode& node);

  bool is_ending() const { return ends_ || launcher_is_dead_; }
  bool is_over() const;
  bool has_conductor() const { return conductor_.has_value(); }
  bool is_of_job(const HostNode& node) const;
  void fail(const std::string& wrong);
  template <typename Words>
  void log(Words words) {
    if (logs_) report_.note(schedule_.now(), words());
  }

  Random random_;
  Schedule schedule_;
  Time latency_ = 0;
  std::vector<HostNode*> nodes_;  // by number, those that were not dropped
  std::optional<launch::JobOnHosts> conductor_;
  bool launcher_is_dead_ = false;
  bool ends_ = false;  // something but the ranks has ended the job

 private:
  void perform_any(HostNode& node, const launch::NodeAction& action);
  void perform(const launch::HostsAction& action);
  void tell_node(HostNode& node, const launch::Frame& frame);
  void tell_later(Time& last, std::function<void()> what);
  void close(HostNode& node);
  void finish(HostNode& node);

  std::vector<HostNode*> all_;
  bool logs_;
  PartReport report_;
};

}  // namespace gondwana::simulation
