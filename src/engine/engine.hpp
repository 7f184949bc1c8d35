// The PGAS runtime of one rank.
//
// What is reachable by loads and stores is done here, inline: bounds, window, copy, ring the
// doorbell. Everything else goes over the wire (wire_path.cpp). Several engines may live in one
// process. One-sided calls may come from many threads at once where Setup::threads says so, through
// lanes made for that; collectives from one thread at a time for each team.
//
// One-sided calls return false or nothing when they failed; the lane then holds the sentence. Their
// effect is visible at the target after quiet() or a barrier, ordered per target by fence(). A
// blocking put may reuse its source at return, a get has its data.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/algorithm.hpp"
#include "core/function_ref.hpp"
#include "core/options.hpp"
#include "core/result.hpp"
#include "core/types.hpp"
#include "engine/am/messages.hpp"
#include "engine/arguments.hpp"
#include "engine/locks/lock_turns.hpp"
#include "engine/rma/lane.hpp"
#include "engine/rma/reach.hpp"
#include "engine/rma/shortcut.hpp"
#include "engine/symmetric/segment_space.hpp"
#include "engine/symmetric/symmetric_memory.hpp"
#include "engine/teams/team.hpp"
#include "engine/wait/poll_backoff.hpp"
#include "engine/wait/wait_policy.hpp"
#include "engine/wait/worker.hpp"
#include "memory/layout.hpp"
#include "memory/node_memory.hpp"
#include "operations/copy.hpp"
#include "remote/wire.hpp"

namespace gondwana {

class Group;

class Engine {
 public:
  struct Setup {
    Rank rank{0};
    std::uint32_t ranks = 1;
    std::shared_ptr<NodeMemory> memory;
    Options options;
    MutableBytes globals;          // symmetric variables, already laid on the arena
    std::uint64_t program_id = 0;  // must be the same on every rank
    Wire wire;                     // for ranks out of reach
    bool use_reach = true;         // false: everything over the wire, to test it
    // Told of a peer that the wire has lost, by whichever call finds it. What waits for that peer
    // would wait for ever, so it must not return; where there is none, nobody is told.
    std::function<void(const Error&)> on_lost;
    // Asked now and then by a rank that waits for long: of a loss that nobody else notices.
    std::function<std::optional<Error>()> look_around;
    Threads threads = Threads::one_at_a_time;
    CallName call = "init";
  };

  // Collective: returns once every rank has joined.
  static Result<std::unique_ptr<Engine>> create(Setup setup);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  // What this rank has told others has arrived.
  ~Engine();

  Rank rank() const { return rank_; }
  std::uint32_t ranks() const { return ranks_; }
  const Options& options() const { return options_; }
  SymmetricMemory& symmetric() { return symmetric_; }
  const SymmetricMemory& symmetric() const { return symmetric_; }
  Lane& default_lane() { return default_lane_; }
  SegmentSpace& segments() { return segments_; }
  // What the ranks of the node share, for doors that lay out memory of their own in it.
  const NodeMemory& memory() const { return *memory_; }
  // Whether every rank of the node has a processor.
  bool is_roomy() const { return roomy_; }
  // Whether loads and stores reach all ranks.
  bool reaches_all() const { return reach_.covers_all(ranks_); }
  Threads threads() const { return workers_.threads(); }
  // For a door that came later and has threads. Lanes stay as they are.
  void allow_many_threads() { workers_.allow_many(); }

  // More lanes. An exclusive one is for one thread at a time; null where all slots are taken.
  std::unique_ptr<Lane> make_lane(Threads used_by);

  // One-sided. `dest` and `source` on the peer's side are this rank's address of the same object.
  bool put(Lane& lane, Rank to, void* dest, const void* source, std::size_t size,
           Buffer buffer = Buffer::free_at_return);
  bool get(Lane& lane, Rank from, void* dest, const void* source, std::size_t size,
           Buffer buffer = Buffer::free_at_return);
  // Elements of `Width` bytes.
  template <std::size_t Width>
  bool put_strided(Lane& lane, Rank to, void* dest, const void* source, Strides strides,
                   std::size_t count) {
    return put_strided<Width>(lane, to, dest, source, strides, FixedSize<Width>{}, count);
  }
  template <std::size_t Width>
  bool get_strided(Lane& lane, Rank from, void* dest, const void* source, Strides strides,
                   std::size_t count) {
    return get_strided<Width>(lane, from, dest, source, strides, FixedSize<Width>{}, count);
  }
  // Blocks of `block` bytes, std::size_t or FixedSize; strides, in elements, from start to start.
  template <std::size_t Width, typename Size>
  bool put_strided(Lane& lane, Rank to, void* dest, const void* source, Strides strides, Size block,
                   std::size_t count);
  template <std::size_t Width, typename Size>
  bool get_strided(Lane& lane, Rank from, void* dest, const void* source, Strides strides,
                   Size block, std::size_t count);
  // Who sees the signal sees the data. All or nothing is written; the source may be reused.
  bool put_signal(Lane& lane, Rank to, void* dest, const void* source, std::size_t size,
                  const Signal& signal);
  // Returns the value from before. Single values and atomics go by the shortcut of the lane first.
  template <AtomicOp Op, typename T>
  std::optional<T> atomic(Lane& lane, Rank at, T* dest, T operand, T compare);
  // The same for who does not wait for it: the value from before is in `old` after quiet(). Null:
  // nobody wants it.
  template <AtomicOp Op, typename T>
  bool begin_atomic(Lane& lane, Rank at, T* dest, T operand, T compare, T* old);
  // Where loads and stores do not reach: over the wire, or the sentence why not.
  bool put_elsewhere(Lane& lane, Rank to, const void* dest, const void* source, std::size_t size,
                     Buffer buffer = Buffer::free_at_return);
  bool get_elsewhere(Lane& lane, Rank from, void* dest, const void* source, std::size_t size,
                     Buffer buffer = Buffer::free_at_return);
  // The same for doors that keep memory of their own in the arenas: by its place, of ranks out of
  // reach.
  bool reaches(Rank rank) const { return reach_.covers(rank); }
  bool put_to_place(Lane& lane, Remote to, Bytes source, Buffer buffer = Buffer::free_at_return);
  bool get_from_place(Lane& lane, MutableBytes dest, Remote from,
                      Buffer buffer = Buffer::free_at_return);
  std::optional<std::uint64_t> request_at_place(Lane& lane, Remote at, const AtomicRequest& request,
                                                CallName call);
  // Under way when they return: done when the bytes are there, the buffer is kept until then.
  // Nothing where one failed, perhaps behind a part of it: `done` must be waited for all the same.
  // Busy where who may not wait for room found none: nothing has happened.
  enum class NoRoom : std::uint8_t { wait, refuse };
  using Begun = std::optional<Posted>;
  // Whether the source of a put of so many bytes is free as soon as that is under way.
  bool copies_put_of(std::size_t size) const { return size <= wire_.limits().copies_up_to; }
  Begun begin_put(Lane& lane, Remote to, Bytes source, Completion& done,
                  NoRoom no_room = NoRoom::wait);
  Begun begin_get(Lane& lane, MutableBytes dest, Remote from, Completion& done,
                  NoRoom no_room = NoRoom::wait);
  Begun begin_request(Lane& lane, Remote at, const AtomicRequest& request, std::byte* old,
                      Completion& done, NoRoom no_room = NoRoom::wait);
  // The same of many pieces, which go together where the wire packs them.
  Begun begin_put(Lane& lane, Rank to, std::span<const StridedRun> pieces, Completion& done,
                  NoRoom no_room = NoRoom::wait);
  Begun begin_get(Lane& lane, Rank from, std::span<const StridedRun> pieces, Completion& done,
                  NoRoom no_room = NoRoom::wait);
  void complete(Completion& done, CallName call);
  // Where the object lies in this process; null where loads and stores do not reach it.
  void* pointer_to(Rank rank, const void* object) const;
  bool is_symmetric(const void* object) const {
    return symmetric_.ranges().offset_of(object, 1) != SymmetricRanges::nowhere;
  }
  // Whether all ranks have this object; if not, the lane holds the sentence, which names it `what`.
  bool check_symmetric(Lane& lane, const char* what, const void* object, std::size_t size) const {
    return symmetric_.ranges().offset_of(object, size) != SymmetricRanges::nowhere ||
           is_valid(lane, what, rank_, object, size);
  }

  // Puts of this lane to each target before the fence are visible before those after it.
  void fence(Lane& lane) {
    std::atomic_thread_fence(std::memory_order_acq_rel);
    if (wire_) [[unlikely]]
      mark_fence(lane);
  }
  // All puts of this lane are delivered at their targets; false where one failed.
  bool quiet(Lane& lane) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return deliver(lane);
  }
  // The same for who goes on with an atomic operation: on a node that is a fence by itself.
  bool deliver(Lane& lane) {
    if (wire_) [[unlikely]]
      drain(lane);
    return !lane.failed();
  }

  // Waits until done() holds, which peers make true by storing to this rank's memory. What peers
  // stored before is then visible.
  template <typename Done>
  void wait_on_memory(CallName call, const Done& done, std::uint32_t peer = Waiting::anybody);
  // The same where only a store to this word, symmetric or not, makes it true.
  template <typename Done>
  void wait_on_word(CallName call, const void* word, const Done& done);
  // The same for words that doors keep in common memory: whoever writes one wakes who may sleep, by
  // wake_member().
  template <typename Done>
  void wait_on_words(CallName call, const Done& done, std::uint32_t peer = Waiting::anybody);
  void wake_member(Rank rank) { memory_->page(rank).sync_bell.ring_if_asleep(); }
  // For who looks without waiting, perhaps for an answer to what is still under way.
  void make_progress() {
    if (wire_) [[unlikely]]
      progress();
    receive();
  }

  // Calls that look without waiting tell it what they found.
  PollBackoff& polls() { return workers_.mine().polls; }

  // Rings for a message from the node; null where other nodes may send one, or where this thread
  // receives none.
  Doorbell<RealAtomics>* message_bell() {
    return wire_ || !messages_.may_poll() ? nullptr : &memory_->page(rank()).sync_bell;
  }
  // For a thread that has armed that bell: overlooks no message.
  std::uint32_t receive_all_messages() { return messages_.poll_all(); }

  // Active messages. Whoever waits for anything receives meanwhile.
  Messages& messages() { return messages_; }
  // Whether they go to all ranks, and not only to those of the node.
  bool writes_to_all() { return reaches_all() || messages_.mail() != nullptr; }
  // For a rank out of reach. Does not wait; the bytes may be reused at once.
  void send_update(Rank to, const Update& update) {
    if (messages_.mail()->update(to, update)) return;
    has_untold_.store(true, std::memory_order_relaxed);
    wire_needs_us_.store(true, std::memory_order_relaxed);
  }
  // Whether all updates arrive even if this rank makes no further call. If not, it moves them on.
  bool has_told() {
    if (!has_untold_.load(std::memory_order_relaxed)) [[likely]]
      return true;
    progress();
    return !has_untold_.load(std::memory_order_relaxed);
  }
  // Returns when messages of this rank arrive whether it calls again or not.
  void depart(CallName call);
  // How many handlers were run.
  std::uint32_t receive_messages() {
    if (wire_) [[unlikely]]
      progress();
    return receive();
  }
  // The wire for this thread, so that what it sends next waits for no other thread; none where one
  // has it.
  std::unique_lock<std::recursive_mutex> try_to_have_wire() {
    return {wire_mutex_, std::try_to_lock};
  }
  // A place for a message; waits for room, and receives meanwhile.
  [[gnu::always_inline]] Draft open_message(CallName call, Rank to, MessageClass sort,
                                            Payload payload) {
    const std::optional<Draft> draft = messages_.try_open(to, sort, payload);
    return draft ? *draft : wait_and_open(call, to, sort, payload);
  }

  // The threads of this rank that are at locks of the job, and how one wakes the others.
  LockTurns& lock_turns() { return lock_turns_; }
  void wake_own_threads() { Reach::wake(memory_->window(rank_)); }

  // For who waits for what only it can see: to be called between two looks, with a Pause that
  // begins anew with each wait. Receives messages; true: something came. Relaxes, yields, and at
  // last sleeps until memory of this rank changes, a millisecond at most.
  struct Pause {
    std::uint32_t rounds = 0;
    std::uint32_t sleeps = 0;
    std::uint64_t yields_since = 0;  // 0: none yet
    bool armed = false;
    std::uint32_t seen = 0;
  };
  bool pause(CallName call, Pause& so_far);

  // Teams: two from the start, and those that are split off, found by their numbers.
  Team& world() { return *teams_[world_number]; }
  Team& shared() { return *teams_[shared_number]; }  // the ranks within reach of loads and stores
  Team* find_team(std::uint32_t number) const {
    return number < teams_.size() ? teams_[number].get() : nullptr;
  }
  // Collective over `parent`. Each member names the new team that it will be in, or none; the teams
  // share no member. Null where it is in none; an error, on all alike, where no number is left.
  Result<Team*> split(Team& parent, CallName call, const std::optional<TeamShape>& mine);
  // Collective over `team`, which is gone afterwards. Not for the two that are always there.
  void destroy(Team& team, CallName call);
  // After a barrier of the world: all teams but those two are gone. For a door that ends while
  // another one keeps the engine.
  void abandon_teams();

  // Collectives: every member of the team calls them, in the same order. `dest` and `source` are
  // symmetric, and every dest may be written as soon as the first member calls. On return the
  // caller's source is free again and its dest complete; other members may still be inside. False
  // where one failed, with the sentence in the default lane.
  void sync(Team& team, CallName call);
  bool barrier(Team& team, CallName call);
  // `source` of member `root` to `dest` of every member.
  bool broadcast(Team& team, CallName call, void* dest, const void* source, std::size_t size,
                 std::uint32_t root);
  // The sources of all members, one behind the other, into every dest: of `size` bytes each, or
  // each of a size of its own.
  bool fcollect(Team& team, CallName call, void* dest, const void* source, std::size_t size);
  bool collect(Team& team, CallName call, void* dest, const void* source, std::size_t size);
  // Block i of `source` becomes block `me` of the dest of member i.
  bool alltoall(Team& team, CallName call, void* dest, const void* source, const Exchange& shape);
  // Combines the `source` arrays of all members in the order of their ranks, into every `dest`.
  // They may be the same array.
  bool reduce(Team& team, CallName call, void* dest, const void* source, std::size_t count,
              ElementType type);
  // The same, of the members up to this one, or before it: then member 0 gets zeros.
  bool scan(Team& team, CallName call, void* dest, const void* source, std::size_t count,
            ElementType type, Scan kind);

  // Collective, before all else of a call that is checked: compares what the members say that they
  // are about to do. Nothing where all say the same, otherwise on all the sentence that names two
  // ranks and their calls.
  std::optional<std::string> compare_calls(Team& team, CallName call, const std::string& mine);

  // While it lives this thread does not wait, whatever call it is in: it runs a handler.
  class Busy {
   public:
    explicit Busy(Engine& engine) : Busy(engine.workers_.mine().thread_slot->waiting) {}
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
    // A wait that began at another time than before: whoever looks sees that something has come.
    ~Busy() {
      if (since_ns_ != 0) waiting_.since_ns.store(since_ns_ + 1, std::memory_order_release);
    }

   private:
    explicit Busy(Waiting& waiting)
        : waiting_(waiting), since_ns_(waiting.since_ns.load(std::memory_order_relaxed)) {
      if (since_ns_ != 0) waiting_.end();
    }

    Waiting& waiting_;
    std::uint64_t since_ns_;
  };

  // What a rank tells launcher, tools and peers about itself; on this node.
  const ControlPage& page_of(Rank rank) const { return memory_->page(rank); }

  // Tells launcher and tools how far this rank is.
  void announce_state(RankState state) {
    memory_->page(rank_).state.store(state, std::memory_order_release);
  }

 private:
  friend class Group;  // its flags lie in the arenas

  struct WaitReason {
    CallName call;
    std::uint32_t peer = Waiting::anybody;
    std::uint32_t team = 0;
    bool on_program_memory = false;  // puts ring for it, stores through pointers do not
    const void* word = nullptr;      // the only word of it that matters; null: any may
    bool on_wire = false;            // what ends it comes over the wire to this rank
  };

  struct Broadcast {
    void* dest;
    const void* source;
    std::size_t size;
    std::uint32_t root;
  };

  static constexpr std::size_t largest_packed = 4096;  // bytes of a piece: larger ones go alone

  // Teams of an engine begin at an epoch that none of the engines before it has reached: lines and
  // words that those left behind say nothing to it.
  static constexpr Epoch epoch_of(std::uint32_t generation) {
    constexpr std::uint32_t bits_of_a_generation = 40;
    return Epoch{generation} << bits_of_a_generation;
  }
  Legacy& legacy() const { return memory_->page(rank_).legacy; }

  static constexpr std::uint32_t world_number = 0;
  static constexpr std::uint32_t shared_number = 1;

  // What all members of a team must find together before one of them can be split.
  struct Agreement {
    std::uint64_t numbers;  // those of teams, as bits: combined by and
    Epoch epoch;            // combined by max
  };
  static Agreement combined(const Agreement& a, const Agreement& b) {
    return {a.numbers & b.numbers, std::max(a.epoch, b.epoch)};
  }

  explicit Engine(Setup setup, const HeapPlace& heap);
  Lane first_lane();
  Shortcut shortcut_to(ThreadSlot& thread_slot) const;
  std::optional<RankFacts> facts_of_first();
  Result<void> compare_with_first();

  // A look at the wire takes system calls, and whoever is waited for may need this processor: who
  // waits for something else looks now and then, and hardly ever if nothing is known to come.
  bool looks_at_wire(const WaitReason& why, std::uint32_t look) const {
    const std::uint32_t looks_between = is_wire_busy() ? 8 : 64;
    return why.on_wire || look % looks_between == looks_between - 1;
  }
  bool is_wire_busy() const {
    return messages_.may_poll() || wire_needs_us_.load(std::memory_order_relaxed);
  }
  // Whether active messages come over the wire alone: nobody else shares memory with this rank, and
  // no other thread waits for it.
  bool hears_by_wire() const {
    return wire_ && memory_->plan().ranks == 1 && threads() != Threads::many &&
           messages_.may_poll();
  }
  template <typename Done>
  void wait(const WaitReason& why, const Done& done);
  void look_around();
  void wait_longer(const WaitReason& why, FunctionRef<bool()> done);
  Watch watch_on(const void* word) const;
  Draft wait_and_open(CallName call, Rank to, MessageClass sort, Payload payload);

  // Slow paths, in wire_path.cpp.
  bool is_valid(Lane& lane, const char* what, Rank rank, const void* object,
                std::size_t size) const;
  Result<Remote> locate(const char* what, Rank rank, const void* object, std::size_t size) const;
  std::optional<std::uint64_t> request_elsewhere(Lane& lane, Rank at, const void* dest,
                                                 const AtomicRequest& request);
  bool put_signal_elsewhere(Lane& lane, Rank to, const void* dest, Bytes source,
                            const Signal& signal);
  bool put_before_signal(Lane& lane, Rank to, const void* dest, Bytes source);
  bool is_torn(Remote to, std::size_t size) const;
  bool put_over_wire(Lane& lane, Remote to, Bytes source, Buffer buffer = Buffer::free_at_return);
  bool get_over_wire(Lane& lane, MutableBytes dest, Remote from,
                     Buffer buffer = Buffer::free_at_return);
  bool goes_behind_puts(Lane& lane, std::size_t size);
  std::optional<std::uint64_t> request_over_wire(Lane& lane, Remote at,
                                                 const AtomicRequest& request, CallName call);
  // Under way when this returns; the value from before is in `old`, unless that is null, after
  // quiet().
  bool begin_over_wire(Lane& lane, Remote at, const AtomicRequest& request, std::byte* old);
  bool begin_elsewhere(Lane& lane, Rank at, const void* dest, const AtomicRequest& request,
                       std::byte* old);
  bool has_wire_atomics(Lane& lane);
  bool store_over_wire(Lane& lane, Remote to, Bytes word);
  bool store_short_over_wire(Lane& lane, Remote to, Bytes value);
  // Whether pieces of that size go together, as many as fit into a message.
  bool packs(std::size_t piece) const {
    return piece <= largest_packed && 2 * piece <= wire_.limits().packs_up_to;
  }
  std::vector<StridedRun> packed_of(std::span<const StridedRun> pieces) const;
  bool put_packed(Lane& lane, Rank to, const StridedRun& pieces);
  bool get_packed(Lane& lane, Rank from, const StridedRun& pieces);
  // The turn of this thread at the wire; none where it may not wait for it.
  std::unique_lock<std::recursive_mutex> take_wire(NoRoom no_room);
  // All or nothing: once the first has room the others wait for it.
  Begun post_pieces(Lane& lane, Remote to, Bytes source, Completion& done, NoRoom no_room);
  Begun post_pieces(Lane& lane, MutableBytes dest, Remote from, Completion& done, NoRoom no_room);
  Begun post(Lane& lane, NoRoom no_room, FunctionRef<Result<Posted>()> attempt);
  bool post(Lane& lane, FunctionRef<Result<Posted>()> attempt) {
    return post(lane, NoRoom::wait, attempt).has_value();
  }
  void drain(Lane& lane);
  void order(Lane& lane);  // what was posted before what is to come
  void mark_fence(Lane& lane);
  // Whether a put of this size may be posted; waits until it may, or refuses to.
  bool keeps_fence(Lane& lane, Remote to, std::size_t size, NoRoom no_room);
  bool progress();     // unless another thread is at it; whether anything came
  bool move_on();      // the same, by who has the wire
  bool is_departed();  // by who has the wire
  std::uint32_t receive() {
    if (!messages_.may_poll()) [[likely]]
      return 0;
    return messages_.poll();
  }

  // Whether loads and stores reach all members: the first and the last, for a node's ranks are side
  // by side.
  bool in_reach(const Team& team) const {
    return reach_.covers(team.rank_of(0)) && reach_.covers(team.rank_of(team.size - 1));
  }
  // Whether a collective is to be done by puts, gets and flags: where members have no common
  // memory, and where the user names an algorithm. Every collective asks this first.
  bool uses_reference(Collective collective, const Team& team) const {
    return !in_reach(team) || (is_flat(options_.algorithms.of(collective)) && !team.is_part);
  }
  // Of those that it is done by, whether in two levels: common memory within a node, messages
  // between one member of each.
  bool goes_in_levels(Collective collective, const Team& team) const {
    return team.levels != nullptr && !is_flat(options_.algorithms.of(collective));
  }
  // Those collectives, in wire_collectives.cpp. Sizes in bytes.
  Group group_of(Team& team, CallName call, Collective collective);
  Agreement agree_over_wire(Team& team, CallName call, const Agreement& mine);
  void sync_over_wire(Team& team, CallName call);
  bool broadcast_over_wire(Team& team, CallName call, void* dest, const void* source,
                           std::size_t size, std::uint32_t root);
  bool reduce_over_wire(Team& team, CallName call, void* dest, const void* source,
                        std::size_t count, ElementType type);
  bool collect_over_wire(Team& team, CallName call, void* dest, const void* source,
                         std::size_t size);
  bool fcollect_over_wire(Team& team, CallName call, void* dest, const void* source,
                          std::size_t size);
  bool alltoall_over_wire(Team& team, CallName call, void* dest, const void* source,
                          const Exchange& shape);
  bool scan_over_wire(Team& team, CallName call, void* dest, const void* source, std::size_t count,
                      ElementType type, Scan kind);
  // In two levels, in levels.cpp and level_*.cpp.
  std::shared_ptr<Levels> levels_of(const Team& team, std::uint64_t exchanges) const;
  const NodeEntry* find_node(Rank rank) const;
  bool arrive_at_node(NodeSync& line, const Team& node, Epoch epoch);
  void wait_for_node(const NodeSync& line, const Team& node, Epoch epoch, CallName call);
  void sync_in_levels(Team& team, CallName call);
  bool broadcast_in_levels(Team& team, CallName call, const Broadcast& what);
  bool fcollect_in_levels(Team& team, CallName call, void* dest, const void* source,
                          std::size_t size);
  bool reduce_in_levels(Team& team, CallName call, void* dest, const void* source,
                        std::size_t count, ElementType type);
  void begin_exchange(const Levels& levels, CallName call, std::uint32_t half, std::size_t count,
                      ElementType type);
  void combine_node(const Team& node, std::uint32_t half, void* result, std::size_t count,
                    ElementType type) const;
  // Small arrays, and up to NodeWords::most_bytes those of private memory.
  bool combine_in_levels(Team& team, CallName call, void* dest, const void* source,
                         std::size_t count, ElementType type);
  // In compared_calls.cpp.
  void write_note(std::uint32_t team, const std::string& text);
  std::string note_of(Rank rank, std::uint32_t team);
  // In teams.cpp.
  // One of the two that are there from the start: `size` ranks from `first` on.
  std::unique_ptr<Team> first_team(std::uint32_t number, std::uint32_t first,
                                   std::uint32_t size) const;
  void give_up_number(const Team& team);
  Result<std::uint32_t> agree_on_number(Team& parent, CallName call, Epoch& epoch);
  Agreement agree(Team& team, CallName call, const Agreement& mine);

  // Collectives over common memory, in the files that have their names.
  bool are_symmetric(const char* what, const void* dest, std::size_t dest_size, const void* source,
                     std::size_t source_size);
  // The symmetric object of a rank within reach.
  std::byte* place_of(Rank rank, const void* object) const {
    return reach_.find(rank, object, FixedSize<1>{}).data();
  }
  void wait_for_member(const NodeSync& line, const Team& team, std::uint32_t member, Epoch epoch,
                       CallName call);
  void broadcast_small(Team& team, CallName call, const Broadcast& what);
  void broadcast_large(Team& team, CallName call, const Broadcast& what);
  void take_broadcast(Team& team, CallName call, const Broadcast& what);
  bool put_to_all(const Team& team, void* dest, const void* source, std::size_t size);
  bool put_block(Rank to, void* dest, const void* source, const Exchange& shape);
  // Combines the sources of the first `members` members, small arrays of private memory.
  void combine_first(Team& team, CallName call, std::uint32_t members, void* dest,
                     const void* source, std::size_t count, ElementType type);
  void reduce_parts(Team& team, CallName call, void* dest, const void* source, std::size_t count,
                    ElementType type);
  void scan_small(Team& team, CallName call, void* dest, const void* source, std::size_t count,
                  ElementType type, Scan kind);
  void scan_parts(Team& team, CallName call, void* dest, const void* source, std::size_t count,
                  ElementType type, Scan kind);

  Rank rank_;
  std::uint32_t ranks_;
  std::shared_ptr<NodeMemory> memory_;
  SymmetricMemory symmetric_;
  SegmentSpace segments_;
  Reach reach_;
  // Threads take turns. Recursive: who waits for a completion progresses while it holds the wire.
  std::recursive_mutex wire_mutex_;
  Wire wire_;
  // Something was posted that may need further calls of this rank on its way.
  std::atomic<bool> wire_needs_us_{false};
  std::atomic<bool> has_untold_{false};  // the same of updates
  std::function<void(const Error&)> on_lost_;
  std::function<std::optional<Error>()> look_around_;
  Options options_;
  bool roomy_ = false;
  Workers workers_;
  Messages messages_;
  LockTurns lock_turns_;
  Lane default_lane_;
  // Written by the thread that holds the number's bit in free_numbers_.
  std::array<std::unique_ptr<Team>, ControlLayout::max_teams> teams_;
  Epoch first_epoch_;                                       // does not change
  std::array<Epoch, ControlLayout::max_teams> last_epoch_;  // of the team that had this number
  std::atomic<std::uint64_t> free_numbers_;                 // a bit for each
};

}  // namespace gondwana

#include "engine/engine_inline.hpp"
