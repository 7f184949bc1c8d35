// Programs that are linked statically.
#pragma once

namespace gondwana {

// Whether this program is a static executable. It must not load libraries: they would bring a
// second C library, which does not know the threads of the first.
bool is_static_program();

}  // namespace gondwana
