// A simulated rank: what its program does, in the order that the plan has for it.
#pragma once

#include <cstdint>
#include <string>

#include "memory/control_page.hpp"
#include "simulation/plan.hpp"
#include "simulation/process.hpp"

namespace gondwana::simulation {

class Node;
class World;

class Rank {
 public:
  Rank(World& world, Node& node, std::uint32_t number, const RankPlan& plan);
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  // The process that the guardian has started, and the program: one, unless there is a shell.
  Process& process() { return *process_; }
  const Process& program() const { return *program_; }
  Process& program() { return *program_; }
  const RankPlan& plan() const { return plan_; }
  void signal_group(int number);  // all of its processes

  RankState state() const { return state_; }
  void on_joined();        // the guardian has answered
  void start(Time later);  // all ranks have joined
  void finalize(Time later);
  // Another rank ends the job, and this one waits in the library.
  void end_on_purpose(int status);
  // It has noticed that a peer is gone.
  void on_peer_lost();
  bool waits() const;  // in the library, or for others to join or to finalize
  bool is_in_exit() const { return in_exit_; }
  // A program has ended before it took part, and the next one is about to start.
  bool is_between() const { return is_trying_ && process_->is_alive(); }
  bool is_replaced() const { return is_replaced_ && program_->is_alive(); }
  // It has asked to join, and its program has ended before it did.
  void hear_asked() { has_asked_ = true; }
  bool has_vanished() const {
    return has_asked_ && state_ == RankState::absent && !program_->is_alive();
  }
  // And its process has ended while the job was not about to end.
  void miss() { is_missed_ = true; }
  bool must_be_missed() const { return is_missed_ && has_vanished(); }

 private:
  void start_program();
  void begin();
  void run();
  void take_course();
  void start_orphan();
  void on_program_died();
  void exec();

  World& world_;
  Node& node_;
  std::uint32_t number_;  // on its node
  RankPlan plan_;
  Random random_;
  Process* process_ = nullptr;
  Process* program_ = nullptr;
  Process* orphan_ = nullptr;  // it will be one
  RankState state_ = RankState::absent;
  bool is_trying_ = false;  // the program is the first of two
  bool has_asked_ = false;
  bool is_missed_ = false;
  bool in_exit_ = false;
  bool waits_ = false;
  bool aborts_ = false;
  bool is_replaced_ = false;
};

}  // namespace gondwana::simulation
