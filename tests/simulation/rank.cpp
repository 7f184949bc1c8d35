#include "simulation/rank.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <csignal>

#include "base/exit_status.hpp"
#include "simulation/node.hpp"
#include "simulation/world.hpp"

namespace gondwana::simulation {

Rank::Rank(World& world, Node& node, std::uint32_t number, const RankPlan& plan)
    : world_(world),
      node_(node),
      number_(number),
      plan_(plan),
      random_(world.random()),
      is_trying_(plan.tries) {
  if (plan.has_shell) {
    process_ = &node.add_process(
        {.name = fmt::format("the shell of rank {} of host {}", number, node.name())}, true);
    process_->on_death = [this] { node_.on_rank_died(number_); };
  }
  start_program();
}

void Rank::start_program() {
  program_ = &node_.add_process({.name = fmt::format("rank {} of host {}", number_, node_.name()),
                                 .at_term = plan_.at_term,
                                 .term = plan_.term,
                                 .term_status = plan_.status,
                                 .unkillable = plan_.unkillable},
                                !plan_.has_shell);
  if (!plan_.has_shell) process_ = program_;
  program_->on_death = [this] { on_program_died(); };
  begin();
}

void Rank::on_program_died() {
  world_.on_progress();
  world_.log([&] {
    return fmt::format("{} {}", program_->name(), describe_exit(program_->wait_status()));
  });
  if (orphan_ != nullptr) orphan_->later(plan_.orphan, [this] { orphan_->exit(0); });
  if (state_ != RankState::absent && !is_replaced_) node_.on_image_lost(number_);
  if (!plan_.has_shell) return node_.on_rank_died(number_);
  program_->reap();  // by the shell
  node_.on_program_died(number_);
  if (is_trying_ && !plan_.vanishes && !program_->was_told())
    return process_->later(plan_.gap, [this] {
      is_trying_ = false;
      start_program();
    });
  process_->later(plan_.shell, [this] { process_->exit(exit_status(program_->wait_status())); });
}

void Rank::start_orphan() {
  orphan_ = &node_.add_process(
      {.name = fmt::format("a process of rank {} of host {}", number_, node_.name()),
       .at_term = plan_.orphan_ignores_term ? AtTerm::ignores : AtTerm::dies},
      true);
}

void Rank::signal_group(int number) {
  process_->signal(number);
  if (program_ != process_) program_->signal(number);
  if (orphan_ != nullptr) orphan_->signal(number);
}

void Rank::begin() {
  program_->later(plan_.start, [this] {
    if (plan_.orphan != 0 && !is_trying_) start_orphan();
    if (!plan_.joins) return take_course();
    node_.tell_join(number_);
    if (is_trying_)
      program_->later(random_.skewed(20 * ms), [this] { program_->exit(plan_.status); });
  });
}

void Rank::on_joined() {
  if (!program_->is_alive() || is_trying_) return;
  state_ = RankState::joined;
  waits_ = true;
  world_.on_rank_joined();
}

void Rank::start(Time later) {
  program_->later(later, [this] {
    if (state_ != RankState::joined || aborts_) return;
    state_ = RankState::running;
    world_.on_progress();
    run();
  });
}

void Rank::run() {
  waits_ = !plan_.runs;
  program_->set_computing(plan_.runs);
  program_->later(plan_.run, [this] {
    program_->set_computing(false);
    world_.on_progress();
    if (!aborts_) take_course();
  });
}

void Rank::take_course() {
  waits_ = false;
  switch (plan_.course) {
    case Course::leaves:
      in_exit_ = true;
      [[fallthrough]];
    case Course::finalizes:
      if (!plan_.joins) return program_->exit(plan_.status);
      waits_ = true;
      node_.tell_leaving();
      return world_.on_rank_finalizes();
    case Course::exits:
      return program_->exit(plan_.status);
    case Course::dies:
      return program_->die(plan_.signal);
    case Course::hangs:
      waits_ = true;
      return;
    case Course::computes:
      return program_->set_computing(true);
    case Course::execs:
      if (!plan_.joins) return program_->exit(plan_.status);
      return exec();
    case Course::ends_all:
    case Course::aborts_all:
      if (!plan_.joins) return program_->exit(plan_.status);
      node_.tell(number_, {.status = plan_.status,
                           .is_on_purpose = plan_.course == Course::ends_all ? 1U : 0U});
      return program_->later(random_.skewed(20 * ms), [this] { program_->exit(plan_.status); });
  }
}

// The other program knows nothing of the job, which must end soon.
void Rank::exec() {
  constexpr Time limit = 20 * second;
  is_replaced_ = true;
  world_.on_progress();
  world_.log([&] { return program_->name() + " runs another program"; });
  node_.on_image_lost(number_);
  program_->later(plan_.image, [this] { program_->exit(plan_.status); });
  program_->later(limit, [this] {
    if (!node_.is_over() && !node_.is_ending())
      world_.fail(program_->name() + " runs another program, and the job does not end");
  });
}

void Rank::finalize(Time later) {
  program_->later(later, [this] {
    if (aborts_) return;
    state_ = RankState::finalized;
    waits_ = false;
    world_.on_progress();
    program_->later(plan_.linger, [this] { program_->exit(plan_.status); });
  });
}

void Rank::end_on_purpose(int status) {
  if (!waits_ || state_ != RankState::running || aborts_) return;
  aborts_ = true;
  program_->later(random_.skewed(50 * ms), [this, status] { program_->exit(status); });
}

// It gives its launcher two seconds to say more, and then ends the job.
void Rank::on_peer_lost() {
  if (!waits_ || state_ != RankState::running || aborts_) return;
  program_->later(2 * second + random_.skewed(second), [this] {
    if (!waits_ || aborts_ || state_ != RankState::running) return;
    aborts_ = true;
    world_.log([&] { return program_->name() + " says that it has lost a peer"; });
    node_.tell(number_, {.status = 1});
    program_->later(random_.skewed(5 * ms), [this] { program_->exit(1); });
  });
}

bool Rank::waits() const {
  return waits_ && program_->is_alive() && !program_->computes() && !program_->is_stopped() &&
         state_ == RankState::running;
}

}  // namespace gondwana::simulation
