// The memory through which members of a team exchange data: a line for barriers, words, small
// payloads, and pieces of large arrays. It is in the arena of the member.
//
// A member on another node reads a replica of it in its own arena (staged_team.hpp).
//
// The collectives of a team are numbered 1, 2, ... on all members alike. Number n has slot n modulo
// `depth` of every member, so that many may be in flight at once. A member reuses a slot when all
// members have finished its previous use. Words only move forward, over all uses of a slot.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/structure_list.hpp"
#include "core/types.hpp"
#include "memory/layout.hpp"
#include "sync/team_sync.hpp"

namespace gondwana {

using Turn = std::uint64_t;

// The progress of a member in a collective: its number, and a count that each algorithm defines.
struct Mark {
  static constexpr std::uint32_t count_bits = 24;
  static constexpr std::uint64_t most = (std::uint64_t{1} << count_bits) - 1;

  static constexpr std::uint64_t of(Turn turn, std::uint64_t count) {
    return turn << count_bits | count;
  }
  // The count of a word in `turn`; 0 if the word belongs to an earlier collective.
  static constexpr std::uint64_t count(std::uint64_t word, Turn turn) {
    return word < of(turn, 0) ? 0 : word - of(turn, 0);
  }
};

struct alignas(2 * cache_line) CollectiveSlot {  // two: processors fetch lines in pairs
  static constexpr std::size_t payload_size = 96;

  std::atomic<std::uint64_t> shown;  // a mark: the data that its owner has published
  std::atomic<std::uint64_t> taken;  // a mark: the data that its owner has taken from all members
  // Written before `shown` and read after it: offsets in the owner's arena. TeamScratch::nowhere:
  // the pieces are in the owner's area.
  std::uint64_t source;
  std::uint64_t result;
  std::array<std::byte, payload_size> payload;

  // The whole slot except the marks.
  Bytes beside_marks() const {
    return {reinterpret_cast<const std::byte*>(&source),
            sizeof(source) + sizeof(result) + payload_size};
  }
};
static_assert(sizeof(CollectiveSlot) == 2 * cache_line);

// All zero is the valid initial state. Sparse: untouched pages use no memory.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): lines of their own
struct TeamScratch {
  static constexpr std::uint64_t nowhere = ~std::uint64_t{0};
  static constexpr std::uint32_t depth = 32;
  static constexpr std::size_t small_size = 8192;
  static constexpr std::size_t area_size = 704 * 1024;
  static constexpr std::size_t pushed_size = 64 * 1024;
  static constexpr std::uint32_t pushed_depth = 8;

  SyncLine<RealAtomics> line;
  // Used in the leader of a node, for barriers of all nodes. `complete`: the last epoch that is
  // complete. `entered`, by the last bit of the epoch: the last epoch that all members of the node
  // have entered.
  alignas(cache_line) std::atomic<std::uint64_t> complete;
  std::array<std::atomic<std::uint64_t>, 2> entered;
  alignas(2 * cache_line) std::atomic<std::uint64_t> finished;  // all turns up to this one
  std::array<CollectiveSlot, depth> slots;
  // `payloads`: for each slot, a payload that does not fit in it. `area`: pieces of large payloads.
  // `pushed`: payloads for members on other nodes, number n at index n modulo `pushed_depth`.
  std::array<std::array<std::byte, small_size>, depth> payloads;
  std::array<std::byte, area_size> area;
  alignas(cache_line) std::array<std::array<std::byte, pushed_size>, pushed_depth> pushed;

  // The distance between members' scratch is that between arenas, a power of two, so equal words of
  // all members fall into one cache set. Therefore each member starts counting slots at a different
  // one.
  static std::uint32_t slot(std::uint32_t member, Turn turn) {
    return static_cast<std::uint32_t>(turn + member) % depth;
  }
  // The epoch from which the next team continues. It must not restart, because a member that still
  // waits for the last barrier of the old team polls these words.
  Epoch last_epoch() const {
    Epoch last = line.epoch.load(std::memory_order_relaxed);
    for (const auto* word : {&complete, &entered[0], &entered[1]})
      last = std::max(last, word->load(std::memory_order_relaxed));
    return last;
  }
  void clear_words() {
    finished.store(0, std::memory_order_relaxed);
    for (CollectiveSlot& each : slots) {
      each.shown.store(0, std::memory_order_relaxed);
      each.taken.store(0, std::memory_order_relaxed);
    }
  }
};
static_assert(sizeof(TeamScratch) <= scratch_of_team);

// Published by each member before a team is created: offsets in its arena, and an epoch that none
// of its lines has exceeded.
struct StagedPlace {
  std::uint64_t scratch = 0;
  std::uint64_t replicas = 0;  // one for each node, in the order of a team
  Epoch epoch = 0;
};

namespace system_area {

// The StagedPlace of a member in each team on several nodes.
inline constexpr Area team_places{256 * 1024, sizeof(StagedPlace), NodePlan::max_teams};

}  // namespace system_area

using CollectiveStructures = StructureList<TeamScratch, StagedPlace>;
template <ListedIn<CollectiveStructures> T>
inline constexpr bool is_shared<T> = true;

}  // namespace gondwana
