// The agreement of many members over several shrinks of one team, with deaths at random moments.
// One thread runs all members in turn, a step at a time.
#include "sync/team_shrink.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <optional>
#include <random>
#include <vector>

namespace gondwana {
namespace {

constexpr std::uint64_t turns = 3;

struct Node {
  explicit Node(std::uint32_t members) : places(members), bells(members), deaths_of(members) {}

  std::vector<ShrinkPlace<RealAtomics>> places;
  std::vector<Doorbell<RealAtomics>> bells;
  std::vector<std::uint32_t> deaths_of;
  std::uint32_t deaths = 0;
};

struct Members {
  Node* node;

  std::uint32_t size() const { return static_cast<std::uint32_t>(node->places.size()); }
  ShrinkPlace<RealAtomics>& place(std::uint32_t i) const { return node->places[i]; }
  Doorbell<RealAtomics>& doorbell(std::uint32_t i) const { return node->bells[i]; }
  std::uint32_t deaths() const { return node->deaths; }
  std::uint32_t death_of(std::uint32_t i) const { return node->deaths_of[i]; }
};

using Shrink = TeamShrink<RealAtomics, Members>;

// What a member has decided.
struct Decision {
  std::uint32_t deaths;
  std::uint64_t numbers;
  std::uint64_t epoch;
  bool operator==(const Decision&) const = default;
};

class Job {
 public:
  explicit Job(unsigned seed)
      : chance_(seed), node_(2 + at_most(7)), turn_of_(node_.places.size(), 1), shrinks_(size()) {}

  void run() {
    for (int step = 0; step < 100'000 && any_is_inside(); ++step) {
      const std::uint32_t member = at_most(size() - 1);
      if (node_.deaths_of[member] != 0) continue;
      if (at_most(40) == 0 && node_.deaths + 1 < size())
        node_.deaths_of[member] = ++node_.deaths;
      else
        advance(member);
    }
    EXPECT_FALSE(any_is_inside()) << "a member waits forever";
  }

 private:
  std::uint32_t at_most(std::uint32_t most) {
    return std::uniform_int_distribution<std::uint32_t>(0, most)(chance_);
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(node_.places.size()); }
  bool any_is_inside() const {
    for (std::uint32_t i = 0; i < size(); ++i)
      if (node_.deaths_of[i] == 0 && turn_of_[i] <= turns) return true;
    return false;
  }

  // A member enters, and later looks for a decision.
  void advance(std::uint32_t member) {
    const std::uint64_t turn = turn_of_[member];
    if (turn > turns) return;
    std::optional<Shrink>& shrink = shrinks_[member];
    if (!shrink) {
      shrink.emplace(Members{&node_}, member, turn);
      shrink->enter({~(std::uint64_t{1} << at_most(63)), at_most(1000)});
    } else if (shrink->decide()) {
      EXPECT_TRUE(shrink->lives(member));
      const auto [numbers, epoch] = shrink->offered();
      const Decision mine{shrink->deaths(), numbers, epoch};
      std::optional<Decision>& first = decisions_[turn - 1];
      if (!first) first = mine;
      EXPECT_TRUE(*first == mine) << "members disagree";
      shrink.reset();
      ++turn_of_[member];
    }
  }

  std::mt19937 chance_;
  Node node_;
  std::vector<std::uint64_t> turn_of_;
  std::vector<std::optional<Shrink>> shrinks_;
  std::array<std::optional<Decision>, turns> decisions_;
};

TEST(TeamShrink, a_decision_is_not_taken_for_one_of_a_later_generation) {
  for (const unsigned generations : {1U, 255U, 256U, 20'000U}) {
    const std::uint64_t later = std::uint64_t{generations} << bits_of_a_generation | 5;
    EXPECT_NE(shrink_word(5, 0), shrink_word(later, 0)) << generations;
  }
}

TEST(TeamShrink, members_never_disagree_about_those_that_live) {
  for (unsigned seed = 0; seed < 5000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Job(seed).run();
  }
}

}  // namespace
}  // namespace gondwana
