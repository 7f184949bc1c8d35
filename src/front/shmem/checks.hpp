// Checks of calls if SHMEM_DEBUG is set. A failed check ends the job with a message that names the
// function, the argument, its value and the expected value.
//
// Without SHMEM_DEBUG, checks cost nothing on the fast calls. Only the slow path of a fast call
// reaches them. See Caller::checks_enabled().
//
// Once a rank has died, the slow paths also ask whether the target lives. An examination of a
// transfer returns false if it does not. The call then does nothing, and its context holds the
// failure.
#pragma once

#include <span>

#include "front/shmem/door.hpp"

namespace gondwana::shmem {

// An array argument: `count` blocks of `block` elements, whose starts are `stride` elements apart.
struct Array {
  const char* argument;  // its name in the man page
  const void* data;
  std::size_t width;  // bytes of an element
  std::size_t count = 1;
  std::ptrdiff_t stride = 1;
  std::size_t block = 1;
};

// examine_own: memory of the caller. examine_symmetric: memory that the call addresses at a peer.
[[gnu::cold]] void examine_own(const Caller& caller, const Array& array);
[[gnu::cold]] void examine_symmetric(const Caller& caller, const Array& array);
[[gnu::cold]] void examine_pe(const Caller& caller, int pe);
[[gnu::cold]] void examine_pes(const Caller& caller, const int* pes, std::size_t count);

// Whether `pe` lives.
[[nodiscard, gnu::cold]] bool may_reach(const Caller& caller, int pe);

// A copy between `own` memory and `theirs`, the memory of `pe`.
[[nodiscard, gnu::cold]] bool examine_transfer(const Caller& caller, const Array& theirs,
                                               const Array& own, int pe);
// A strided copy. The strides are checked first.
[[nodiscard, gnu::cold]] bool examine_strided(const Caller& caller, const Array& theirs,
                                              const Array& own, int pe);

// A put with a signal, which must not overlap the data.
[[nodiscard, gnu::cold]] bool examine_put_signal(const Caller& caller, const Array& theirs,
                                                 const Array& own, const std::uint64_t* word,
                                                 int pe);

// A single value of `pe`: p, g, atomics, signals.
[[nodiscard, gnu::cold]] bool examine_value(const Caller& caller, const Array& value, int pe);

// The variables of a wait for several of them, and the array of indices. `status` may be null.
[[gnu::cold]] void examine_waited(const Caller& caller, const Array& cells, const int* status);
[[gnu::cold]] void examine_indices(const Caller& caller, const Array& cells, const int* status,
                                   const std::size_t* indices);
// An array that must not be null unless `count` is 0.
[[gnu::cold]] void examine_given(const Caller& caller, const char* argument, const void* data,
                                 std::size_t count = 1);

// Only the owning thread may use a private context.
[[gnu::cold]] void examine_owner(const Caller& caller, const Context& context);
// `value` must have no bits outside `known`. `expected` lists the known bits.
[[gnu::cold]] void examine_bits(const Caller& caller, const char* argument, long value, long known,
                                const char* expected);

// These throw HopelessWait if a member of the team has died.
//
// All members of the team must be in the same call with the same `details`.
[[gnu::cold]] void examine_collective(const Caller& caller, Team& team, const std::string& details);
// They must also pass the same arrays, which must be symmetric and must not overlap. `source` has
// the number of elements that the call names.
[[gnu::cold]] void examine_collective(const Caller& caller, Team& team, const Array& dest,
                                      const Array& source, const std::string& details = "");
// The same for calls whose dest may be source: reductions and, as an extension, broadcasts.
[[gnu::cold]] void examine_in_place(const Caller& caller, Team& team, const Array& dest,
                                    const Array& source, const std::string& details = "");
// The same for collect, whose members may pass different lengths. `dest` has at least one element.
[[gnu::cold]] void examine_collect(const Caller& caller, Team& team, const Array& dest,
                                   const Array& source);
// The arrays of a collective over an active set, without a comparison of the members.
[[gnu::cold]] void examine_arrays(const Caller& caller, const Array& dest, const Array& source);
[[gnu::cold]] void examine_arrays_in_place(const Caller& caller, const Array& dest,
                                           const Array& source);

}  // namespace gondwana::shmem
