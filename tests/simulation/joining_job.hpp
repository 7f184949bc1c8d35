// A simulated job of a foreign launcher: its ranks find each other through the launcher's key-value
// space. The decisions (JoinPlan, NodeRound, Guests) and the texts are the real ones. The launcher,
// the roll call, sockets and the clock are simulated.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bootstrap/join_plan.hpp"
#include "bootstrap/node_round.hpp"
#include "simulation/part_report.hpp"
#include "simulation/random.hpp"
#include "simulation/schedule.hpp"

namespace gondwana::simulation {

class JoiningJob {
 public:
  JoiningJob(std::uint64_t seed, bool logs);
  JoiningJob(const JoiningJob&) = delete;
  JoiningJob& operator=(const JoiningJob&) = delete;
  ~JoiningJob();

  PartReport run();

 private:
  struct Process;
  // Those that wait in one fence, and what to tell them.
  using Waiting = std::vector<std::pair<Process*, std::function<void(bool all_came)>>>;

  void draw();
  void later(Process& process, std::function<void()> what);
  void handle(Process& process, const JoinEvent& event);
  void handle_round(Process& process, const RoundEvent& event);
  void perform(Process& process, const JoinStep& step);
  void perform(Process& process, const RoundStep& step);
  void put(Process& process, Round round, const std::string& value);
  std::string get(Round round, std::uint32_t rank);
  void fence(Process& process, std::function<void(bool all_came)> done);
  std::vector<std::uint32_t> missing(const Process& process);
  void be_host(Process& process, BeHost host);
  void serve(Process& process);
  void on_offers(Process& process, const std::vector<NodeOffer>& offers);
  void visit(Process& process, std::uint32_t host, const Invitation& invitation);
  void join(Process& process);
  void refuse(Process& process, const Error& error);
  void judge();
  void fail(const std::string& wrong);
  template <typename Words>
  void log(Words words);

  Random random_;
  Schedule schedule_;
  bool logs_;
  PartReport report_;
  std::uint32_t node_ranks_ = 0;
  bool is_in_order_ = true;                          // ranks of a host have consecutive numbers
  bool all_come_ = true;                             // in time, and live
  std::vector<std::unique_ptr<Process>> processes_;  // by rank
  std::map<std::pair<Round, std::uint32_t>, std::string> values_;
  std::map<std::uint32_t, Waiting> fences_;
  std::map<std::uint32_t, std::string> offers_;  // by the rank that made them
};

}  // namespace gondwana::simulation
