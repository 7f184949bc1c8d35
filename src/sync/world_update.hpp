// How the ranks of a growing job agree on a world of all that live, while more may join or die.
//
// One process numbers the ranks that are added, and the deaths. A rank enters the next update with
// an offer for its team numbers. A rank that sees that all of the first `size` ranks have entered,
// except the first `deaths` of the dead, proposes both numbers. The first proposal counts, even if
// its proposer dies: one compare-and-swap decides. A rank that was added too late for a decision
// enters the update after it. So no two ranks ever disagree about a world.
//
// A process that takes the place of a dead rank has entered no update. If the others decide on a
// world with its predecessor, it enters the next one.
#pragma once

#include <array>

#include "sync/doorbell.hpp"
#include "sync/number_offer.hpp"
#include "sync/world_entry.hpp"

namespace gondwana {

// Of a rank, which alone writes it.
template <AtomicsPolicy A>
struct WorldPlace {
  alignas(cache_line) typename A::Counter turn;  // the last update that the rank has entered
  // By the parity of the turn: a rank may enter the next turn while others still read this one. And
  // by that of the process: others may still read what a dead one has offered in the same turn.
  std::array<std::array<OfferPlace<A>, 2>, 2> offers;
};

// The ranks of a job, by number.
template <typename R, typename A>
concept GrowingRanks = requires(const R ranks, std::uint32_t i) {
  { ranks.place(i) } -> std::same_as<WorldPlace<A>&>;
  { ranks.doorbell(i) } -> std::same_as<Doorbell<A>&>;
  { ranks.decided() } -> std::same_as<typename A::Counter&>;  // one word of the job, first 0
  // The ranks that have a number so far.
  { ranks.size() } -> std::same_as<std::uint32_t>;
  // The number of deaths so far, and of starts of processes that take the place of a dead one. They
  // have one order, and earlier ones are then visible.
  { ranks.deaths() } -> std::same_as<std::uint32_t>;
  // Whether the rank lives, or is started, after the first `deaths` of them.
  { ranks.lives(i, i) } -> std::same_as<bool>;
  // The number of processes that have taken its place, among the first `deaths` of them.
  { ranks.starts(i, i) } -> std::same_as<std::uint32_t>;
};

template <AtomicsPolicy A, GrowingRanks<A> Ranks>
class WorldUpdate {
 public:
  WorldUpdate(Ranks ranks, std::uint32_t me, const NumberOffer& offer)
      : ranks_(ranks), me_(me), process_(ranks.starts(me, ranks.deaths())), offer_(offer) {}

  void enter() {
    turn_ = world_word::turn(ranks_.decided().load(std::memory_order_acquire)) + 1;
    WorldPlace<A>& mine = ranks_.place(me_);
    mine.offers[turn_ % 2][process_ % 2].store(offer_);
    // Pairs with decide(). seq_cst, so that a rank that falls asleep sees it or is woken.
    mine.turn.store(turn_, std::memory_order_seq_cst);
    for (std::uint32_t i = 0; i < ranks_.size(); ++i)
      if (i != me_) ranks_.doorbell(i).ring_if_asleep();
  }

  // Returns whether the ranks have decided on a world with this rank. Decides if all that live have
  // entered.
  bool decide() {
    std::uint64_t before = ranks_.decided().load(std::memory_order_acquire);
    if (world_word::turn(before) < turn_) {
      const std::uint32_t deaths = ranks_.deaths();
      const std::uint32_t size = ranks_.size();
      for (std::uint32_t i = 0; i < size; ++i)
        if (ranks_.lives(i, deaths) && !has_entered(i)) return false;
      const std::uint64_t proposal = world_word::of(turn_, size, deaths);
      // Pairs with the load above, at the other ranks.
      if (ranks_.decided().compare_exchange_strong(before, proposal, std::memory_order_acq_rel,
                                                   std::memory_order_acquire))
        before = proposal;
    }
    size_ = world_word::size(before);
    deaths_ = world_word::deaths(before);
    if (me_ < size_ && ranks_.starts(me_, deaths_) == process_) return true;
    enter();  // the others have decided without this process
    return false;
  }

  // These apply once the ranks have decided.
  std::uint32_t size() const { return size_; }
  std::uint32_t deaths() const { return deaths_; }
  bool lives(std::uint32_t rank) const { return ranks_.lives(rank, deaths_); }
  // Of all ranks of the world: the numbers that all have free, and the highest epoch.
  NumberOffer offered() const {
    NumberOffer all = any_number;
    for (std::uint32_t i = 0; i < size_; ++i) {
      if (!lives(i)) continue;
      const std::uint32_t process = ranks_.starts(i, deaths_);
      all.restrict_to(ranks_.place(i).offers[turn_ % 2][process % 2].load());
    }
    return all;
  }

 private:
  bool has_entered(std::uint32_t rank) const {
    return ranks_.place(rank).turn.load(std::memory_order_seq_cst) >= turn_;
  }

  Ranks ranks_;
  std::uint32_t me_;
  std::uint32_t process_;  // how many processes have had its place before
  NumberOffer offer_;
  std::uint64_t turn_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t deaths_ = 0;
};

}  // namespace gondwana
