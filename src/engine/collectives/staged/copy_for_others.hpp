// Copies to memory that other members will read.
//
// Memory that others have read is in their caches, and a core must take back each line to store to
// it. Some cores do so one line at a time: 36 ns per line between two Zen 4 cores, but 6 ns to read
// it. Streaming stores avoid that. Times for one copy and one read by another member:
//
//   size     cores share       streaming   memcpy
//   64 KiB                       10.5 us   24 to 45 us
//    4 KiB   nothing              1.8 us   2.3 us
//    4 KiB   nearest caches       1.9 us   0.5 us
#pragma once

#include <cstddef>

namespace gondwana::staged {

// For data that others read after a later release store.
void copy_for_others(std::byte* dest, const std::byte* source, std::size_t size);

}  // namespace gondwana::staged
