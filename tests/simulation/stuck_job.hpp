// A simulated job whose agents ask each other whether any rank can continue. The questions are the
// real ones (Inquiry). Ranks, messages and the looks of agents at ranks are simulated, so it is
// known whether a rank can continue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "remote/agent/inquiry.hpp"
#include "simulation/part_report.hpp"
#include "simulation/random.hpp"
#include "simulation/schedule.hpp"

namespace gondwana::simulation {

class StuckJob {
 public:
  StuckJob(std::uint64_t seed, bool logs);
  StuckJob(const StuckJob&) = delete;
  StuckJob& operator=(const StuckJob&) = delete;
  ~StuckJob();

  PartReport run();

 private:
  struct Step;
  struct Rank;
  struct Agent;
  // A message from rank to rank that has not arrived.
  struct Message {
    std::uint32_t to;
    std::uint32_t kind;
  };
  using Answer = std::function<void(remote::NodeReport report)>;

  void draw();
  void draw_program();
  void spoil_program();
  void draw_faults();
  Time latency();

  void advance(Rank& rank);
  void perform(Rank& rank, const Step& step);
  void wait(Rank& rank, std::uint32_t kind, std::uint32_t count);
  void go_on_if_possible(Rank& rank);
  void begin_to_leave(Rank& rank);
  void leave(Rank& rank);
  void later(Rank& rank, Time delay, std::function<void()> what);
  void send(Rank& from, std::uint32_t to, std::uint32_t kind);
  void arrive(std::uint64_t number);

  void step(Agent& agent);
  void look(Agent& agent, const Answer& answer);
  remote::NodeReport look_at_ranks(const std::vector<Rank*>& part) const;
  void tell(std::uint32_t node, Time delay, std::function<void(Agent& agent)> what);
  Time delay_of_report(std::uint32_t node);
  void continue_inquiry(Agent& agent);
  void say_farewell(Agent& agent);
  bool fails_now();

  bool is_possible(const Rank& rank) const;
  bool can_continue(const Rank& rank) const;
  bool any_leaves() const;
  std::uint64_t in_flight(std::uint32_t node) const;
  void judge_diagnosis();
  void watch();
  void fail(const std::string& wrong);
  template <typename Words>
  void log(Words words);

  Random random_;
  Schedule schedule_;
  bool logs_;
  PartReport report_;
  bool is_over_ = false;
  std::uint64_t peer_timeout_ns_ = 0;
  Time latency_ = 0;
  std::optional<std::uint32_t> slow_node_;  // its reports are late
  bool passes_agents_ = false;              // messages go through the agent of the receiver
  Time calm_at_ = 0;                        // then no message is late any more, and nothing fails
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::vector<std::unique_ptr<Agent>> agents_;  // by node
  std::map<std::uint64_t, Message> under_way_;
  std::uint64_t messages_ = 0;
  std::optional<Time> stuck_at_;
};

}  // namespace gondwana::simulation
