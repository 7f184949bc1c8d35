// Function names in the form of the source code.
#pragma once

#include <array>

namespace gondwana {

// "heat::step" of _ZN4heat4stepEPd, without arguments, and "step" of Fortran's __heat_MOD_step.
// Other names are unchanged. Allocates nothing.
void make_readable(std::array<char, 256>& name);

}  // namespace gondwana
