// A child of this process is not the rank, and has variables of its own.
#pragma once

namespace gondwana {

// Call it once. Forks from then on leave the parent's memory and job alone.
void watch_forks();

}  // namespace gondwana
