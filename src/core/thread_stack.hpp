// The stacks of threads.
#pragma once

#include <cstddef>
#include <optional>

namespace gondwana {

// Of the calling thread; of the first one how large it may grow (ulimit -s). Nothing where there is
// no limit, or where it cannot be known: user-level threads run on stacks that no thread was
// started with.
std::optional<std::size_t> own_stack_size();

}  // namespace gondwana
