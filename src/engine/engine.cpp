#include "engine/engine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/machine.hpp"
#include "core/mapping.hpp"

namespace gondwana {
namespace {

// Bytes that an arena has for its heap.
std::size_t heap_room(const NodeMemory& memory, std::size_t globals_size) {
  const std::size_t before = heap_offset(globals_size);
  const std::size_t arena = memory.plan().arena_size();
  return before < arena ? arena - before : 0;
}

Error heaps_exceed_memory(std::size_t heap, std::uint32_t ranks, std::size_t memory) {
  return {Errc::out_of_memory,
          fmt::format("a heap of {} on each of {} ranks needs {}, this node has {}; lower "
                      "GONDWANA_HEAP_SIZE to {}M, or set GONDWANA_HEAP_OVERCOMMIT=1 if the ranks "
                      "will not use all of it",
                      format_size(heap), ranks, format_size(heap * ranks), format_size(memory),
                      memory / ranks >> 20)};
}

// What the user asked for, or half of the node's memory shared out; an error where it cannot be.
Result<std::size_t> choose_heap_size(const Engine::Setup& setup) {
  const std::uint32_t ranks = setup.memory->plan().ranks;
  const std::size_t room = heap_room(*setup.memory, setup.globals.size());
  const std::size_t memory = usable_memory();
  std::size_t heap = setup.options.heap_size;
  if (heap == 0) heap = std::clamp(memory / 2 / ranks, huge_page, std::max(room, huge_page));
  if (!setup.options.heap_overcommit && heap > memory / ranks)
    return heaps_exceed_memory(heap, ranks, memory);
  if (heap > room) {
    return Error{Errc::out_of_memory,
                 fmt::format("a heap of {} does not fit: each of {} ranks has {} of address space "
                             "for it; lower GONDWANA_HEAP_SIZE or raise ulimit -v",
                             format_size(heap), ranks, format_size(room))};
  }
  return std::min(round_up(heap, page_size()), room);
}

Team team_of_all(const NodeMemory& memory, std::uint32_t number, std::uint32_t size, Rank me) {
  Team team{.number = number, .first = 0, .stride = 1, .size = size, .me = index(me)};
  // An engine of this rank may have been here before: go on where it stopped.
  team.epoch = memory.line(number, team.me).epoch.load(std::memory_order_relaxed);
  return team;
}

}  // namespace

Engine::Engine(Setup setup, std::size_t heap_size)
    : rank_(setup.rank),
      ranks_(setup.ranks),
      memory_(std::move(setup.memory)),
      symmetric_(memory_->window(rank_), setup.globals, heap_size),
      reach_(*memory_, setup.use_reach ? memory_->plan().ranks : 0, symmetric_.ranges()),
      wire_(std::move(setup.wire)),
      options_(setup.options),
      patience_(memory_->plan().ranks, usable_processors(), setup.options.spins),
      world_(team_of_all(*memory_, 0, ranks_, rank_)),
      shared_(team_of_all(*memory_, 1, ranks_, rank_)),
      default_lane_(memory_->page(rank_).counters[0]),
      shortcut_(reach_, default_lane_.counters()) {}

Result<std::unique_ptr<Engine>> Engine::create(Setup setup) {
  const Result<std::size_t> heap_size = choose_heap_size(setup);
  if (!heap_size) return heap_size.error();
  register_for_heavy_fence();  // refused: then every sleep is timed, see Doorbell
  ControlPage& page = setup.memory->page(setup.rank);
  page.heap_size.store(*heap_size, std::memory_order_relaxed);
  page.globals_size.store(setup.globals.size(), std::memory_order_relaxed);
  page.program_id.store(setup.program_id, std::memory_order_relaxed);
  const CallName call = setup.call;
  std::unique_ptr<Engine> engine(new Engine(std::move(setup), *heap_size));
  engine->announce_state(RankState::joined);
  engine->sync(engine->world_, call);
  if (const Result<void> same = engine->compare_with_first(); !same) return same.error();
  engine->sync(engine->world_, call);
  engine->announce_state(RankState::running);
  return engine;
}

// Offsets mean the same only where programs and heaps are the same.
Result<void> Engine::compare_with_first() {
  const ControlPage& first = memory_->page(Rank(0));
  const ControlPage& mine = memory_->page(rank_);
  if (first.program_id.load(std::memory_order_relaxed) !=
          mine.program_id.load(std::memory_order_relaxed) ||
      first.globals_size.load(std::memory_order_relaxed) !=
          mine.globals_size.load(std::memory_order_relaxed)) {
    return Error{Errc::invalid_argument,
                 "this rank runs another program than rank 0: global variables would not be "
                 "symmetric; start the same executable on every rank"};
  }
  const std::uint64_t heap = mine.heap_size.load(std::memory_order_relaxed);
  const std::uint64_t expected = first.heap_size.load(std::memory_order_relaxed);
  if (heap != expected) {
    return Error{Errc::invalid_argument,
                 fmt::format("this rank has a heap of {}, rank 0 one of {}; set GONDWANA_HEAP_SIZE "
                             "to the same on every rank",
                             format_size(heap), format_size(expected))};
  }
  return {};
}

// A rank sleeps on one of its two bells: that of the memory, or that of the words, it waits for.
// Stores through pointers and over a wire ring none, so sleeps that they may end are timed.
void Engine::wait_longer(const WaitReason& why, FunctionRef<bool()> done) {
  constexpr std::chrono::microseconds look_again{1000};
  const auto moved_on = [&] {
    if (wire_) wire_.progress();
    return done();
  };
  ControlPage& page = memory_->page(rank_);
  CounterBlock& counters = default_lane_.counters();
  page.waiting.begin(why.call, why.peer, why.team, monotonic_ns());
  counters.add(Count::waits);
  if (!patience_.yield_until(moved_on)) {
    Doorbell<RealAtomics>& bell =
        why.on_program_memory ? memory_->data_bell(rank_) : page.sync_bell;
    const bool timed = why.on_program_memory || wire_;
    const Timeout limit = timed ? Timeout{look_again} : Timeout{};
    do {
      counters.add(Count::sleeps);
    } while (!bell.sleep_until(moved_on, limit));
  }
  page.waiting.end();
}

void Engine::sync(Team& team, CallName call) {
  default_lane_.counters().add(Count::syncs);
  if (!in_reach(team)) return sync_over_wire(team, call);
  const Epoch epoch = ++team.epoch;
  NodeSync line(NodeTeam(*memory_, team), team.me);
  line.arrive(epoch);
  std::uint32_t from = 0;
  if (!line.all_reached(epoch, from))
    wait({.call = call, .team = team.number}, [&] { return line.all_reached(epoch, from); });
  line.ring_sleepers();
}

bool Engine::barrier(Team& team, CallName call) {
  if (wire_) drain(default_lane_);
  sync(team, call);  // who sees this rank arrive sees what it put
  return !default_lane_.failed();
}

bool Engine::broadcast(Team& team, CallName call, void* dest, const void* source, std::size_t size,
                       std::uint32_t root) {
  if (!in_reach(team)) return broadcast_over_wire(team, call, dest, source, size, root);
  default_lane_.counters().add(Count::syncs);
  const Epoch ready = team.epoch + 1;
  const Epoch copied = team.epoch += 2;
  NodeSync line(NodeTeam(*memory_, team), team.me);
  const auto others_have_copied = [&] {
    for (std::uint32_t i = 0; i < team.size; ++i)
      if (i != root && !line.reached(i, copied)) return false;
    return true;
  };
  if (team.me == root) {
    line.advance(ready);
    line.ring_sleepers();
    if (dest != source) std::memmove(dest, source, size);
    wait({.call = call, .team = team.number}, others_have_copied);
    line.advance(copied);
    return true;
  }
  wait({.call = call, .peer = index(team.rank_of(root)), .team = team.number},
       [&] { return line.reached(root, ready); });
  const bool copied_well = get(default_lane_, team.rank_of(root), dest, source, size);
  line.advance(copied);
  if (others_have_copied()) memory_->page(team.rank_of(root)).sync_bell.ring_if_asleep();
  return copied_well;
}

}  // namespace gondwana
