// The agreement of the ranks of a job over several worlds, with ranks that join and die at random
// moments. One thread runs all ranks in turn, a step at a time.
#include "sync/world_update.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "memory/roster_log.hpp"

namespace gondwana {
namespace {

constexpr std::uint32_t worlds_of_each = 3;
constexpr std::uint32_t capacity = 12;

struct Node {
  std::vector<WorldPlace<RealAtomics>> places{capacity};
  std::vector<Doorbell<RealAtomics>> bells{capacity};
  std::vector<bool> is_dead = std::vector<bool>(capacity);
  RealAtomics::Counter decided{0};
  std::array<RosterEntry, 256> entries{};
  RosterLog log{entries};
  std::uint32_t deaths = 0;
  std::uint32_t earlier_deaths = 0;  // before the last of them
  std::uint32_t known_deaths = 0;    // to the rank that runs
  std::uint32_t size = 0;
  std::function<void()> after_size;  // what other ranks do once a rank has read the size
};

struct Ranks {
  Node* node;

  WorldPlace<RealAtomics>& place(std::uint32_t i) const { return node->places[i]; }
  Doorbell<RealAtomics>& doorbell(std::uint32_t i) const { return node->bells[i]; }
  RealAtomics::Counter& decided() const { return node->decided; }
  std::uint32_t size() const {
    const std::uint32_t size = node->size;
    node->after_size();
    return size;
  }
  std::uint32_t deaths() const { return node->known_deaths; }
  bool lives(std::uint32_t i, std::uint32_t deaths) const {
    return node->log.lives(Rank(i), deaths);
  }
  std::uint32_t starts(std::uint32_t i, std::uint32_t deaths) const {
    return node->log.starts(Rank(i), deaths);
  }
};

using Update = WorldUpdate<RealAtomics, Ranks>;

struct World {
  std::uint32_t size;
  std::uint32_t deaths;
  std::uint64_t numbers;
  std::uint64_t epoch;
  bool operator==(const World&) const = default;
};

class Job {
 public:
  explicit Job(unsigned seed) : chance_(seed) {
    node_.size = 1 + at_most(5);
    node_.after_size = [this] {
      if (is_in_between_ || at_most(200) != 0 || node_.size == capacity) return;
      is_in_between_ = true;
      enter(node_.size++);
      is_in_between_ = false;
    };
  }

  void run() {
    for (int step = 0; step < 100'000 && any_is_inside(); ++step) {
      if (at_most(60) == 0 && node_.size < capacity) node_.size += at_most(capacity - node_.size);
      const std::uint32_t rank = at_most(node_.size - 1);
      if (node_.is_dead[rank]) continue;
      if (at_most(60) == 0 && node_.deaths < 200)
        kill(rank);
      else
        advance(rank);
    }
    EXPECT_FALSE(any_is_inside()) << "a rank waits forever";
  }

 private:
  std::uint32_t at_most(std::uint32_t most) {
    return std::uniform_int_distribution<std::uint32_t>(0, most)(chance_);
  }
  // A rank makes updates until the job has made enough of them, so a rank that joins late makes
  // fewer than the others, and all end with the same one.
  bool is_done(std::uint32_t rank) const { return last_turn_[rank] >= worlds_of_each; }
  bool any_is_inside() const {
    for (std::uint32_t i = 0; i < node_.size; ++i)
      if (!node_.is_dead[i] && !is_done(i)) return true;
    return false;
  }

  // Another process takes the place of some. At least one rank lives.
  void kill(std::uint32_t rank) {
    const bool is_replaced = at_most(1) == 0 || dead_ + 1 == node_.size;
    node_.log.write(node_.deaths + 1, Rank(rank), RosterChange::death);
    if (is_replaced) {
      node_.places[rank].turn = 0;
      node_.log.write(node_.deaths + 2, Rank(rank), RosterChange::start);
    } else {
      node_.is_dead[rank] = true;
      ++dead_;
    }
    node_.earlier_deaths = node_.deaths;
    node_.deaths += is_replaced ? 2 : 1;
    node_.known_deaths = node_.deaths;
    updates_[rank].reset();
    last_turn_[rank] = 0;
  }

  // Some ranks have counted the deaths before the last one, and decide after it.
  bool decide(Update& update) {
    if (at_most(3) == 0) node_.known_deaths = node_.earlier_deaths;
    const bool decided = update.decide();
    node_.known_deaths = node_.deaths;
    return decided;
  }

  void advance(std::uint32_t rank) {
    std::optional<Update>& update = updates_[rank];
    if (!update) {
      if (is_done(rank) && node_.size == world_word::size(node_.decided.load())) return;
      enter(rank);
    } else if (decide(*update)) {
      EXPECT_TRUE(update->lives(rank));
      EXPECT_LT(rank, update->size());
      EXPECT_EQ(node_.log.starts(Rank(rank), update->deaths()),
                node_.log.starts(Rank(rank), node_.deaths))
          << "the world has its predecessor";
      const auto [numbers, epoch] = update->offered();
      const World mine{update->size(), update->deaths(), numbers, epoch};
      const std::uint64_t turn = node_.places[rank].turn.load();
      EXPECT_GT(turn, last_turn_[rank]);
      last_turn_[rank] = turn;
      const auto [first, is_first] = worlds_.emplace(turn, mine);
      EXPECT_TRUE(first->second == mine) << "ranks disagree";
      update.reset();
    }
  }

  void enter(std::uint32_t rank) {
    updates_[rank].emplace(Ranks{&node_}, rank,
                           NumberOffer{~(std::uint64_t{1} << at_most(63)), at_most(1000)});
    updates_[rank]->enter();
  }

  std::mt19937 chance_;
  Node node_;
  bool is_in_between_ = false;
  std::uint32_t dead_ = 0;
  std::map<std::uint32_t, std::optional<Update>> updates_;
  std::vector<std::uint64_t> last_turn_ = std::vector<std::uint64_t>(capacity);
  std::map<std::uint64_t, World> worlds_;
};

TEST(WorldUpdate, ranks_never_disagree_about_a_world) {
  for (unsigned seed = 0; seed < 5000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Job(seed).run();
  }
}

}  // namespace
}  // namespace gondwana
