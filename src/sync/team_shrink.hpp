// How the living members of a team agree on the members that live, while more may die.
//
// One process numbers the deaths of a node. A member enters with an offer for the new team. A
// member that sees that all others have entered, except the first n of the dead, proposes n. The
// first proposal counts, even if its proposer dies: one compare-and-swap decides. The new team has
// all members that are not among the first n dead, and no member waits after the decision. So no
// two members ever disagree. A member that dies after its entry may be in the new team.
#pragma once

#include <array>

#include "sync/doorbell.hpp"
#include "sync/number_offer.hpp"

namespace gondwana {

// The word in `decided`. Turns are epochs: the word has 16 bits of the generation and 32 of the
// rest.
inline constexpr unsigned shrink_deaths_bits = 16;
constexpr std::uint64_t shrink_word(std::uint64_t turn, std::uint32_t deaths) {
  const std::uint64_t generation = turn >> bits_of_a_generation & 0xffff;
  return (generation << 32 | (turn & 0xffff'ffff)) << shrink_deaths_bits | deaths;
}

// Of a member of a team. Its owner writes all but `decided` and `agreed`.
template <AtomicsPolicy A>
struct ShrinkPlace {
  alignas(cache_line) typename A::Counter turn;  // the last shrink that the owner has entered
  typename A::Counter decided;  // in the place of member 0: the turn and the number of deaths
  // By the parity of the turn: a member may enter the next turn while others still read this one.
  std::array<OfferPlace<A>, 2> offers;
  OfferPlace<A> agreed;  // of a team on several nodes, in the place of each member: what all offer
};

// The members of a team, by team rank.
template <typename M, typename A>
concept MortalMembers = requires(const M members, std::uint32_t i) {
  { members.size() } -> std::convertible_to<std::uint32_t>;
  { members.place(i) } -> std::same_as<ShrinkPlace<A>&>;
  { members.doorbell(i) } -> std::same_as<Doorbell<A>&>;
  // The number of deaths on the node so far. Earlier deaths are then visible.
  { members.deaths() } -> std::same_as<std::uint32_t>;
  // The place of its death in their order, from 1; 0: none.
  { members.death_of(i) } -> std::same_as<std::uint32_t>;
};

template <AtomicsPolicy A, MortalMembers<A> Members>
class TeamShrink {
 public:
  // All members pass the same `turn`, which grows with each shrink of a team with this number.
  TeamShrink(Members members, std::uint32_t me, std::uint64_t turn)
      : members_(members), me_(me), turn_(turn) {}

  void enter(const NumberOffer& offer) {
    ShrinkPlace<A>& mine = members_.place(me_);
    mine.offers[turn_ % 2].store(offer);
    // Pairs with decide(). seq_cst, so that a member that falls asleep sees it or is woken.
    mine.turn.store(turn_, std::memory_order_seq_cst);
    for (std::uint32_t i = 0; i < members_.size(); ++i)
      if (i != me_) members_.doorbell(i).ring_if_asleep();
  }

  // Returns whether the members have decided. Decides if all that live have entered.
  bool decide() {
    typename A::Counter& decided = members_.place(0).decided;
    std::uint64_t before = decided.load(std::memory_order_acquire);
    if (!is_of_turn(before)) {
      const std::uint32_t deaths = members_.deaths();
      for (std::uint32_t i = 0; i < members_.size(); ++i)
        if (lives_after(i, deaths) && !has_entered(i)) return false;
      const std::uint64_t proposal = shrink_word(turn_, deaths);
      // Pairs with the load above, at the other members.
      if (decided.compare_exchange_strong(before, proposal, std::memory_order_acq_rel,
                                          std::memory_order_acquire))
        before = proposal;
    }
    deaths_ = static_cast<std::uint32_t>(before & max_deaths);
    return true;
  }

  // These apply once the members have decided.
  std::uint32_t deaths() const { return deaths_; }
  bool lives(std::uint32_t member) const { return lives_after(member, deaths_); }
  // Of all members that live: the numbers that all have free, and the highest epoch.
  NumberOffer offered() const {
    NumberOffer all = any_number;
    for (std::uint32_t i = 0; i < members_.size(); ++i)
      if (lives(i)) all.restrict_to(members_.place(i).offers[turn_ % 2].load());
    return all;
  }

 private:
  static constexpr std::uint64_t max_deaths = (1U << shrink_deaths_bits) - 1;

  // The first deaths of a node have numbers that no later one changes.
  bool lives_after(std::uint32_t member, std::uint32_t deaths) const {
    const std::uint32_t death = members_.death_of(member);
    return death == 0 || death > deaths;
  }
  bool has_entered(std::uint32_t member) const {
    return members_.place(member).turn.load(std::memory_order_seq_cst) >= turn_;
  }
  bool is_of_turn(std::uint64_t word) const {
    return (word & ~max_deaths) == shrink_word(turn_, 0) && word != 0;
  }

  Members members_;
  std::uint32_t me_;
  std::uint64_t turn_;
  std::uint32_t deaths_ = 0;
};

}  // namespace gondwana
