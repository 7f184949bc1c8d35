// The process that started this one, and what becomes of us when it ends.
#pragma once

#include "core/result.hpp"

namespace gondwana {

// This process is killed when the thread that started it ends. An error where it has ended already.
Result<void> die_with_parent();

// Whether our parent started us from its first thread, which lasts as long as the process does. A
// launcher that starts processes from a thread of its own may end that one at any time.
bool started_by_lasting_thread();

}  // namespace gondwana
