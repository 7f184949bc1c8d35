// Takes pages of shared memory from the machine before anybody needs them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/result.hpp"
#include "core/types.hpp"

namespace gondwana {

// How the kernel is told: by MADV_POPULATE_WRITE of Linux 5.14, or by a write to each page.
enum class Populate : std::uint8_t { by_advice, by_writing };

// Done by that many threads, the caller among them, which run where the caller may run. Contents
// stay as they are, and peers may write meanwhile. Whole pages; huge ones where the kernel gives
// them to shared memory, or to a program that asks. Where the kernel does not know the advice it is
// done by writing; then memory that is not there is a SIGBUS, no error.
Result<void> populate(MutableBytes pages, std::uint32_t threads,
                      Populate how = Populate::by_advice);

// Pages that are first touched from now on come from all NUMA domains in turn, whichever thread
// touches them; an error where there are several and the kernel refuses.
Result<void> interleave(MutableBytes pages);

}  // namespace gondwana
