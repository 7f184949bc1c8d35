#include "engine/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <utility>
#include <vector>

#include "core/access_checkers.hpp"
#include "core/load.hpp"
#include "core/machine.hpp"
#include "engine/rma/bounce/landings.hpp"
#include "engine/symmetric/heap_choice.hpp"
#include "engine/symmetric/rank_facts.hpp"
#include "tracing/regions.hpp"
#include "tracing/tracer.hpp"

namespace gondwana {
namespace {

// One poll of a wire takes as long as many polls of memory.
PollBackoff polls_of(const WaitPolicy& wait_policy, const Processors& around, bool over_wire) {
  constexpr std::uint32_t wire_polls = 4;
  if (!around.is_oversubscribed) return {};
  return PollBackoff::after(over_wire ? std::min(wait_policy.spins(), wire_polls)
                                      : wait_policy.spins());
}

std::unique_ptr<RemoteAccess> remote_over(GuardedWire& wire, Messages& messages,
                                          const NodeMemory& memory, Rank me,
                                          RemoteAccess::OnLost on_lost) {
  if (!wire.wire) return nullptr;
  messages.use(std::make_unique<RemoteMessages>(wire.wire, wire.turn, memory, me,
                                                memory.roster().capacity()));
  return std::make_unique<RemoteAccess>(wire, messages, std::move(on_lost));
}

Waiter::PeerCheck peer_check(const Engine::Setup& setup) {
  if (!setup.check_peers) return {};
  return [check = setup.check_peers, tell = setup.on_lost] {
    if (const std::optional<Error> loss = check()) tell(*loss);
  };
}

// Peers that free device memory wait until this rank has unmapped it.
Waiter::PeerCheck peer_check(const Engine::Setup& setup, const Kinds& kinds,
                             const std::unique_ptr<KindAccess>& access) {
  Waiter::PeerCheck check_peers = peer_check(setup);
  if (!kinds.has_devices()) return check_peers;
  return [check_peers, &access] {
    access->any_memory().forget_removed();
    if (check_peers) check_peers();
  };
}

// On several nodes a rank may return from a collective, and leave, before the others return. They
// do not need it any more, so a collective ends only if that takes long.
class LeaveGrace {
 public:
  // `changes`: the size of the list of deaths. Each leave begins a new time.
  bool is_over(std::uint32_t changes) {
    constexpr std::uint64_t grace_ns = 1'000'000'000;
    const std::scoped_lock lock(mutex_);
    if (std::exchange(changes_, changes) != changes) since_ns_ = monotonic_ns();
    return monotonic_ns() - since_ns_ > stretched(grace_ns);
  }

 private:
  std::mutex mutex_;
  std::uint32_t changes_ = 0;
  std::uint64_t since_ns_ = 0;
};

bool has_real_death(const DeathList& deaths, const Team& team) {
  for (std::uint32_t member = 0; member < team.size; ++member) {
    const Rank rank = team.rank_of(member);
    if (deaths.place_of(rank) > team.made_at && !deaths.has_left(rank)) return true;
  }
  return false;
}

std::function<void(CallName, const std::string&)> giving_up(const RemoteAccess::OnLost& tell) {
  return [tell](CallName call, const std::string& sentence) {
    if (tell) tell({Errc::peer_lost, fmt::format("{}: {}", call, sentence)});
    std::abort();
  };
}

std::unique_ptr<KindAccess> access_by_kind(const NodeMemory& memory, Kinds& kinds, Rank me,
                                           const Reach& reach, RemoteAccess* remote) {
  if (!kinds.has_devices()) return nullptr;
  return std::make_unique<KindAccess>(memory, kinds, me, reach, remote);
}

RankFacts facts_of(const Engine::Setup& setup, const HeapPlace& heap) {
  return {.program_id = setup.program_id,
          .globals_size = setup.globals.size(),
          .heap_size = heap.size,
          .heap_offset = heap.offset,
          .checks = setup.options.checks,
          .redzones = heap.redzones,
          .algorithms = setup.options.algorithms.number()};
}

void open_tracer(const Engine::Setup& setup) {
  const std::size_t ring_size = setup.memory->plan().ring_size;
  Regions::start(setup.options.checks);
  if (ring_size == 0) return;
  auto& place = shared_at<TracePlace>(setup.memory->trace(setup.rank), 0);
  place.globals.store(reinterpret_cast<std::uintptr_t>(setup.globals.data()),
                      std::memory_order_relaxed);
  place.globals_size.store(setup.globals.size(), std::memory_order_relaxed);
  Tracer::open(place, ring_size);
}

}  // namespace

Engine::Engine(Setup setup, const HeapPlace& heap)
    : rank_(setup.rank),
      ranks_(setup.ranks),
      has_whole_world_(!setup.session || setup.session->first == 0),
      memory_(std::move(setup.memory)),
      options_(setup.options),
      symmetric_(memory_, rank_, setup.globals, heap, touched_before(legacy(), heap)),
      segments_(segments_after(*memory_, rank_, heap)),
      program_memory_(*memory_, segments_, rank_),
      kinds_(setup.kinds ? std::move(setup.kinds) : std::make_shared<Kinds>()),
      spaces_(*memory_, rank_),
      wire_{.wire = std::move(setup.wire)},
      workers_(memory_->threads(rank_),
               WaitPolicy({.is_oversubscribed = true, .yields_help = true}, setup.options.spins),
               setup.threads),
      messages_(*memory_, rank_),
      remote_(remote_over(wire_, messages_, *memory_, rank_, setup.on_lost)),
      waiter_(*memory_, symmetric_.ranges(), rank_, workers_, messages_, remote_.get(),
              peer_check(setup, *kinds_, kind_access_)),
      kind_access_(access_by_kind(*memory_, *kinds_, rank_, reach_of(setup), remote_.get())),
      rma_(reach_of(setup), LateRanks(*memory_, symmetric_.ranges(), setup.use_reach), symmetric_,
           buffers_, rank_, ranks_, remote_.get(), kind_access_.get()),
      blocks_(*memory_, rma_, remote_.get()),
      default_lane_(first_lane()),
      locks_{.reach = reach_of_locks(),
             .symmetric = symmetric_.ranges(),
             .me = rank_,
             .homes = memory_->roster().first_size(),
             .capacity = memory_->roster().capacity(),
             .rma = rma_,
             .waiter = waiter_,
             .workers = workers_,
             .lane = default_lane_,
             .counters = memory_->threads(rank_).slots[0].counters,
             .checks = options_.checks},
      teams_(*memory_, rma_.reach(), rank_, setup.session.value_or(Session{0, ranks_})),
      rooms_(segments_),
      collectives_({.memory = *memory_,
                    .me = rank_,
                    .rma = rma_,
                    .remote = remote_.get(),
                    .waiter = waiter_,
                    .lane = default_lane_,
                    .algorithms = options_.algorithms,
                    .symmetric = symmetric_,
                    .segments = segments_,
                    .rooms = rooms_,
                    .has_threads = false,
                    .give_up = giving_up(setup.on_lost),
                    .enter_shrink = std::move(setup.enter_shrink),
                    .enter_world = std::move(setup.enter_world)},
                   teams_) {
  if (remote_) {
    remote_->wait_by(waiter_);
    waiter_.losses().tell_heeded_by([this](std::uint32_t changes) { remote_->heed(changes); });
  }
  waiter_.losses().check_teams_by(
      [this, grace = std::make_shared<LeaveGrace>()](std::uint32_t number) {
        const Team* team = teams_.find(number);
        const DeathList& list = waiter_.losses().list();
        if (team == nullptr || !has_dead(list, *team)) return false;
        return remote_ == nullptr || has_real_death(list, *team) || grace->is_over(list.size());
      });
}

Engine::~Engine() {
  if (remote_) {
    rma_.quiet(default_lane_);
    remote_->depart("end");
  }
  legacy().touched.store(symmetric_.touched(), std::memory_order_relaxed);
  const MutableBytes segments = segments_.used();
  const auto begin = static_cast<std::uint64_t>(segments.data() - memory_->window(rank_));
  legacy().segments_begin.store(begin, std::memory_order_relaxed);
  legacy().segments_end.store(begin + segments.size(), std::memory_order_relaxed);
  legacy().generation.fetch_add(1, std::memory_order_relaxed);
  legacy().engines.fetch_add(1, std::memory_order_relaxed);
  Tracer::close();
}

Reach Engine::reach_of(const Setup& setup) const {
  const std::uint32_t here = std::min(memory_->roster().here().size(), setup.ranks);
  return {*memory_, setup.use_reach ? here : 0, symmetric_.ranges()};
}

// Locks have their homes on the ranks of the start, from 0 on.
Reach Engine::reach_of_locks() const {
  Reach reach = rma_.reach();
  if (memory_->roster().here().front() != Rank(0)) reach.cover_none();
  return reach;
}

Lane Engine::first_lane() {
  if (threads() == Threads::many) return Lane(workers_);
  ThreadSlot& thread_slot = *workers_.mine().thread_slot;
  return Lane(thread_slot, shortcut_to(thread_slot));
}

// With checks enabled no shortcut exists, so that every call takes the checked path.
Shortcut Engine::shortcut_to(ThreadSlot& thread_slot) const {
  const Kinds* kinds = kinds_->has_devices() ? kinds_.get() : nullptr;
  return options_.checks ? Shortcut()
                         : Shortcut(rma_.reach(), rma_.copies(), kinds, thread_slot.counters);
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
  const Result<HeapPlace> heap = choose_heap({*setup.memory, setup.options, setup.globals});
  if (!heap) return heap.error();
  register_for_heavy_fence();  // if refused, every sleep is timed; see Doorbell
  publish_place(setup.memory->page(setup.rank));
  open_tracer(setup);
  setup.memory->facts(setup.rank) = facts_of(setup, *heap);
  // Ranks with different algorithms could not even complete the barrier that compares them.
  const Algorithms named = std::exchange(setup.options.algorithms, {});
  const CallName call = setup.call;
  const std::function<void()> tell_arrival = std::move(setup.tell_arrival);
  std::unique_ptr<Engine> engine(new Engine(std::move(setup), *heap));
  engine->show_heap();
  engine->announce_state(RankState::joined);
  const bool is_alone = engine->waiter_.losses().list().awaits(engine->rank_);
  const Result<void> started =
      is_alone ? engine->start_alone(*heap) : engine->start_together(*heap, call);
  if (!started) return started.error();
  engine->options_.algorithms = named;
  if (!is_alone) engine->unless_lost([&] { engine->collectives_.begin_world(); });
  engine->announce_state(RankState::running);
  if (is_alone) engine->waiter_.losses().list().begin_to_run(engine->rank_);
  if (engine->has_whole_world()) return engine;
  if (engine->memory_->roster().nodes() == 1)
    engine->announce_arrival();
  else if (tell_arrival)
    tell_arrival();
  return engine;
}

// The ranks of a job that runs do not fail because one that starts with them has died: their world
// is broken until the next update.
void Engine::unless_lost(FunctionRef<void()> meet) const {
  try {
    meet();
  } catch (const HopelessWait&) {
    if (has_whole_world_) throw;
  }
}

Result<void> Engine::start_together(const HeapPlace& heap, CallName call) {
  const auto meet = [&] { unless_lost([&] { collectives_.sync(teams_.world(), call); }); };
  meet();  // all updates for earlier engines have arrived
  if (const Result<void> same = compare_with_rank_0(); !same) return same;
  segments_.clear_dirty();
  open_remote_heap(heap);
  if (!collectives_.prepare_world())
    return Error{
        Errc::out_of_memory,
        "the heap leaves no space for collectives between nodes; lower GONDWANA_HEAP_SIZE"};
  if (kind_access_ != nullptr && remote_ != nullptr)
    bounce::Landings::offer(*memory_, rank_, segments_);
  if (memory_->header().replacement.load(std::memory_order_relaxed) != Replacement::none)
    symmetric_.keep_blocks();
  settle_waiting();
  meet();
  return {};
}

// The other ranks run already. The node of rank 0 may be lost. If this node takes its place, the
// first rank may not have its facts yet.
Result<void> Engine::start_alone(const HeapPlace& heap) {
  const Rank first = memory_->roster().here().front();
  const RankState state = memory_->page(first).state.load(std::memory_order_acquire);
  if (state >= RankState::running)
    if (const auto same = compare_with_first(memory_->facts(rank_), memory_->facts(first)); !same)
      return same;
  segments_.clear_dirty();
  const bool is_kept = legacy().touched.load(std::memory_order_relaxed) != 0;  // see renew()
  if (!is_kept) open_remote_heap(heap);
  if (const Result<void> restored = symmetric_.restore_blocks(); !restored) return restored;
  has_whole_world_ = false;  // the others may have allocated and freed blocks meanwhile
  settle_waiting();
  return {};
}

// Called when all updates for earlier engines have arrived. Their memory may lie where this heap
// has its words.
void Engine::open_remote_heap(const HeapPlace& heap) {
  RemoteHeap remote_heap = memory_->remote_heap(rank_);
  remote_heap.open(heap.remote.offset, heap.remote.size);
  if (legacy().generation.load(std::memory_order_relaxed) > 0) remote_heap.clear_words();
  if (runs_under_valgrind())
    memory_->allow_access(rank_, NodePlan::globals_offset,
                          heap.remote.offset + heap.remote.size - NodePlan::globals_offset);
}

void Engine::show_heap() {
  const MutableBytes heap = symmetric_.heap();
  ShownHeap& shown = memory_->page(rank_).heap;
  shown.begin.store(reinterpret_cast<std::uintptr_t>(heap.data()), std::memory_order_relaxed);
  shown.size.store(heap.size(), std::memory_order_relaxed);
}

// Called when all ranks of the node have joined.
void Engine::settle_waiting() {
  Processors around = find_processors(*memory_);
  locks_.is_oversubscribed = around.is_oversubscribed;
  // Polling a wire is a system call, and the process that moves its data may need this processor,
  // so this rank yields early.
  if (remote_) around.is_oversubscribed = true;
  const WaitPolicy wait_policy(around, options_.spins);
  const PollBackoff polls = polls_of(wait_policy, around, remote_ != nullptr);
  workers_.set_policy(wait_policy, polls);
  // With many threads, this thread has already joined, in a barrier.
  Worker& mine = workers_.mine();
  mine.wait_policy = wait_policy;
  mine.polls = polls;
}

Result<void> Engine::compare_with_rank_0() {
  constexpr Rank first{0};
  const RankFacts& mine = memory_->facts(rank_);
  if (rma_.reach().covers(first)) return compare_with_first(mine, memory_->facts(first));
  RankFacts facts{};
  const Remote place{first, system_area::facts.offset};
  if (!remote_->get_uncounted(default_lane_, std::as_writable_bytes(std::span(&facts, 1)), place))
    return *default_lane_.take_error();
  return compare_with_first(mine, facts);
}

// Ranks that wait for this one sleep on their bells.
void Engine::announce_arrival() const {
  memory_->header().growth.changes.fetch_add(1, std::memory_order_seq_cst);
  for (const Rank rank : memory_->roster().here())
    if (rank != rank_) memory_->page(rank).sync_bell.ring();
}

}  // namespace gondwana
