// The OpenSHMEM door: the engine that a call uses, and the handling of failures.
//
// The templates of this folder take a Caller and use no globals, so tests run them with ranks as
// threads. Only the generated thunks use here() or in(), which look up the engine of this process
// as late as possible.
#pragma once

#include <fmt/format.h>

#include <mutex>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "engine/engine.hpp"
#include "front/shmem/context.hpp"
#include "front/shmem/device_heap.hpp"
#include "shmem.h"
#include "shmemx.h"

namespace gondwana::shmem {

// A registered buffer of the program.
struct GivenBuffer {
  void* address;                      // null: this rank has none
  std::optional<ProgramPages> pages;  // set for host memory
  std::optional<SpaceId>
      on_device;      // set for device memory; neither is set: this rank has no memory
  BufferPart* parts;  // the parts of all ranks, in the symmetric heap

  bool has_memory() const { return pages || on_device; }
};

// The state of the door of one rank. A process has one door. Tests have one for each engine.
class Door {
 public:
  // The calls of this process find the shortcuts of its contexts in `shortcuts`.
  Door(Engine& engine, ShortcutTable& shortcuts)
      : engine_(&engine), contexts_(engine, shortcuts), examines_(engine.options().checks) {}

  Engine& engine() { return *engine_; }
  Contexts& contexts() { return contexts_; }

  // Whether the targets of calls are examined: if arguments are checked, and once a rank has died.
  bool examines() const { return examines_.load(std::memory_order_relaxed); }
  // A signal handler may call it.
  void watch() { examines_.store(true, std::memory_order_relaxed); }

  // Held by the thread that asks the launcher for more PEs.
  std::mutex& spawn_turn() { return spawn_turn_; }
  std::vector<GivenBuffer>& buffers() { return buffers_; }
  // Empty: the program has not created one.
  std::optional<DeviceHeap>& device_heap() { return device_heap_; }

  // The number of contexts in the team's configuration. `team` is its number.
  int& contexts_asked_for(std::uint32_t team) { return contexts_asked_for_[team]; }

  // The index at which a search of `count` variables starts. Multiples of the golden ratio stay
  // evenly spread even if a thread gets only every n-th. Two threads may get the same index.
  std::size_t next_start(std::size_t count) {
    __extension__ using Wide = unsigned __int128;
    const std::uint64_t place = start_.load(std::memory_order_relaxed) + 0x9e37'79b9'7f4a'7c15;
    start_.store(place, std::memory_order_relaxed);
    return static_cast<std::size_t>(Wide{place} * count >> 64);
  }

 private:
  Engine* engine_;
  Contexts contexts_;
  SparseArray<int, NodePlan::max_teams> contexts_asked_for_;
  std::atomic<std::uint64_t> start_{0};
  std::atomic<bool> examines_;
  std::mutex spawn_turn_;
  std::vector<GivenBuffer> buffers_;
  std::optional<DeviceHeap> device_heap_;
};

// The context of a call, and the name of the function that the user called.
struct Caller {
  Door& door;
  Engine& engine;
  Lane& lane;
  CallName name;
  const Team* team = nullptr;  // defines the PE numbers; null: the world

  Caller(Door& through, CallName called)
      : door(through), engine(through.engine()), lane(engine.default_lane()), name(called) {}
  Caller(Door& through, const Context& context, CallName called)
      : door(through),
        engine(through.engine()),
        lane(*context.lane),
        name(called),
        team(context.team) {}

  // PE numbers of a team are not ranks, so these calls take the slow path.
  const Shortcut& shortcut() const { return team == nullptr ? lane.shortcut() : nobody; }
  bool names_no_context() const { return false; }
  // Whether arguments are checked: see checks.hpp.
  bool checks_enabled() const { return engine.options().checks; }
  bool examines() const { return door.examines(); }

  // Maps a negative PE number to a rank that no job has.
  Rank rank_of(int pe) const {
    if (team == nullptr) [[likely]]
      return Rank(static_cast<std::uint32_t>(pe));
    return rank_in_team(pe);
  }

  // Prints why the call has failed.
  void report(const std::string& why) const;

 private:
  static constexpr Shortcut nobody{};
  Rank rank_in_team(int pe) const;
};

// Null outside shmem_init and shmem_finalize, and in forked children. The shortcuts then reach no
// PE. They are copies of the contexts' shortcuts, which save each p, g and atomic a pointer and a
// null test: 4 of 31 instructions.
//
// With checks enabled, or once a rank has died, `door` is null and `watched` is the door. So the
// null test of every call also tests for that.
struct Running {
  Door* door = nullptr;
  Door* watched = nullptr;
  ShortcutTable shortcuts;

  Door* any() const { return door != nullptr ? door : watched; }
  // Valid only if any() is not null.
  std::span<Shortcut> used_shortcuts() {
    return std::span(shortcuts).first(any()->contexts().numbers());
  }
};
extern constinit Running running __attribute__((visibility("hidden")));

[[noreturn, gnu::cold]] void refuse_context(CallName name);
// Called if `running.door` is null. Ends the process if another rank has ended the job; ends the
// job if there is no engine, or if this thread must not call or must not use this context.
[[gnu::cold]] Door& watched_door(CallName name);
[[gnu::cold]] Door& watched_door(shmem_ctx_t context, CallName name);

// The engine of this process and its default context. Converts to a Caller.
struct Here {
  CallName name;

  const Shortcut& shortcut() const { return running.shortcuts[Contexts::default_number]; }
  bool names_no_context() const { return false; }
  // Also true once a rank has died.
  bool checks_enabled() const { return running.door == nullptr; }
  [[gnu::always_inline]] operator Caller() const {  // NOLINT(google-explicit-constructor)
    Door* door = running.door;
    if (door == nullptr) [[unlikely]]
      door = &watched_door(name);
    return {*door, name};
  }
};

constexpr Here here(CallName name) {
  return {name};
}

// The same with a context.
struct InContext {
  shmem_ctx_t handle;
  CallName name;

  const Shortcut& shortcut() const {
    const std::size_t number = Contexts::number_of(handle);
    return running.shortcuts[number < Contexts::limit ? number : 0];
  }
  bool names_no_context() const { return handle == SHMEM_CTX_INVALID; }
  bool checks_enabled() const { return running.door == nullptr; }
  operator Caller() const {  // NOLINT(google-explicit-constructor)
    Door* door = running.door;
    if (door == nullptr) [[unlikely]]
      door = &watched_door(handle, name);
    const Context* context = door->contexts().find(handle);
    if (context == nullptr) [[unlikely]]
      refuse_context(name);
    return {*door, *context, name};
  }
};

inline InContext in(shmem_ctx_t context, CallName name) {
  return {context, name};
}

// A Caller, Here or InContext. The fast calls need only its shortcut.
template <typename C>
concept AnyCaller = std::convertible_to<C, Caller> && requires(C caller) {
  { caller.shortcut() } -> std::same_as<const Shortcut&>;
  { caller.names_no_context() } -> std::same_as<bool>;
  { caller.checks_enabled() } -> std::same_as<bool>;
};

// OpenSHMEM has no codes for errors of a lane. Prints the error and ends the job with status 1. But
// if a death is the reason, it leaves it to the lane's status, and returns.
[[gnu::cold]] void fail_call(Lane& lane, CallName name);
[[noreturn, gnu::cold]] void give_up(CallName name, const std::string& sentence);
// The same for an error that all ranks find. One of them prints it.
[[noreturn, gnu::cold]] void give_up_together(CallName name, const std::string& sentence);

// The result of a call that a death has made hopeless: SHMEMX_ERR_DEAD_PE, null or nothing. The
// default context holds the failure.
[[gnu::cold]] void note_loss(const HopelessWait& wait);
template <typename T>
[[gnu::cold, gnu::noinline]] T lost(const HopelessWait& wait) {
  note_loss(wait);
  if constexpr (std::is_same_v<T, int>)
    return SHMEMX_ERR_DEAD_PE;
  else
    return T();
}

[[gnu::always_inline]] inline void check(const Caller& caller, bool done) {
  if (!done) [[unlikely]]
    fail_call(caller.lane, caller.name);
}

// The same for a collective, whose door returns an error if a member is dead.
[[noreturn, gnu::cold]] void fail_meeting(const Caller& caller);
[[gnu::always_inline]] inline void check_meeting(const Caller& caller, bool done) {
  if (!done) [[unlikely]]
    fail_meeting(caller);
}

// For the fast calls, which know PE numbers of the world only.
inline Rank rank_of(int pe) {
  return Rank(static_cast<std::uint32_t>(pe));
}

[[gnu::cold]] inline Rank Caller::rank_in_team(int pe) const {
  if (pe < 0 || static_cast<std::uint32_t>(pe) >= team->size)
    give_up(name, fmt::format("PE {}: the team of this context has {} members, 0 to {}", pe,
                              team->size, team->size - 1));
  return team->rank_of(static_cast<std::uint32_t>(pe));
}

// Bytes of `count` elements. On overflow, more bytes than any memory has. A negative number stays
// negative, for the message.
template <std::size_t Width>
constexpr std::size_t bytes_of(std::size_t count) {
  constexpr std::size_t most = ~std::size_t{0} / 2 / Width;
  constexpr std::size_t sign = ~(~std::size_t{0} / 2);
  return count <= most ? count * Width : count | sign;
}

}  // namespace gondwana::shmem
