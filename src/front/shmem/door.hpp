// The OpenSHMEM door: which engine a call means, and what to do when it fails.
//
// The templates of this folder take a Caller and no global, so tests run them with ranks as
// threads. Only the generated thunks say here() or in(): the engine of this process, looked up as
// late as can be.
#pragma once

#include <fmt/format.h>

#include <array>

#include "engine/engine.hpp"
#include "front/shmem/context.hpp"
#include "shmem.h"

namespace gondwana::shmem {

// The state of the door of one rank. Tests have one for each engine, a process has one.
class Door {
 public:
  // `shortcuts`: where the calls of this process find those of its contexts.
  Door(Engine& engine, ShortcutTable& shortcuts) : engine_(&engine), contexts_(engine, shortcuts) {}

  Engine& engine() { return *engine_; }
  Contexts& contexts() { return contexts_; }

  // What was asked of a team when it was made, by its number.
  int& contexts_asked_for(std::uint32_t team) { return contexts_asked_for_.at(team); }

  // Where a look at `count` variables begins: multiples of the golden ratio, of which every second,
  // third, ... are spread as evenly. Threads that draw the same place do no harm.
  std::size_t next_start(std::size_t count) {
    __extension__ using Wide = unsigned __int128;
    const std::uint64_t place = start_.load(std::memory_order_relaxed) + 0x9e37'79b9'7f4a'7c15;
    start_.store(place, std::memory_order_relaxed);
    return static_cast<std::size_t>(Wide{place} * count >> 64);
  }

 private:
  Engine* engine_;
  Contexts contexts_;
  std::array<int, ControlLayout::max_teams> contexts_asked_for_{};
  std::atomic<std::uint64_t> start_{0};
};

// Who calls, through what, under which name the user knows.
struct Caller {
  Door& door;
  Engine& engine;
  Lane& lane;
  CallName name;
  const Team* team = nullptr;  // that PE numbers are of; null: the world

  Caller(Door& through, CallName called)
      : door(through), engine(through.engine()), lane(engine.default_lane()), name(called) {}
  Caller(Door& through, const Context& context, CallName called)
      : door(through),
        engine(through.engine()),
        lane(*context.lane),
        name(called),
        team(context.team) {}

  // Numbers of a team are not ranks, so calls on it take the other way.
  const Shortcut& shortcut() const { return team == nullptr ? lane.shortcut() : nobody; }
  bool names_no_context() const { return false; }
  // Whether what the program passes is checked: see checks.hpp.
  bool checks_enabled() const { return engine.options().checks; }

  // A number from C that is no rank becomes one that no job has.
  Rank rank_of(int pe) const {
    if (team == nullptr) [[likely]]
      return Rank(static_cast<std::uint32_t>(pe));
    return rank_in_team(pe);
  }

 private:
  static constexpr Shortcut nobody{};
  Rank rank_in_team(int pe) const;
};

// Null outside shmem_init and shmem_finalize, and in forked children; then the shortcuts, copies of
// those of the contexts, reach nobody. The copies save each p, g and atomic a pointer to follow and
// a null to look for: 4 of 31 instructions.
//
// Where calls are checked, `door` is null too and `watched` is the door: so the test for null that
// every call makes is also the one whether there is anything to check.
struct Running {
  Door* door = nullptr;
  Door* watched = nullptr;
  ShortcutTable shortcuts;

  Door* any() const { return door != nullptr ? door : watched; }
};
extern constinit Running running __attribute__((visibility("hidden")));

[[noreturn, gnu::cold]] void refuse_context(CallName name);
// Where `running.door` is null: ends the job where there is no engine, or where this thread must
// not call, or not through this context.
[[gnu::cold]] Door& watched_door(CallName name);
[[gnu::cold]] Door& watched_door(shmem_ctx_t context, CallName name);

// The engine of this process, and its default context. Becomes a Caller where a function asks for
// one.
struct Here {
  CallName name;

  const Shortcut& shortcut() const { return running.shortcuts[Contexts::default_number]; }
  bool names_no_context() const { return false; }
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

// The same, through a context.
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

// Any of them: the fast calls need no more than its shortcut.
template <typename C>
concept AnyCaller = std::convertible_to<C, Caller> && requires(C caller) {
  { caller.shortcut() } -> std::same_as<const Shortcut&>;
  { caller.names_no_context() } -> std::same_as<bool>;
  { caller.checks_enabled() } -> std::same_as<bool>;
};

// OpenSHMEM has no error codes for what the lane latched: say it and end the job with status 1.
[[noreturn, gnu::cold]] void give_up(Lane& lane, CallName name);
[[noreturn, gnu::cold]] void give_up(CallName name, const std::string& sentence);
// The same, of what all ranks find: one of them says it.
[[noreturn, gnu::cold]] void give_up_together(CallName name, const std::string& sentence);

[[gnu::always_inline]] inline void check(const Caller& caller, bool done) {
  if (!done) [[unlikely]]
    give_up(caller.lane, caller.name);
}

// For the fast calls, which know the world's numbers only.
inline Rank rank_of(int pe) {
  return Rank(static_cast<std::uint32_t>(pe));
}

[[gnu::cold]] inline Rank Caller::rank_in_team(int pe) const {
  if (pe < 0 || static_cast<std::uint32_t>(pe) >= team->size)
    give_up(name, fmt::format("PE {}: the team of this context has {} members, 0 to {}", pe,
                              team->size, team->size - 1));
  return team->rank_of(static_cast<std::uint32_t>(pe));
}

// Bytes of `count` elements; more than any memory has where that overflows.
template <std::size_t Width>
constexpr std::size_t bytes_of(std::size_t count) {
  constexpr std::size_t most = ~std::size_t{0} / 2 / Width;
  return count <= most ? count * Width : most * Width;
}

}  // namespace gondwana::shmem
