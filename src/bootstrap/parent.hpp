// The process that started this one. This one can end with it.
#pragma once

#include "core/result.hpp"

namespace gondwana {

// Kills this process when the thread that started it ends. An error if that thread has ended
// already.
Result<void> die_with_parent();

// Whether our parent started us from its first thread, which lasts as long as the process. A
// launcher may end its other threads at any time.
bool started_by_lasting_thread();

}  // namespace gondwana
