// The stacks of threads.
#pragma once

#include <cstddef>
#include <optional>

namespace gondwana {

// Of the calling thread. Nothing where that cannot be known: the stack of the first thread grows,
// and user-level threads run on stacks that no thread was started with.
std::optional<std::size_t> own_stack_size();

}  // namespace gondwana
