// Updates of the world of a job on several hosts, with ranks that join and die at random moments.
// Each rank has a host, which gets the frames of the conductor in order and late.
#include "engine/collectives/conducted_update.hpp"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <tuple>
#include <vector>

#include "memory/roster_log.hpp"
#include "run/remote/world_agreement.hpp"

namespace gondwana {
namespace {

constexpr std::uint64_t last_turn = 6;

// The memory of a host, and the frames that it has not read.
struct Host {
  RealAtomics::Counter decided{0};
  OfferPlace<RealAtomics> agreed{};
  std::array<RosterEntry, 16> entries{};
  RosterLog log{entries};
  std::uint32_t deaths = 0;
  std::deque<std::function<void(Host&)>> frames;
};

struct Ranks {
  Host* host;

  RealAtomics::Counter& decided() const { return host->decided; }
  OfferPlace<RealAtomics>& agreed() const { return host->agreed; }
  std::uint32_t deaths() const { return host->deaths; }
  bool lives(std::uint32_t i, std::uint32_t deaths) const {
    return host->log.lives(Rank(i), deaths);
  }
  std::uint32_t starts(std::uint32_t i, std::uint32_t deaths) const {
    return host->log.starts(Rank(i), deaths);
  }
};

using Update = ConductedUpdate<RealAtomics, Ranks>;

class Job {
 public:
  explicit Job(std::uint64_t seed) : random_(seed) {
    for (std::uint32_t i = 0; i < 3; ++i) begin();
  }

  void run() {
    constexpr int most_steps = 100'000;
    for (int step = 0; step < most_steps && !is_over(); ++step) {
      const std::uint32_t chance = random_() % 64;
      if (chance == 0 && hosts_.size() < 8 && turn_ < last_turn - 1) add();
      if (chance == 1 && living() > 2 && turn_ < last_turn) die(random_() % size());
      advance(random_() % size());
    }
    EXPECT_TRUE(is_over()) << "a rank waits forever";
  }

 private:
  std::uint32_t size() const { return static_cast<std::uint32_t>(hosts_.size()); }
  std::uint32_t living() const {
    std::uint32_t living = 0;
    for (const bool is_dead : dead_) living += is_dead ? 0 : 1;
    return living;
  }
  bool is_over() const {
    for (std::uint32_t rank = 0; rank < size(); ++rank)
      if (!dead_[rank] && done_[rank] < last_turn) return false;
    return true;
  }
  // A host that is added knows all deaths.
  void begin() {
    Host& host = *hosts_.emplace_back(std::make_unique<Host>());
    dead_.push_back(false);
    done_.push_back(0);
    updates_.emplace_back();
    reports_.emplace_back([this](const WorldEntry& entry) { send(world_.enter(entry)); });
    for (const std::uint32_t dead : deaths_) note_death(host, dead);
  }
  void add() {
    begin();
    world_.grow(size());
  }
  static void note_death(Host& host, std::uint32_t rank) {
    host.log.write(++host.deaths, Rank(rank), RosterChange::death);
  }
  void die(std::uint32_t rank) {
    if (dead_[rank]) return;
    dead_[rank] = true;
    deaths_.push_back(rank);
    for (const auto& host : hosts_)
      host->frames.emplace_back([rank](Host& it) { note_death(it, rank); });
    send(world_.die(rank, static_cast<std::uint32_t>(deaths_.size())));
  }
  void send(const std::optional<WorldDecision>& decision) {
    if (!decision) return;
    turn_ = decision->turn;
    for (const auto& host : hosts_)
      host->frames.emplace_back([it = *decision](Host& host_of) {
        host_of.agreed.store({it.numbers, it.epoch});
        host_of.decided.store(world_word::of(it.turn, it.size, it.deaths));
      });
  }

  void advance(std::uint32_t rank) {
    Host& host = *hosts_[rank];
    if (!host.frames.empty() && random_() % 2 == 0) {
      host.frames.front()(host);
      host.frames.pop_front();
    }
    if (dead_[rank] || done_[rank] >= last_turn) return;
    std::optional<Update>& update = updates_[rank];
    if (!update) {
      update.emplace(Ranks{&host}, rank, NumberOffer{random_() | 1, done_[rank]}, reports_[rank]);
      return update->enter();
    }
    if (!update->decide()) return;
    done_[rank] = world_word::turn(host.decided.load());
    const auto found = std::tuple(update->size(), update->deaths(), update->offered().numbers);
    const auto [first, is_first] = worlds_.try_emplace(done_[rank], found);
    EXPECT_EQ(first->second, found) << "two ranks disagree about a world";
    EXPECT_TRUE(update->lives(rank));
    EXPECT_EQ(update->offered().numbers & 1, 1U);
    update.reset();
  }

  std::mt19937_64 random_;
  launch::WorldAgreement world_{3};
  std::vector<std::unique_ptr<Host>> hosts_;
  std::vector<bool> dead_;
  std::vector<std::uint64_t> done_;  // the last turn of each rank
  std::deque<std::optional<Update>> updates_;
  std::deque<std::function<void(const WorldEntry&)>> reports_;
  std::vector<std::uint32_t> deaths_;
  std::uint64_t turn_ = 0;
  std::map<std::uint64_t, std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>> worlds_;
};

TEST(ConductedUpdate, ranks_that_join_and_die_never_disagree) {
  for (std::uint64_t seed = 0; seed < 300 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Job(seed).run();
  }
}

}  // namespace
}  // namespace gondwana
