// Names of functions as their programmers wrote them.
#pragma once

#include <array>

namespace gondwana {

// "heat::step" of _ZN4heat4stepEPd, without arguments, and "step" of Fortran's __heat_MOD_step.
// Others stay as they are. Allocates nothing.
void make_readable(std::array<char, 256>& name);

}  // namespace gondwana
