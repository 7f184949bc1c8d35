// A job on several hosts that grows and shrinks while hosts fail at random moments: what its
// conductor tells fits together on each host, and each wish gets one answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "support/job_on_hosts.hpp"

namespace gondwana::launch {
namespace {

using namespace test;

class RandomJob : public Hosts {
 public:
  explicit RandomJob(std::uint64_t seed)
      : Hosts(3, 20, {}, OnDeath::go_on, 40), random_(seed), stages_(3, Stage::known) {
    join_all();
  }

  void run() {
    for (int step = 0; step < 300 && !testing::Test::HasFailure(); ++step) {
      act();
      read_actions();
    }
    while (!testing::Test::HasFailure() && advance_any()) read_actions();
    for (const auto& [asker, node] : asked_)
      EXPECT_EQ(stages_[node], Stage::over) << "wish " << asker << " got no answer";
  }

 private:
  enum class Stage : std::uint8_t { started, greeted, known, over };

  std::uint32_t below(std::size_t count) { return static_cast<std::uint32_t>(random_() % count); }
  std::uint32_t any_node() { return below(stages_.size()); }
  std::size_t living() const {
    return static_cast<std::size_t>(std::ranges::count(stages_, Stage::known));
  }

  void act() {
    const std::uint32_t node = any_node();
    switch (below(8)) {
      case 0:
        if (stages_[node] == Stage::known) wish(node);
        break;
      case 1:
        if (is_new(node)) say(node, Stopping{1, "no"});
        break;
      case 2:
        if (stages_[node] == Stage::known && below(8) == 0 && living() > 2) leave(node);
        break;
      case 3:
        if (below(8) == 0 && living() > 2) lose(node);
        break;
      case 4:
        if (const auto rank = rank_of(node)) say(node, Arrived{*rank});
        break;
      default:
        advance(node);
    }
  }
  bool is_new(std::uint32_t node) const { return stages_[node] < Stage::known; }
  // The first rank of a node whose number others know.
  std::optional<std::uint32_t> rank_of(std::uint32_t node) const {
    const std::uint32_t rank = node < 3 ? node : firsts_.at(node);
    return stages_[node] == Stage::known && rank < size_ ? std::optional(rank) : std::nullopt;
  }

  void wish(std::uint32_t node) {
    asked_[++wishes_] = node;
    say(node, MoreWanted{.asker = wishes_, .from = 0, .ranks = 1 + below(3), .command = {}});
  }
  void leave(std::uint32_t node) {
    if (const auto rank = rank_of(node); rank && left_.insert(*rank).second)
      say(node,
          RanksDied{.ranks = {{*rank, 0}}, .status = 0, .sentence = "", .how = DeathKind::leave});
  }
  void lose(std::uint32_t node) {
    if (stages_[node] == Stage::over) return;
    if (!is_new(node)) stages_[node] = Stage::over;
    tell(HostProcessEnded{node, exited(1), 0});
    tell(HostPipeEnded{node, "", 0});
    pass(0);
  }
  // A node that starts says what comes next.
  bool advance(std::uint32_t node) {
    if (!is_new(node)) return false;
    if (stages_[node] == Stage::started) {
      stages_[node] = Stage::greeted;
      say(node, Hello{});
    } else {
      stages_[node] = Stage::known;
      say(node, ThisNode{"new"});
    }
    return true;
  }
  bool advance_any() {
    for (std::uint32_t node = 0; node < stages_.size(); ++node)
      if (advance(node)) return true;
    return false;
  }

  // Reading may start further nodes.
  void read_actions() {
    for (HostsActions actions = take_all(); !actions.empty(); actions = take_all())
      for (const HostsAction& action : actions) read(action);
  }
  void read(const HostsAction& action) {
    if (const auto* it = std::get_if<StartHosts>(&action)) {
      ASSERT_EQ(it->first, stages_.size());
      EXPECT_EQ(it->plan.session.first, size_) << "numbers follow each other";
      for (const Job& part : it->plan.parts) {
        const auto node = static_cast<std::uint32_t>(stages_.size());
        stages_.push_back(Stage::started);
        firsts_[node] = part.share.first;
        changes_.erase(node);
        start(node);
      }
    }
    if (const auto* drop = std::get_if<DropHosts>(&action)) stages_.resize(drop->first);
    if (const auto* sent = std::get_if<Send>(&action)) read(*sent);
  }
  void read(const Send& sent) {
    if (const auto* grown = std::get_if<Grown>(&sent.frame)) {
      EXPECT_GT(grown->ranks, size_);
      EXPECT_EQ(grown->nodes, stages_.size());
      size_ = grown->ranks;
    }
    if (const auto* answer = std::get_if<Answer>(&sent.frame)) {
      EXPECT_EQ(asked_.erase(answer->asker), 1U) << "two answers to wish " << answer->asker;
    }
    if (const auto* dead = std::get_if<DeadRanks>(&sent.frame))
      for (const std::uint32_t node : sent.to) {
        EXPECT_EQ(dead->first, changes_[node] + 1) << "node " << node;
        changes_[node] += static_cast<std::uint32_t>(dead->ranks.size());
      }
  }

  std::mt19937_64 random_;
  std::vector<Stage> stages_;                       // by node
  std::map<std::uint32_t, std::uint32_t> firsts_;   // the first rank of each node that was added
  std::map<std::uint32_t, std::uint32_t> changes_;  // deaths and leaves that each node was told
  std::map<std::uint32_t, std::uint32_t> asked_;    // the node of each wish without an answer
  std::set<std::uint32_t> left_;
  std::uint32_t wishes_ = 0;
  std::uint32_t size_ = 3;
};

TEST(JobGrowth, what_hosts_are_told_fits_together_with_failures_at_random_moments) {
  for (std::uint64_t seed = 0; seed < 200 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    RandomJob(seed).run();
  }
}

}  // namespace
}  // namespace gondwana::launch
