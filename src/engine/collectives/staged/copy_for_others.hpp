// Copying to where other members will read.
//
// Memory that others have read before is in their caches. To store to it, a core must take each of
// its lines back, and some do that one line at a time: 36 ns each between two cores of Zen 4, where
// reading them takes 6. Stores that go past the caches need none of that. 64 KiB laid by one member
// and read by another take 10.5 us so, and 24 to 45 by memcpy. 4 KiB take 1.8 us so and 2.3 by
// memcpy where the cores share nothing, but 1.9 and 0.5 where they share their nearest caches.
#pragma once

#include <cstddef>

namespace gondwana::staged {

// What is read by others after a release store that follows.
void copy_for_others(std::byte* dest, const std::byte* source, std::size_t size);

}  // namespace gondwana::staged
