#include <algorithm>
#include <utility>

#include "simulation/engine/program.hpp"

namespace gondwana::simulation {
namespace {

bool orders(Act act) {
  return act == Act::fence || act == Act::quiet;
}

// Ranks first to first + count - 1, which are on one node.
struct Gone {
  std::uint32_t node;
  std::uint32_t first;
  std::uint32_t count;

  bool holds(std::uint32_t rank) const { return rank >= first && rank < first + count; }
  std::uint32_t renumber(std::uint32_t rank) const { return rank < first ? rank : rank - count; }
};

void drop_ranks(Phase& phase, const Gone& gone) {
  phase.actions.erase(phase.actions.begin() + gone.first,
                      phase.actions.begin() + gone.first + gone.count);
  for (std::vector<Action>& actions : phase.actions) {
    std::erase_if(actions, [&](const Action& action) {
      return gone.holds(action.pe) || gone.holds(action.writer);
    });
    for (Action& action : actions) {
      action.pe = gone.renumber(action.pe);
      action.writer = gone.renumber(action.writer);
    }
  }
  phase.root = gone.holds(phase.root) ? 0 : gone.renumber(phase.root);
}

void drop_ranks(Program& program, const Gone& gone) {
  for (Phase& phase : program.phases) drop_ranks(phase, gone);
  program.nodes[gone.node] -= gone.count;
  const bool is_empty = program.nodes[gone.node] == 0;
  if (is_empty) program.nodes.erase(program.nodes.begin() + gone.node);
  program.team = {.start = 0, .stride = 1, .size = program.ranks()};
  if (!program.loss) return;
  std::uint32_t& lost = program.loss->number;
  if (program.loss->what == Loss::What::rank) {
    if (gone.holds(lost))
      program.loss.reset();
    else
      lost = gone.renumber(lost);
  } else if (is_empty && lost >= gone.node) {
    if (lost == gone.node)
      program.loss.reset();
    else
      --lost;
  }
}

class Smaller {
 public:
  explicit Smaller(const Program& program) : program_(program) {}

  std::vector<Change> all() {
    drop_nodes();
    drop_phases();
    drop_faults();
    for (std::size_t phase = 0; phase < program_.phases.size(); ++phase) drop_actions(phase);
    for (std::size_t phase = 0; phase < program_.phases.size(); ++phase) drop_details(phase);
    return std::move(changes_);
  }

 private:
  void with(Change change) { changes_.push_back(std::move(change)); }

  void drop_nodes() {
    std::uint32_t first = 0;
    for (std::uint32_t node = 0; node < program_.nodes.size(); ++node) {
      const std::uint32_t count = program_.nodes[node];
      if (program_.nodes.size() > 1)
        with([=](Program& one) { drop_ranks(one, {node, first, count}); });
      for (std::uint32_t i = 0; count > 1 && i < count; ++i)
        with([=](Program& one) { drop_ranks(one, {node, first + i, 1}); });
      first += count;
    }
  }
  void drop_phases() {
    for (std::size_t phase = 0; program_.phases.size() > 1 && phase < program_.phases.size();
         ++phase)
      with([=](Program& one) { one.phases.erase(one.phases.begin() + static_cast<long>(phase)); });
  }
  void drop_faults() {
    if (program_.loss) with([](Program& one) { one.loss.reset(); });
    if (program_.sessions > 1) with([](Program& one) { one.sessions = 1; });
    if (program_.has_messages && !any_request())
      with([](Program& one) { one.has_messages = false; });
    if (program_.peer_timeout_s > 0 && !program_.loss)
      with([](Program& one) { one.peer_timeout_s = 0; });
  }
  bool any_request() const {
    return std::ranges::any_of(program_.phases, [](const Phase& phase) {
      return std::ranges::any_of(phase.actions, [](const auto& actions) {
        return std::ranges::any_of(actions, [](const Action& action) {
          return action.act >= Act::request_short && action.act <= Act::request_long;
        });
      });
    });
  }

  // Puts remain ordered: all of a part of the program goes, or single actions that order nothing.
  void drop_actions(std::size_t phase) {
    for (std::size_t rank = 0; rank < program_.ranks(); ++rank) {
      const std::size_t size = program_.phases[phase].actions[rank].size();
      const auto drop = [&](std::size_t begin, std::size_t end) {
        with([=](Program& one) {
          auto& actions = one.phases[phase].actions[rank];
          actions.erase(actions.begin() + static_cast<long>(begin),
                        actions.begin() + static_cast<long>(end));
        });
      };
      if (size > 0) drop(0, size);
      for (std::size_t part = size / 2; part > 1; part /= 4) {
        drop(0, part);
        drop(size - part, size);
      }
    }
  }
  void drop_details(std::size_t phase) {
    if (program_.phases[phase].together != Together::nothing)
      with([=](Program& one) { one.phases[phase].together = Together::nothing; });
    for (std::size_t rank = 0; rank < program_.ranks(); ++rank) {
      const auto& actions = program_.phases[phase].actions[rank];
      for (std::size_t i = 0; i < actions.size(); ++i) {
        const bool is_last = i + 1 == actions.size();
        if (orders(actions[i].act) && !is_last && i > 0) continue;
        with([=](Program& one) {
          auto& changed = one.phases[phase].actions[rank];
          changed.erase(changed.begin() + static_cast<long>(i));
        });
      }
    }
  }

  const Program& program_;
  std::vector<Change> changes_;
};

}  // namespace

std::vector<Change> ways_to_shrink(const Program& program) {
  return Smaller(program).all();
}

}  // namespace gondwana::simulation
