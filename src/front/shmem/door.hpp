// The OpenSHMEM door: which engine a call means, and what to do when it fails.
//
// The templates of this folder take a Caller and no global, so tests run them with ranks as
// threads. Only the generated thunks ask here(), which reads the one pointer of this door.
#pragma once

#include <fmt/format.h>

#include "engine/engine.hpp"

namespace gondwana::shmem {

// Who calls, through what, under which name the user knows.
struct Caller {
  Engine& engine;
  Lane& lane;
  CallName name;
};

// Null outside shmem_init and shmem_finalize, and in forked children.
extern Engine* running_engine __attribute__((visibility("hidden")));

[[noreturn, gnu::cold]] void refuse_call(CallName name);

[[gnu::always_inline]] inline Caller here(CallName name) {
  if (running_engine == nullptr) [[unlikely]]
    refuse_call(name);
  return {*running_engine, running_engine->default_lane(), name};
}

// OpenSHMEM has no error codes for what the lane latched: say it and end the job with status 1.
[[noreturn, gnu::cold]] void give_up(Lane& lane, CallName name);
[[noreturn, gnu::cold]] void give_up(CallName name, const std::string& sentence);

[[gnu::always_inline]] inline void check(const Caller& caller, bool done) {
  if (!done) [[unlikely]]
    give_up(caller.lane, caller.name);
}

// The value of an operation that may have failed.
template <typename T>
[[gnu::always_inline]] inline T checked(const Caller& caller, const std::optional<T>& result) {
  check(caller, result.has_value());
  return *result;
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
