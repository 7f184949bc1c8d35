// The ranks of a SurvivingJob, what happens to them, and the rules.
#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <bit>
#include <csignal>
#include <utility>

#include "simulation/plan.hpp"
#include "simulation/survivors.hpp"

namespace gondwana::simulation {

using namespace launch;  // NOLINT(google-build-using-namespace): its events

// A rank computes, and shrinks its team.
void SurvivingJob::run(Rank& rank) {
  if (!rank.is_alive || rank.state != RankState::running) return;
  schedule_.after(random_.skewed(60 * ms), [this, &rank] {
    if (!rank.is_alive) return;
    rank.shrinking = rank.turn < turns_ ? rank.team : rank.world;
    begin_shrink(rank);
  });
}

// As Collectives::shrink(): a member offers its free numbers.
void SurvivingJob::begin_shrink(Rank& rank) {
  std::uint64_t epoch = 0;
  rank.taken = rank.turn < turns_ ? std::exchange(rank.free, 0) : 0;
  for (std::uint64_t bits = rank.taken; bits != 0; bits &= bits - 1)
    epoch = std::max(epoch, rank.last_epochs[static_cast<std::uint32_t>(std::countr_zero(bits))]);
  enter(rank, rank.taken, epoch);
}

void SurvivingJob::enter(Rank& rank, std::uint64_t numbers, std::uint64_t epoch) {
  Team& team = *rank.shrinking;
  const Members members{this, rank.node, rank.shrinking};
  const auto me =
      static_cast<std::uint32_t>(std::ranges::find(team.ranks, rank.number) - team.ranks.begin());
  const std::uint64_t turn = ++team.shrinks;
  const auto enter_and_wait = [&](auto shrink) {
    shrink.enter({numbers, epoch});
    rank.decide = [this, &rank, shrink, turn]() mutable {
      if (!shrink.decide()) return false;
      const Decision decision{shrink.deaths(), shrink.offered().numbers, shrink.offered().epoch};
      std::vector<std::uint32_t> living;
      for (std::uint32_t i = 0; i < rank.shrinking->ranks.size(); ++i)
        if (shrink.lives(i)) living.push_back(rank.shrinking->ranks[i]);
      judge(*rank.shrinking, turn, decision);
      on_decided(rank, decision, std::move(living));
      return true;
    };
  };
  log([&] {
    return fmt::format("rank {} enters team {}, turn {}", rank.number, team.number, turn);
  });
  if (is_on_one_node(team)) {
    enter_and_wait(TeamShrink<RealAtomics, Members>(members, me, turn));
  } else {
    const auto report = [this, &rank](const ShrinkEntry& entry) {
      schedule_.after(latency() / 8, [this, &rank, entry] { handle(*rank.node, entry); });
    };
    rank.report = report;
    const ShrinkEntry entry{.team = team.number,
                            .first = team.first(),
                            .turn = turn,
                            .size = static_cast<std::uint32_t>(team.ranks.size()),
                            .rank = rank.number};
    enter_and_wait(ConductedShrink<RealAtomics, Members>(members, me, entry, rank.report));
  }
  wake(*rank.node);
}

// Something in control memory has changed.
void SurvivingJob::wake(Node& node) {
  for (Rank* rank : node.ranks) {
    if (!rank->decide || std::exchange(rank->is_polling, true)) continue;
    schedule_.after(1 + random_.skewed(2 * ms), [this, rank] { poll(*rank); });
  }
}

void SurvivingJob::poll(Rank& rank) {
  rank.is_polling = false;
  if (!rank.is_alive || !rank.decide) return;
  const std::function<bool()> decide = std::exchange(rank.decide, {});
  if (decide()) return wake(*rank.node);
  rank.decide = decide;
}

void SurvivingJob::on_decided(Rank& rank, const Decision& decision,
                              std::vector<std::uint32_t> living) {
  log([&] {
    return fmt::format("rank {} has decided: {} members, {} deaths", rank.number, living.size(),
                       decision.deaths);
  });
  if (rank.turn == turns_) return leave(rank);
  rank.chosen = decision.numbers & -decision.numbers;
  rank.free |= rank.taken & ~rank.chosen;
  if (rank.chosen == 0) return fail("no number is left for a team");
  make_team(rank, decision, living);
  ++rank.turn;
  run(rank);
}

// The parent ends, unless it is the world.
void SurvivingJob::make_team(Rank& rank, const Decision& decision,
                             const std::vector<std::uint32_t>& living) {
  const Team& parent = *rank.shrinking;
  if (parent.number != 0 && (is_on_one_node(parent) || living.size() == parent.ranks.size())) {
    rank.last_epochs[parent.number] = parent.shrinks;
    rank.free |= std::uint64_t{1} << parent.number;
  }
  const auto number = static_cast<std::uint32_t>(std::countr_zero(rank.chosen));
  rank.team = std::make_shared<Team>(Team{number, living, decision.epoch});
}

void SurvivingJob::leave(Rank& rank) {
  rank.state = RankState::finalized;
  schedule_.after(random_.skewed(5 * ms), [this, &rank] {
    if (!rank.is_alive) return;
    rank.is_alive = false;
    const auto slot = rank.number - rank.node->part.share.first;
    schedule_.after(random_.skewed(5 * ms), [this, &rank, slot] {
      handle(*rank.node, RankEnded{slot, 0, {RankState::finalized, ""}});
    });
  });
}

bool SurvivingJob::is_on_one_node(const Team& team) const {
  return std::ranges::all_of(team.ranks, [&](std::uint32_t rank) {
    return ranks_[rank]->node == ranks_[team.ranks[0]]->node;
  });
}

// Faults.

void SurvivingJob::die(Rank& rank, Time told_within) {
  if (!rank.is_alive) return;
  rank.is_alive = false;
  rank.died_at = schedule_.now();
  log([&] { return fmt::format("rank {} dies", rank.number); });
  if (rank.state != RankState::finalized)
    expect_told(rank.number, rank.node->is_well ? told_within : loss_told_ns);
  const auto slot = rank.number - rank.node->part.share.first;
  schedule_.after(random_.skewed(20 * ms), [this, &rank, slot] {
    if (schedule_.now() >= rank.node->silent_at) return;
    handle(*rank.node, RankEnded{slot,
                                 SIGKILL,
                                 {rank.state, "in a simulation"},
                                 OomWatch::Finding::nothing,
                                 can_lose_ranks(*rank.node)});
    tick(*rank.node);
  });
}

void SurvivingJob::expect_ranks_told(HostNode& node) {
  for (const Rank* rank : own(node).ranks)
    if (rank->is_alive && rank->state != RankState::finalized)
      expect_told(rank->number, loss_told_ns);
}

// Rules.

// By then each host with ranks that live and have not left knows of the death.
void SurvivingJob::expect_told(std::uint32_t rank, Time within) {
  const bool was_well = ranks_[rank]->node->is_well;
  schedule_.after(within + 4 * latency_, [this, rank, was_well] {
    if (is_ending()) return;
    if (was_well && !ranks_[rank]->node->is_well) return expect_told(rank, loss_told_ns);
    for (const auto& node : all_nodes_) {
      if (node->is_over || !node->is_well || !node->guardian->end().is_idle()) continue;
      if (std::ranges::find(node->deaths, rank) == node->deaths.end())
        fail(fmt::format("host {} is not told that rank {} has died", node->name(), rank));
    }
  });
}

void SurvivingJob::judge(const Team& team, std::uint64_t turn, const Decision& decision) {
  const auto [known, is_new] = decided_.try_emplace({{team.number, team.first()}, turn}, decision);
  if (!(known->second == decision))
    fail(fmt::format("members of team {} disagree in turn {}: {} and {} deaths", team.number, turn,
                     known->second.deaths, decision.deaths));
}

void SurvivingJob::judge_end() {
  for (const auto& node : all_nodes_)
    if (!node->is_over) fail(fmt::format("host {} does not end", node->name()));
  if (is_ending()) return;
  for (const auto& rank : ranks_)
    if (rank->state != RankState::finalized && rank->died_at == 0)
      fail(fmt::format("rank {} waits forever", rank->number));
  if (conductor_ && !conductor_->is_over()) fail("the conductor does not end");
}

}  // namespace gondwana::simulation
