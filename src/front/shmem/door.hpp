// The OpenSHMEM door: which engine a call means, and what to do when it fails.
//
// The templates of this folder take a Caller and no global, so tests run them with ranks as
// threads. Only the generated thunks say here(): the engine of this process, looked up as late as
// can be.
#pragma once

#include <fmt/format.h>

#include "engine/engine.hpp"

namespace gondwana::shmem {

// Who calls, through what, under which name the user knows.
struct Caller {
  Engine& engine;
  Lane& lane;
  CallName name;

  const Shortcut& shortcut() const { return engine.shortcut(); }
};

// Null outside shmem_init and shmem_finalize, and in forked children; then the shortcut, a copy of
// that of the engine's default lane, reaches nobody. The copy saves each p, g and atomic a pointer
// to follow and a null to look for: 4 of 31 instructions.
struct Running {
  Engine* engine = nullptr;
  Shortcut shortcut;
};
extern constinit Running running __attribute__((visibility("hidden")));

[[noreturn, gnu::cold]] void refuse_call(CallName name);

// The engine of this process. Becomes a Caller where a function asks for one.
struct Here {
  CallName name;

  const Shortcut& shortcut() const { return running.shortcut; }
  [[gnu::always_inline]] operator Caller() const {  // NOLINT(google-explicit-constructor)
    if (running.engine == nullptr) [[unlikely]]
      refuse_call(name);
    return {*running.engine, running.engine->default_lane(), name};
  }
};

constexpr Here here(CallName name) {
  return {name};
}

// Either of them: the fast calls need no more than its shortcut.
template <typename C>
concept AnyCaller = std::convertible_to<C, Caller> && requires(C caller) {
  { caller.shortcut() } -> std::same_as<const Shortcut&>;
};

// OpenSHMEM has no error codes for what the lane latched: say it and end the job with status 1.
[[noreturn, gnu::cold]] void give_up(Lane& lane, CallName name);
[[noreturn, gnu::cold]] void give_up(CallName name, const std::string& sentence);

[[gnu::always_inline]] inline void check(const Caller& caller, bool done) {
  if (!done) [[unlikely]]
    give_up(caller.lane, caller.name);
}

// A number from C that is no rank becomes one that no job has.
inline Rank rank_of(int pe) {
  return Rank(static_cast<std::uint32_t>(pe));
}

// Bytes of `count` elements; more than any memory has where that overflows.
template <std::size_t Width>
constexpr std::size_t bytes_of(std::size_t count) {
  constexpr std::size_t most = ~std::size_t{0} / 2 / Width;
  return count <= most ? count * Width : most * Width;
}

}  // namespace gondwana::shmem
