// Memory that no device can have, found without asking a driver.
#pragma once

namespace gondwana {

// Whether the address lies on the stack of this thread, or in the part of the heap that has grown
// by brk since this library was loaded: where small buffers are. The kernel gives neither to a
// driver, as long as the thread runs and below the break. False: it may be any memory.
bool is_surely_host(const void* address);

}  // namespace gondwana
