// What a program is told where SHMEM_DEBUG is set: each check ends the job with a sentence that
// names function, argument, value and what was expected.
//
// Where it is not set, checks cost nothing on the fast calls: they are reached by ways that these
// take anyway only when something is wrong. See Caller::checks_enabled().
#pragma once

#include <span>

#include "front/shmem/door.hpp"

namespace gondwana::shmem {

// An array that a call was given: `count` blocks of `block` elements, `stride` elements from the
// start of one to that of the next.
struct Array {
  const char* argument;  // its name in the man page
  const void* data;
  std::size_t width;  // bytes of an element
  std::size_t count = 1;
  std::ptrdiff_t stride = 1;
  std::size_t block = 1;
};

// The caller's own memory, or memory that it only names to its peers.
[[gnu::cold]] void examine_own(const Caller& caller, const Array& array);
[[gnu::cold]] void examine_symmetric(const Caller& caller, const Array& array);
[[gnu::cold]] void examine_pe(const Caller& caller, int pe);
[[gnu::cold]] void examine_pes(const Caller& caller, const int* pes, std::size_t count);

// Copies between `own` memory and `theirs`, that of `pe`.
[[gnu::cold]] void examine_transfer(const Caller& caller, const Array& theirs, const Array& own,
                                    int pe);
// The same where they have strides, which are looked at first.
[[gnu::cold]] void examine_strided(const Caller& caller, const Array& theirs, const Array& own,
                                   int pe);

// The same with a signal, which may not lie in the data.
[[gnu::cold]] void examine_put_signal(const Caller& caller, const Array& theirs, const Array& own,
                                      const std::uint64_t* word, int pe);

// One value of `pe`: p, g, atomics, signals.
[[gnu::cold]] void examine_value(const Caller& caller, const Array& value, int pe);

// What the waits for several look at, and where they write the numbers of those that they found.
// `status` may be null.
[[gnu::cold]] void examine_waited(const Caller& caller, const Array& cells, const int* status);
[[gnu::cold]] void examine_indices(const Caller& caller, const Array& cells, const int* status,
                                   const std::size_t* indices);
// An array that the call needs where it has `count` elements.
[[gnu::cold]] void examine_given(const Caller& caller, const char* argument, const void* data,
                                 std::size_t count = 1);

// A context that belongs to one thread is used by that thread.
[[gnu::cold]] void examine_owner(const Caller& caller, const Context& context);
// Bits of `value` that are not among `known`, which `expected` lists.
[[gnu::cold]] void examine_bits(const Caller& caller, const char* argument, long value, long known,
                                const char* expected);

// All members of the team are in the same call with the same `details`.
[[gnu::cold]] void examine_collective(const Caller& caller, Team& team, const std::string& details);
// And they have the same arrays, which are symmetric and lie apart; source has as many elements as
// the call was told.
[[gnu::cold]] void examine_collective(const Caller& caller, Team& team, const Array& dest,
                                      const Array& source, const std::string& details = "");
// The same where dest may also be source: reductions, and by our leave broadcasts.
[[gnu::cold]] void examine_in_place(const Caller& caller, Team& team, const Array& dest,
                                    const Array& source, const std::string& details = "");
// The same where each member has a length of its own, and dest room for one at least.
[[gnu::cold]] void examine_collect(const Caller& caller, Team& team, const Array& dest,
                                   const Array& source);
// Those of a collective over an active set, whose members are not compared.
[[gnu::cold]] void examine_arrays(const Caller& caller, const Array& dest, const Array& source);
[[gnu::cold]] void examine_arrays_in_place(const Caller& caller, const Array& dest,
                                           const Array& source);

}  // namespace gondwana::shmem
