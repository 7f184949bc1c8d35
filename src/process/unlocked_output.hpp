// Whether the program prints by functions that take no lock.
#pragma once

namespace gondwana {

// The program, or a library that it brought, calls putchar_unlocked or one of its relatives: no
// other thread may touch its streams. True as well where that cannot be known.
bool may_print_unlocked();

}  // namespace gondwana
