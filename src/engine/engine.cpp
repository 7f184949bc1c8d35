#include "engine/engine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/access_checkers.hpp"
#include "core/machine.hpp"
#include "core/mapping.hpp"
#include "engine/collectives/levels/levels.hpp"

namespace gondwana {
namespace {

// Huge pages lie at a place that does not depend on the program.
Result<std::size_t> choose_heap_offset(const Engine::Setup& setup) {
  const std::size_t usual = heap_offset(setup.globals.size());
  if (!setup.options.hugetlb && setup.memory->plan().huge == 0) return usual;
  if (usual <= huge_offset) return huge_offset;
  return Error{Errc::out_of_memory,
               fmt::format("GONDWANA_HUGETLB: the {} of the program's global variables leave no "
                           "room below the heap; unset it",
                           format_size(setup.globals.size()))};
}

// Bytes that an arena has for its heap.
std::size_t heap_room(const NodeMemory& memory, std::size_t heap_at) {
  const std::size_t end = memory.plan().inbox_offset();
  return heap_at < end ? end - heap_at : 0;
}

// What is left of the arena behind the heap, and behind huge pages if they reach farther.
MutableBytes space_behind(const NodeMemory& memory, Rank rank, const HeapPlace& heap) {
  const std::size_t huge_end = heap.huge > 0 ? huge_offset + memory.plan().huge : 0;
  const std::size_t begin = std::max(round_up(heap.offset + heap.size, page_size()), huge_end);
  const std::size_t end = memory.plan().inbox_offset() / page_size() * page_size();
  return {memory.window(rank) + begin, begin < end ? end - begin : 0};
}

// Bytes of the space behind the heap that may have been written to, for the heap of an engine
// before may have been longer.
std::size_t dirty_behind(const NodeMemory& memory, Rank rank, MutableBytes space) {
  const std::uint64_t touched = memory.page(rank).legacy.touched.load(std::memory_order_relaxed);
  const auto begin = static_cast<std::size_t>(space.data() - memory.window(rank));
  return begin < touched ? std::min<std::size_t>(touched - begin, space.size()) : 0;
}

SegmentSpace segments_behind(const NodeMemory& memory, Rank rank, const HeapPlace& heap) {
  const MutableBytes space = space_behind(memory, rank, heap);
  return SegmentSpace(space, dirty_behind(memory, rank, space));
}

// What the node with the least memory has for each of its ranks.
std::size_t least_memory(const NodeMemory& memory) {
  std::size_t least = usable_memory() / memory.plan().ranks;
  for (std::uint32_t node = 0; node < memory.plan().nodes; ++node) {
    const NodeEntry& entry = memory.entry(node);
    if (entry.state.load(std::memory_order_acquire) == NodeState::known)
      least = std::min<std::size_t>(least, entry.info.memory);
  }
  return least;
}

Error heaps_exceed_memory(std::size_t heap, std::uint32_t ranks, std::size_t memory) {
  return {Errc::out_of_memory,
          fmt::format("a heap of {} on each of {} ranks needs {}, this node has {}; lower "
                      "GONDWANA_HEAP_SIZE to {}, or set GONDWANA_HEAP_OVERCOMMIT=1 if the ranks "
                      "will not use all of it",
                      format_size(heap), ranks, format_size(heap * ranks), format_size(memory),
                      format_size_option(memory / ranks))};
}

// What the user asked for, or half of the node's memory shared out; an error where it cannot be.
Result<std::size_t> choose_heap_size(const Engine::Setup& setup, std::size_t heap_at) {
  const std::uint32_t ranks = setup.memory->plan().ranks;
  const std::size_t room = heap_room(*setup.memory, heap_at);
  const std::size_t memory = usable_memory();
  std::size_t heap = setup.options.heap_size;
  if (heap == 0)
    heap = std::clamp(least_memory(*setup.memory) / 2, huge_page, std::max(room, huge_page));
  if (!setup.options.heap_overcommit && heap > memory / ranks)
    return heaps_exceed_memory(heap, ranks, memory);
  if (heap > room) {
    return Error{Errc::out_of_memory,
                 fmt::format("a heap of {} does not fit: each of {} ranks has {} of address space "
                             "for it; lower GONDWANA_HEAP_SIZE or raise ulimit -v",
                             format_size(heap), ranks, format_size(room))};
  }
  return std::min(round_up(heap, heap_at == huge_offset ? huge_page : page_size()), room);
}

Result<HeapPlace> choose_heap(const Engine::Setup& setup) {
  const Result<std::size_t> offset = choose_heap_offset(setup);
  if (!offset) return offset.error();
  const Result<std::size_t> size = choose_heap_size(setup, *offset);
  if (!size) return size.error();
  return HeapPlace{.offset = *offset,
                   .size = *size,
                   .huge = std::min(*size, setup.memory->plan().huge),
                   .redzones = setup.options.checks || has_address_sanitizer()};
}

// How long a sleep may last that nobody ends: what comes over a wire rings no bell of who sleeps on
// another thing. So the first are short, and one that waits for long looks a thousand times a
// second.
std::chrono::microseconds longest_sleep(std::uint32_t sleeps_before, bool is_wire_busy) {
  constexpr std::chrono::microseconds most{1000};
  constexpr std::chrono::microseconds first{60};
  constexpr std::uint32_t doublings = 4;
  return is_wire_busy && sleeps_before <= doublings ? first * (1 << sleeps_before) : most;
}

// How long a rank sleeps that is to look after its neighbors.
constexpr std::chrono::milliseconds between_looks_around{500};

// True: something came before the time was over.
bool sleep_on(Wire& wire, std::chrono::microseconds limit) {
  const std::uint64_t since = monotonic_ns();
  wire.sleep(limit);
  return std::chrono::nanoseconds(monotonic_ns() - since) < limit;
}

// A poll of a wire takes as long as many looks at memory.
PollBackoff polls_of(const WaitPolicy& wait_policy, const Processors& around, bool over_wire) {
  constexpr std::uint32_t looks_at_wire = 4;
  if (around.roomy) return {};
  return PollBackoff::after(over_wire ? std::min(wait_policy.spins(), looks_at_wire)
                                      : wait_policy.spins());
}

}  // namespace

Engine::Engine(Setup setup, const HeapPlace& heap)
    : rank_(setup.rank),
      ranks_(setup.ranks),
      memory_(std::move(setup.memory)),
      symmetric_(memory_, rank_, setup.globals, heap,
                 legacy().touched.load(std::memory_order_relaxed)),
      segments_(segments_behind(*memory_, rank_, heap)),
      reach_(*memory_, setup.use_reach ? memory_->plan().ranks : 0, symmetric_.ranges()),
      wire_(std::move(setup.wire)),
      on_lost_(std::move(setup.on_lost)),
      look_around_(std::move(setup.look_around)),
      options_(setup.options),
      workers_(memory_->page(rank_),
               WaitPolicy({.roomy = false, .yields_help = true}, setup.options.spins),
               setup.threads),
      messages_(*memory_, rank_),
      default_lane_(first_lane()),
      first_epoch_(epoch_of(legacy().generation.load(std::memory_order_relaxed))),
      free_numbers_(~std::uint64_t{0} << 2) {
  last_epoch_.fill(first_epoch_);
  if (wire_ && Mail::may_use(wire_))
    messages_.use(std::make_unique<Mail>(wire_, wire_mutex_, *memory_, rank_, ranks_));
  const NodeShare& share = memory_->plan();
  teams_[world_number] = first_team(world_number, 0, ranks_);
  teams_[shared_number] = setup.use_reach ? first_team(shared_number, share.first, share.ranks)
                                          : first_team(shared_number, 0, ranks_);
}

Engine::~Engine() {
  if (wire_) {
    drain(default_lane_);
    depart("end");
  }
  if (const auto& levels = teams_[world_number]->levels)
    legacy().exchanges.store(levels->exchanges, std::memory_order_relaxed);
  legacy().touched.store(symmetric_.touched(), std::memory_order_relaxed);
  legacy().generation.fetch_add(1, std::memory_order_relaxed);
}

Lane Engine::first_lane() {
  if (threads() == Threads::many) return Lane(workers_);
  ThreadSlot& thread_slot = *workers_.mine().thread_slot;
  return Lane(thread_slot, shortcut_to(thread_slot));
}

// With checks there is none: then every call takes the way on which they are made.
Shortcut Engine::shortcut_to(ThreadSlot& thread_slot) const {
  return options_.checks ? Shortcut() : Shortcut(reach_, thread_slot.counters);
}

std::unique_ptr<Lane> Engine::make_lane(Threads used_by) {
  if (used_by == Threads::many && threads() == Threads::many)
    return std::make_unique<Lane>(workers_);
  Workers::Lease lease = workers_.take_thread_slot();
  if (!lease) return nullptr;
  ThreadSlot& thread_slot = *lease.thread_slot();
  return std::make_unique<Lane>(thread_slot, shortcut_to(thread_slot), std::move(lease));
}

Result<std::unique_ptr<Engine>> Engine::create(Setup setup) {
  const Result<HeapPlace> heap = choose_heap(setup);
  if (!heap) return heap.error();
  register_for_heavy_fence();  // refused: then every sleep is timed, see Doorbell
  ControlPage& page = setup.memory->page(setup.rank);
  publish_place(page);
  setup.memory->facts(setup.rank) = {.program_id = setup.program_id,
                                     .globals_size = setup.globals.size(),
                                     .heap_size = heap->size,
                                     .heap_offset = heap->offset,
                                     .checks = setup.options.checks,
                                     .redzones = heap->redzones};
  const CallName call = setup.call;
  std::unique_ptr<Engine> engine(new Engine(std::move(setup), *heap));
  engine->announce_state(RankState::joined);
  engine->sync(engine->world(), call);
  if (const Result<void> same = engine->compare_with_first(); !same) return same.error();
  const Processors processors = find_processors(*engine->memory_);
  engine->roomy_ = processors.roomy;
  Processors around = processors;
  // A look at a wire is a system call, and who moves its bytes may need this processor: yield soon.
  if (engine->wire_) around.roomy = false;
  const WaitPolicy wait_policy(around, engine->options_.spins);
  const PollBackoff polls = polls_of(wait_policy, around, bool(engine->wire_));
  engine->workers_.set_manners(wait_policy, polls);
  // Among many threads this one has joined before, in the sync above.
  Worker& mine = engine->workers_.mine();
  mine.wait_policy = wait_policy;
  mine.polls = polls;
  engine->sync(engine->world(), call);
  engine->announce_state(RankState::running);
  return engine;
}

// Those of rank 0; nothing where it cannot be asked, with the sentence in the default lane.
std::optional<RankFacts> Engine::facts_of_first() {
  constexpr Rank first{0};
  if (reach_.covers(first)) return memory_->facts(first);
  RankFacts facts{};
  const Remote place{first, system_area::facts.offset};
  if (!get_over_wire(default_lane_, std::as_writable_bytes(std::span(&facts, 1)), place))
    return std::nullopt;
  return facts;
}

Result<void> Engine::compare_with_first() {
  const std::optional<RankFacts> first = facts_of_first();
  if (!first) return *default_lane_.take_error();
  const RankFacts& mine = memory_->facts(rank_);
  if (first->program_id != mine.program_id || first->globals_size != mine.globals_size) {
    return Error{Errc::invalid_argument,
                 "this rank runs another program than rank 0: global variables would not be "
                 "symmetric; start the same executable on every rank"};
  }
  if (mine.heap_size != first->heap_size) {
    return Error{Errc::invalid_argument,
                 fmt::format("this rank has a heap of {}, rank 0 one of {}; set GONDWANA_HEAP_SIZE "
                             "to the same on every rank",
                             format_size(mine.heap_size), format_size(first->heap_size))};
  }
  if (mine.heap_offset != first->heap_offset)
    return Error{
        Errc::invalid_argument,
        "the heap of this rank lies elsewhere than that of rank 0; set GONDWANA_HUGETLB to "
        "the same on every rank"};
  if (first->checks != mine.checks) {
    return Error{Errc::invalid_argument,
                 fmt::format("this rank {} its calls, rank 0 {}; set SHMEM_DEBUG on every rank or "
                             "on none",
                             options_.checks ? "checks" : "does not check",
                             options_.checks ? "does not" : "does")};
  }
  if (first->redzones != mine.redzones)
    return Error{
        Errc::invalid_argument,
        fmt::format("this rank runs {} AddressSanitizer, rank 0 {}: blocks of the heap would not "
                    "be symmetric; set GONDWANA_DEBUG=yes on every rank",
                    mine.redzones != 0 ? "with" : "without",
                    mine.redzones != 0 ? "does not" : "does")};
  return {};
}

// A word lies in the arena of this rank, or in globals that are laid there too.
Watch Engine::watch_on(const void* word) const {
  const std::size_t distance = reinterpret_cast<std::uintptr_t>(word) -
                               reinterpret_cast<std::uintptr_t>(memory_->window(rank_));
  if (distance < memory_->plan().arena_size()) return Watch::at(distance);
  const std::size_t offset = symmetric_.ranges().offset_of(word, 1);
  return offset != SymmetricRanges::nowhere ? Watch::at(offset) : Watch();
}

// A rank sleeps on one of its two bells: that of the memory, or that of the words, it waits for.
// Stores through pointers and over a wire ring none, so sleeps that they may end are timed. What
// comes, a message or bytes from the wire, is most often followed by more: a rank that slept
// between two of them would take longer to wake up than to wait. So it starts to look and to yield
// anew.
void Engine::wait_longer(const WaitReason& why, FunctionRef<bool()> done) {
  std::uint32_t looks = 0;
  bool stirred = false;  // something came, and more may follow
  bool finished = false;
  const auto look = [&](std::uint32_t received) {
    stirred |= received > 0;
    if (wire_ && looks_at_wire(why, looks++)) stirred |= progress();
    finished = done();
    return finished || stirred;
  };
  const auto glance = [&] { return look(receive()); };
  const auto look_surely = [&] { return look(messages_.may_poll() ? messages_.poll_all() : 0); };
  Worker& worker = workers_.mine();
  CounterBlock& counters = worker.thread_slot->counters;
  worker.thread_slot->waiting.begin(why.call, why.peer, why.team, monotonic_ns());
  counters.add(Count::waits);
  Doorbell<RealAtomics>& bell =
      why.on_program_memory ? memory_->data_bell(rank_) : memory_->page(rank_).sync_bell;
  const bool timed = why.on_program_memory || wire_;
  const bool on_wire = why.on_wire || (!why.on_program_memory && hears_by_wire());
  const Watch watch = watch_on(why.word);
  const Timeout longest_untimed = look_around_ ? Timeout{between_looks_around} : Timeout{};
  std::uint32_t sleeps = 0;
  const auto sleep = [&] {
    const bool may_come = wire_ && (on_wire || is_wire_busy());
    const std::chrono::microseconds look_again = longest_sleep(sleeps++, may_come);
    stirred = may_come && progress();
    if (on_wire) {
      stirred |= sleep_on(wire_, look_again);
      look_surely();
    } else {
      bell.sleep_until(look_surely, timed ? Timeout{look_again} : longest_untimed, watch);
    }
    if (look_around_ && !finished) look_around();
  };
  // A look at the wire takes as long as a yield: where it is waited for, the yields are the looks.
  const auto stay_awake = [&] {
    while (stirred && !finished) {
      stirred = false;
      sleeps = 0;
      if (why.on_wire || !worker.wait_policy.spin_until(glance))
        worker.wait_policy.yield_until(look_surely);
    }
  };
  worker.wait_policy.yield_until(look_surely);
  stay_awake();
  while (!finished) {
    counters.add(Count::sleeps);
    sleep();
    stay_awake();
  }
  worker.thread_slot->waiting.end();
}

void Engine::look_around() {
  if (const std::optional<Error> loss = look_around_()) on_lost_(*loss);
}

bool Engine::pause(CallName call, Pause& so_far) {
  bool stirred = wire_ && progress();
  if (messages_.may_poll()) stirred |= (so_far.armed ? messages_.poll_all() : messages_.poll()) > 0;
  if (stirred) {
    so_far = {};
    return true;
  }
  Worker& worker = workers_.mine();
  if (++so_far.rounds < worker.wait_policy.spins()) {
    if (so_far.rounds >= WaitPolicy::eager_spins) relax();
    return false;
  }
  Doorbell<RealAtomics>& bell = memory_->data_bell(rank_);
  if (so_far.armed) {
    worker.thread_slot->waiting.begin(call, Waiting::anybody, 0, monotonic_ns());
    worker.thread_slot->counters.add(Count::sleeps);
    const std::chrono::microseconds look_again = longest_sleep(so_far.sleeps++, bool(wire_));
    if (hears_by_wire())
      sleep_on(wire_, look_again);
    else
      bell.sleep(so_far.seen, look_again);
    worker.thread_slot->waiting.end();
    so_far.armed = false;
    return false;
  }
  if (so_far.yields_since == 0) so_far.yields_since = monotonic_ns();
  if (worker.wait_policy.yields_on(so_far.yields_since)) return false;
  so_far.seen = bell.arm();  // the caller looks once more before the sleep
  so_far.armed = true;
  return false;
}

Draft Engine::wait_and_open(CallName call, Rank to, MessageClass sort, Payload payload) {
  std::optional<Draft> draft;
  wait({.call = call, .peer = index(to), .on_wire = !reach_.covers(to)}, [&] {
    draft = messages_.try_open(to, sort, payload);
    return draft.has_value();
  });
  return *draft;
}

void Engine::sync(Team& team, CallName call) {
  default_lane_.counters().add(Count::syncs);
  if (uses_reference(Collective::barrier, team)) return sync_over_wire(team, call);
  const Epoch epoch = ++team.epoch;
  NodeSync line(NodeTeam(*memory_, team), team.me);
  line.arrive(epoch);
  std::uint32_t from = 0;
  if (!line.all_reached(epoch, from))
    wait({.call = call, .team = team.number}, [&] { return line.all_reached(epoch, from); });
  line.ring_sleepers(epoch);
}

bool Engine::barrier(Team& team, CallName call) {
  if (wire_) drain(default_lane_);
  sync(team, call);  // who sees this rank arrive sees what it put
  return !default_lane_.failed();
}

}  // namespace gondwana
