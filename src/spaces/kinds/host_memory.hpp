// Recognizes host memory without asking a driver.
#pragma once

namespace gondwana {

// Whether the address is on the stack of this thread, or in the part of the heap that has grown by
// brk since this library was loaded, which contains small buffers. The kernel gives neither to a
// driver while the thread runs and the break stays above. False: any kind of memory.
bool is_surely_host(const void* address);

}  // namespace gondwana
