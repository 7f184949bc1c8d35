// An update of the world of a job on several nodes, as one rank sees it. The launcher of the job
// decides (tools/gondwana/run/remote/world_agreement.hpp), and the guardian of the node writes the
// decision into the memory of the node. See WorldUpdate, which has the same functions.
#pragma once

#include <cstdint>

#include "core/function_ref.hpp"
#include "sync/number_offer.hpp"
#include "sync/world_entry.hpp"
#include "sync/world_update.hpp"

namespace gondwana {

// The ranks of the job, by number, and the last decision.
template <typename R, typename A>
concept ConductedRanks = requires(const R ranks, std::uint32_t i) {
  { ranks.decided() } -> std::same_as<typename A::Counter&>;  // a world_word
  { ranks.agreed() } -> std::same_as<OfferPlace<A>&>;         // written before `decided`
  { ranks.deaths() } -> std::same_as<std::uint32_t>;
  // See GrowingRanks.
  { ranks.lives(i, i) } -> std::same_as<bool>;
  { ranks.starts(i, i) } -> std::same_as<std::uint32_t>;
};

template <AtomicsPolicy A, ConductedRanks<A> Ranks>
class ConductedUpdate {
 public:
  using Report = FunctionRef<void(const WorldEntry&)>;

  // `report` outlives this object.
  ConductedUpdate(Ranks ranks, std::uint32_t me, const NumberOffer& offer, Report report)
      : ranks_(ranks),
        entry_{.rank = me,
               .process = ranks.starts(me, ranks.deaths()),
               .numbers = offer.numbers,
               .epoch = offer.epoch},
        report_(report) {}

  // The next decision needs this rank, or does not know it yet: an earlier one is in `before_`.
  void enter() {
    before_ = ranks_.decided().load(std::memory_order_acquire);
    report_(entry_);
  }

  // Returns whether the launcher has decided on a world with this process.
  bool decide() {
    // Pairs with the guardian.
    const std::uint64_t word = ranks_.decided().load(std::memory_order_seq_cst);
    if (world_word::turn(word) == world_word::turn(before_)) return false;
    size_ = world_word::size(word);
    deaths_ = world_word::deaths(word);
    return entry_.rank < size_ && ranks_.starts(entry_.rank, deaths_) == entry_.process;
  }

  // These apply once it has decided.
  std::uint32_t size() const { return size_; }
  std::uint32_t deaths() const { return deaths_; }
  bool lives(std::uint32_t rank) const { return ranks_.lives(rank, deaths_); }
  NumberOffer offered() const { return ranks_.agreed().load(); }

 private:
  Ranks ranks_;
  WorldEntry entry_;
  Report report_;
  std::uint64_t before_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t deaths_ = 0;
};

}  // namespace gondwana
