// Programs that are linked statically.
#pragma once

namespace gondwana {

// Whether this program is a static executable. It must load no library: that would bring a second C
// library, which knows nothing of the first one's threads.
bool is_static_program();

}  // namespace gondwana
