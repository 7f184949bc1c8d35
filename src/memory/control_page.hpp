// The state that ranks of a node, their launcher and tools show each other in control memory.
// layout.hpp defines the places.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>

#include "core/counters.hpp"
#include "memory/accumulate_locks.hpp"
#include "memory/node_ranks.hpp"
#include "memory/presence.hpp"
#include "memory/relay_place.hpp"
#include "sync/doorbell.hpp"
#include "sync/world_update.hpp"

namespace gondwana {

// The condition on words of program memory that ends a wait.
struct Awaited {
  enum class Relation : std::uint8_t { unknown, equal, unequal, greater, at_least, less, at_most };

  std::uint64_t value = 0;  // the value they are compared with; a signed one is extended
  std::uint32_t words = 0;  // an array; 0: the wait has no condition of this kind
  std::uint8_t size = 0;    // of each word, in bytes
  bool is_signed = false;
  Relation relation = Relation::unknown;  // how the words compare to it; unknown: each has its own
};

// The wait of a rank, for processes that examine why it does not continue. It has one writer and
// many readers. `since` is zero while the rank does not wait. It is written last when a wait
// begins, first when it ends.
struct alignas(cache_line) Waiting {
  static constexpr std::uint32_t any_rank = ~std::uint32_t{0};
  static constexpr std::uint32_t no_team = ~std::uint32_t{0};

  std::atomic<std::uint64_t> since_ns;  // CLOCK_MONOTONIC; 0: not waiting
  std::atomic<std::uint32_t> peer;      // the awaited rank, or any
  std::atomic<std::uint32_t> team;      // of the rank's collective, or no_team
  std::atomic<std::uint64_t> place;  // address of the lock or word, in the rank's memory; 0: none
  std::atomic<std::uint64_t> awaited_value;  // these as in Awaited
  std::atomic<std::uint32_t> awaited_words;
  std::atomic<std::uint32_t> awaited_kind;               // one byte each: size, sign, relation
  std::array<std::atomic<std::uint64_t>, 6> call_words;  // name of the call, zero-terminated

  void begin(CallName call, std::uint32_t for_peer, std::uint32_t in_team, std::uint64_t now_ns,
             const void* at = nullptr, const Awaited& what = {});
  void end() { since_ns.store(0, std::memory_order_release); }
  std::string call() const;
  Awaited awaited() const;
};

// The counters of a lane or a thread of a rank, and the wait of the thread. Totals outlive their
// owner: the next owner continues them.
struct ThreadSlot {
  CounterBlock counters;
  Waiting waiting;
};

enum class RankState : std::uint32_t { absent, joined, running, finalized };

// State that an engine leaves to the next engine of its rank: a program may finalize and initialise
// again. Only the rank reads and writes it.
struct Legacy {
  // Grows with each engine and each process of this rank: the epochs of its teams begin with it.
  std::atomic<std::uint32_t> generation;
  // The number of ended engines of this rank: the same on all ranks while engines exist. Data that
  // outlives an engine carries it.
  std::atomic<std::uint32_t> engines;
  std::atomic<std::uint64_t> touched;  // its heap may be written below this offset
  // And the memory after its heap, from here to there.
  std::atomic<std::uint64_t> segments_begin;
  std::atomic<std::uint64_t> segments_end;
};

// Identifies the control memory in /proc, which shows the processes that map it.
inline constexpr const char* control_label = "gondwana-control";

// The messages that a rank has sent to and received from ranks of other nodes since its process
// began, and the operations that wait for other nodes. Written by the rank alone.
struct Traffic {
  std::atomic<std::uint64_t> sent;
  std::atomic<std::uint64_t> received;
  std::atomic<std::uint64_t> pending;
};

inline void add(std::atomic<std::uint64_t>& number, std::uint64_t more) {
  number.store(number.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

// The place of a rank's heap in its memory, for tools. Written by the rank alone, before it has
// joined.
struct ShownHeap {
  std::atomic<std::uint64_t> begin;
  std::atomic<std::uint64_t> size;
};

// The members of a team, for tools: `first` and further ranks at equal steps. If the step is 0 and
// there are several members, they are a list. Only the rank writes it, `size` last; 0: it is in no
// team with that number.
struct ShownTeam {
  std::atomic<std::uint32_t> first;
  std::atomic<std::int32_t> stride;
  std::atomic<std::uint32_t> size;
};

// Identifies a node of a job to tools, and lets them read its memory. The process that makes the
// memory writes it once, before any rank starts.
struct NodeFacts {
  std::uint64_t layout;   // memory_fingerprint of its build
  std::uint64_t began_s;  // seconds since 1970
  std::uint32_t job;      // the same on all nodes; too short to reveal the tag
  NodeRanks ranks;        // of the node; like NodeShare, from here on
  std::uint32_t node;
  std::uint32_t nodes;
  std::uint32_t job_ranks;
  std::uint32_t slots;
  std::uint32_t node_slots;
  std::uint64_t ring_size;  // as in NodePlan
  std::uint64_t teams;      // likewise
};

// The load of a node agent, for tools. Only the agent writes it.
struct alignas(cache_line) AgentLoad {
  std::atomic<std::uint32_t> process;  // of its process; 0: there is no agent
  std::atomic<std::uint32_t> waiting;  // processes and batches with bytes that wait for the network
  std::atomic<std::uint64_t> batches;  // executed since its start
  std::atomic<std::uint64_t> leaving;  // bytes in flight
};

// How a job that may grow has changed since its start.
struct alignas(cache_line) Growth {
  std::atomic<std::uint32_t> added;    // ranks that were given a number; written by the guardian
  std::atomic<std::uint32_t> nodes;    // added with them; likewise, after their infos
  std::atomic<std::uint32_t> changes;  // ranks that have joined later, died or left
  std::atomic<std::uint64_t> world;    // the ranks' last agreement, see WorldUpdate
  // In a job on several nodes the guardian writes both, see ConductedUpdate.
  OfferPlace<RealAtomics> agreed;
};

// One for each rank of the job: its last death, see DeathList. An incarnation is a process of the
// rank, from 0.
struct DeathPlace {
  std::atomic<std::uint32_t> number;       // in the order of all changes, from 1; 0: none has died
  std::atomic<std::uint32_t> incarnation;  // that died; written before `number`
  std::atomic<std::uint32_t> has_left;     // 1: it left on purpose, by shmemx_leave; likewise
  std::atomic<std::uint32_t> started;      // the last incarnation that the guardian has started
  std::atomic<std::uint32_t> running;      // the last incarnation that has begun to run; its own
  std::atomic<std::uint32_t> has_joined;   // 1: it was added, on another node, and runs
  // The node of its process, counted from 1, written before `running`; 0: the one at the start.
  std::atomic<std::uint32_t> node;
};

// What becomes of a rank that dies: nothing, or another process takes its place, with empty memory
// or with the memory as it was left.
enum class Replacement : std::uint32_t { none, empty, kept };

// One per node. `complaints`: the first rank that finds a common fault reports it; the others stay
// silent. `leaving`: ranks that are about to end. `files_asked`: counts changes of ranks to their
// lists of files (ArenaFiles); the agent reads the lists if `files_served` is 1. `shortened`: a
// file of this rank, counted from 1, is a segment and was made shorter; the agent ended because of
// it. `ending`: ranks that wait, or have waited, for the others to end. `deaths`: see DeathList.
// `replacement`: written before any rank starts. `goes_on`: 1 if the job continues after the death
// of a rank. `needs_all`: 1 if a rank uses an API that cannot continue after the death of a rank.
// `is_over`: 1 once `why` contains the reason why the job cannot continue, for any process of the
// node that can end it.
struct NodeHeader {
  static constexpr std::size_t longest_reason = 2048;

  NodeFacts facts;
  std::atomic<std::uint32_t> complaints;
  std::atomic<std::uint32_t> leaving;
  std::atomic<std::uint32_t> files_asked;
  std::atomic<std::uint32_t> files_served;
  std::atomic<std::uint32_t> shortened;
  std::atomic<std::uint32_t> ending;
  std::atomic<std::uint32_t> deaths;
  std::atomic<Replacement> replacement;
  std::atomic<std::uint32_t> goes_on;
  std::atomic<std::uint32_t> needs_all;
  std::atomic<std::uint32_t> is_over;    // released after `why`
  std::array<char, longest_reason> why;  // zero-terminated; written once
  AgentBell agent_bell;
  AgentBell batch_bell;  // rings when a rank leaves a batch open and the agent sleeps
  AgentLoad agent_load;
  Growth growth;
};

// What a rank shows its peers. The pages of all ranks lie together: a rank that reads them all maps
// few pages. ShownMemory follows in the same place.
struct ControlPage {
  static constexpr std::size_t size = 8192;

  alignas(cache_line) std::atomic<RankState> state;
  // The processors on which the rank may run, one bit each, and its session.
  std::array<std::atomic<std::uint64_t>, 16> processors;
  std::atomic<std::uint32_t> session;
  std::atomic<std::uint32_t> heeded;  // the number of changes that its calls heed, see DeathList
  Legacy legacy;
  Presence presence;
  Traffic traffic;
  ShownHeap heap;
  std::atomic<std::uint32_t> library_threads;  // of the process: threads that the library started

  // Rung by a rank that arrives at a barrier: the rank sleeps on words of the engine. A put rings
  // another bell, in the arena (system_area::data_bell), so it does not wake a rank that sleeps
  // here.
  Doorbell<RealAtomics> sync_bell;
  WorldPlace<RealAtomics> world_place;
  AccumulateLocks accumulate_locks;
};

// The slots of a rank's threads; sparse.
struct ThreadSlots {
  static constexpr std::uint32_t max_slots = 16384;

  alignas(cache_line) std::atomic<std::uint32_t> used;  // no slot from here on was ever used
  // Slot 0 serves the default lane, and the thread that initialised.
  std::array<ThreadSlot, max_slots> slots;

  std::span<const ThreadSlot> in_use() const {
    return std::span(slots).first(std::min(used.load(std::memory_order_relaxed), max_slots));
  }
  // The sum of all slots, for other processes.
  std::uint64_t count(Count what) const;
  const Waiting* longest_wait() const;  // null: no thread waits
};

// What a rank shows to others. Null before its node has memory.
struct RankPages {
  const ControlPage* page = nullptr;
  const ThreadSlots* threads = nullptr;
};

static_assert(sizeof(ControlPage) <= ControlPage::size);
static_assert(std::atomic<RankState>::is_always_lock_free);

inline void Waiting::begin(CallName call, std::uint32_t for_peer, std::uint32_t in_team,
                           std::uint64_t now_ns, const void* at, const Awaited& what) {
  std::array<char, sizeof(call_words)> text{};
  std::strncpy(text.data(), call, text.size() - 1);
  for (std::size_t i = 0; i < call_words.size(); ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i * sizeof(word), sizeof(word));
    call_words[i].store(word, std::memory_order_relaxed);
  }
  peer.store(for_peer, std::memory_order_relaxed);
  team.store(in_team, std::memory_order_relaxed);
  place.store(reinterpret_cast<std::uintptr_t>(at), std::memory_order_relaxed);
  awaited_value.store(what.value, std::memory_order_relaxed);
  awaited_words.store(what.words, std::memory_order_relaxed);
  awaited_kind.store(what.size | std::uint32_t{what.is_signed} << 8 |
                         static_cast<std::uint32_t>(what.relation) << 16,
                     std::memory_order_relaxed);
  since_ns.store(now_ns, std::memory_order_release);  // pairs with the reader's acquire
}

inline std::uint64_t ThreadSlots::count(Count what) const {
  std::uint64_t total = 0;
  for (const ThreadSlot& slot : in_use()) total += slot.counters.read(what);
  return total;
}

inline const Waiting* ThreadSlots::longest_wait() const {
  const Waiting* longest = nullptr;
  std::uint64_t earliest = ~std::uint64_t{0};
  for (const ThreadSlot& slot : in_use()) {
    const std::uint64_t since = slot.waiting.since_ns.load(std::memory_order_acquire);
    if (since == 0 || since >= earliest) continue;
    earliest = since;
    longest = &slot.waiting;
  }
  return longest;
}

inline std::string Waiting::call() const {
  std::array<char, sizeof(call_words) + 1> text{};
  for (std::size_t i = 0; i < call_words.size(); ++i) {
    const std::uint64_t word = call_words[i].load(std::memory_order_relaxed);
    std::memcpy(text.data() + i * sizeof(word), &word, sizeof(word));
  }
  return text.data();
}

// The program may have damaged these words, so they are checked.
inline Awaited Waiting::awaited() const {
  const std::uint32_t kind = awaited_kind.load(std::memory_order_relaxed);
  const auto size = static_cast<std::uint8_t>(kind);
  const std::uint32_t relation = kind >> 16;
  if (size != 1 && size != 2 && size != 4 && size != 8) return {};
  if (relation > static_cast<std::uint32_t>(Awaited::Relation::at_most)) return {};
  return {.value = awaited_value.load(std::memory_order_relaxed),
          .words = awaited_words.load(std::memory_order_relaxed),
          .size = size,
          .is_signed = (kind >> 8 & 1) != 0,
          .relation = static_cast<Awaited::Relation>(relation)};
}

}  // namespace gondwana
