// Allocates pages of shared memory before their first use.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/result.hpp"
#include "core/types.hpp"

namespace gondwana {

// The way to allocate pages: by MADV_POPULATE_WRITE of Linux 5.14, or by a write to each page.
enum class Populate : std::uint8_t { by_advice, by_writing };

// Uses that number of threads, including the caller, on the caller's processors. Contents are
// unchanged, and peers may write meanwhile. Whole pages, and huge ones if the kernel gives them to
// shared memory or to a program that asks. If the kernel does not know the advice, pages are
// written; missing memory then raises SIGBUS instead of an error.
Result<void> populate(MutableBytes pages, std::uint32_t threads,
                      Populate how = Populate::by_advice);

// Pages first touched from now on come from all NUMA domains in turn, whichever thread touches
// them. Returns an error if there are several domains and the kernel refuses.
Result<void> interleave(MutableBytes pages);

}  // namespace gondwana
