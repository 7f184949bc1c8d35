// The stacks of threads.
#pragma once

#include <cstddef>
#include <optional>

namespace gondwana {

// The stack of the calling thread; for the first thread, up to its limit (ulimit -s). Nothing if
// there is no limit or it is unknown: user-level threads run on stacks of their own.
std::optional<std::size_t> own_stack_size();

}  // namespace gondwana
