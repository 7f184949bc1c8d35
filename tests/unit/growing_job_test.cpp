// A job that grows and shrinks, by a seed: the decisions of its guardian together with the
// agreements of its ranks. Ranks ask for others, start or do not start, update their world, leave
// and are killed, at any step of each other's.
#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "run/node/growth.hpp"
#include "support/job_on_node.hpp"
#include "sync/world_update.hpp"

namespace gondwana::launch::test {
namespace {

constexpr std::uint32_t most = 16;

struct Memory {
  std::vector<WorldPlace<RealAtomics>> places{most};
  std::vector<Doorbell<RealAtomics>> bells{most};
  std::vector<std::uint32_t> deaths_of = std::vector<std::uint32_t>(most);
  RealAtomics::Counter decided{0};
  std::uint32_t deaths = 0;
  std::uint32_t size = 0;
};

struct Ranks {
  Memory* memory;

  WorldPlace<RealAtomics>& place(std::uint32_t i) const { return memory->places[i]; }
  Doorbell<RealAtomics>& doorbell(std::uint32_t i) const { return memory->bells[i]; }
  RealAtomics::Counter& decided() const { return memory->decided; }
  std::uint32_t size() const { return memory->size; }
  std::uint32_t deaths() const { return memory->deaths; }
  bool lives(std::uint32_t i, std::uint32_t deaths) const {
    return memory->deaths_of[i] == 0 || memory->deaths_of[i] > deaths;
  }
  static std::uint32_t starts(std::uint32_t /*i*/, std::uint32_t /*deaths*/) { return 0; }
};

using Update = WorldUpdate<RealAtomics, Ranks>;
using World = std::set<std::uint32_t>;

class Growing {
 public:
  explicit Growing(unsigned seed)
      : chance_(seed), first_(1 + at_most(3)), node_(first_, 1, {}, OnDeath::go_on, most) {
    node_.join_all();
    memory_.size = first_;
    for (std::uint32_t rank = 0; rank < first_; ++rank) states_[rank] = State::runs;
  }

  void run() {
    for (int step = 0; step < 400 && node_.is().is_idle(); ++step) act(any_rank());
    if (!node_.is().is_idle()) return check_end();
    for (int step = 0; step < 100'000 && !is_settled(); ++step) settle(any_rank());
    EXPECT_TRUE(is_settled()) << "a rank waits forever";
    EXPECT_EQ(last_world_, living());
    EXPECT_TRUE(node_.is().is_idle()) << "the job continues";
  }

 private:
  enum class State { starts, runs, gone };

  std::uint32_t at_most(std::uint32_t limit) {
    return std::uniform_int_distribution<std::uint32_t>(0, limit)(chance_);
  }
  std::uint32_t any_rank() { return at_most(memory_.size - 1); }
  World living() const {
    World living;
    for (const auto& [rank, state] : states_)
      if (state != State::gone) living.insert(rank);
    return living;
  }

  void act(std::uint32_t rank) {
    if (states_[rank] == State::gone) return;
    const std::uint32_t what = at_most(30);
    if (states_[rank] == State::starts) return what == 0 ? kill(rank) : start(rank);
    if (updates_.contains(rank) || what > 4) return what == 0 ? kill(rank) : update(rank);
    if (what == 0) kill(rank);
    if (what == 1 && living().size() > 1) leave(rank);
    if (what > 2) spawn(rank);
  }

  void start(std::uint32_t rank) {
    node_.tell(RankJoined{rank, static_cast<pid_t>(100 + rank)});
    states_[rank] = State::runs;
  }

  void spawn(std::uint32_t asker) {
    const std::uint32_t more = 1 + at_most(3);
    node_.tell(RanksWanted{.asker = asker, .ranks = more, .command = {}, .path = {}});
    const auto added = node_.take<AddRanks>();
    EXPECT_EQ(added.size() + node_.take<RefuseRanks>().size(), 1U) << "each request is answered";
    EXPECT_EQ(added.empty(), memory_.size + more > most);
    if (added.empty()) return;
    EXPECT_EQ(added[0].session.first, memory_.size) << "no number is used twice";
    EXPECT_EQ(added[0].session.ranks, more);
    memory_.size += more;
    const bool fails = at_most(9) == 0;
    const std::uint32_t started = fails ? at_most(more - 1) : more;
    for (std::uint32_t i = 0; i < more; ++i) {
      const std::uint32_t rank = added[0].session.first + i;
      states_[rank] = fails ? State::gone : State::starts;
      if (i < started) node_.tell(RankStarted{rank, static_cast<pid_t>(100 + rank)});
    }
    if (!fails) return;
    node_.tell(RanksFailed{added[0].session});
    take_deaths(more);
    for (std::uint32_t i = 0; i < started; ++i)
      node_.end(added[0].session.first + i, SIGKILL, RankState::absent);
  }

  void leave(std::uint32_t rank) {
    node_.tell(RankLeft{rank});
    take_deaths(1);
    states_[rank] = State::gone;
    node_.end(rank, at_most(1) == 0 ? exited(0) : SIGKILL, RankState::finalized);
    EXPECT_TRUE(node_.is().is_idle()) << "a leave is no loss";
  }

  // The others can continue if all that have a number run, or have run.
  void kill(std::uint32_t rank) {
    if (living().size() == 1) return;
    bool all_run = true;
    for (const auto& [other, state] : states_) all_run = all_run && state != State::starts;
    states_[rank] = State::gone;
    updates_.erase(rank);
    if (!all_run) return node_.end(rank, SIGKILL);
    node_.lose(rank, SIGKILL);
    take_deaths(1);
    EXPECT_TRUE(node_.is().is_idle());
  }

  void take_deaths(std::uint32_t expected) {
    const auto told = node_.take<TellDeath>();
    EXPECT_EQ(told.size(), expected);
    for (const TellDeath& death : told) {
      EXPECT_EQ(memory_.deaths_of[death.dead.rank], 0U) << "a rank dies once";
      memory_.deaths_of[death.dead.rank] = ++memory_.deaths;
    }
  }

  void update(std::uint32_t rank) {
    std::optional<Update>& update = updates_[rank];
    if (!update) {
      update.emplace(Ranks{&memory_}, rank, NumberOffer{~std::uint64_t{0}, rank});
      return update->enter();
    }
    if (!update->decide()) return;
    World world;
    for (std::uint32_t each = 0; each < update->size(); ++each)
      if (update->lives(each)) world.insert(each);
    EXPECT_TRUE(world.contains(rank));
    const std::uint64_t turn = memory_.places[rank].turn.load();
    EXPECT_EQ(worlds_.emplace(turn, world).first->second, world) << "ranks disagree";
    last_turn_[rank] = turn;
    updates_.erase(rank);
  }

  // No more happens, but all ranks update until all have decided on the same world.
  void settle(std::uint32_t rank) {
    if (states_[rank] == State::starts) start(rank);
    if (states_[rank] == State::runs && (!has_last_world(rank) || is_awaited(rank))) update(rank);
  }
  // Another rank has entered an update that this one has not made.
  bool is_awaited(std::uint32_t rank) {
    for (const auto& [other, update] : updates_)
      if (memory_.places[other].turn.load() > last_turn_[rank]) return true;
    return false;
  }
  bool has_last_world(std::uint32_t rank) {
    if (updates_.contains(rank)) return false;
    const auto world = worlds_.find(last_turn_[rank]);
    return world != worlds_.end() && world->second == living();
  }
  bool is_settled() {
    for (const std::uint32_t rank : living())
      if (states_[rank] != State::runs || !has_last_world(rank)) return false;
    last_world_ = worlds_[last_turn_[*living().begin()]];
    return true;
  }
  void check_end() const {
    EXPECT_TRUE(node_.status().has_value()) << "a job that ends has a status";
  }

  std::mt19937 chance_;
  std::uint32_t first_;
  Node node_;
  Memory memory_;
  std::map<std::uint32_t, State> states_;
  std::map<std::uint32_t, std::optional<Update>> updates_;
  std::map<std::uint32_t, std::uint64_t> last_turn_;
  std::map<std::uint64_t, World> worlds_;
  World last_world_;
};

TEST(GrowingJob, ranks_agree_and_nobody_waits_whatever_dies_at_any_step) {
  for (unsigned seed = 0; seed < 1000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Growing(seed).run();
  }
}

}  // namespace
}  // namespace gondwana::launch::test
