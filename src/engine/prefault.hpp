// Memory that is taken from the machine at start, where GONDWANA_PREFAULT says so: no page fault
// later, and pages that lie where they should.
#pragma once

#include "core/result.hpp"
#include "core/types.hpp"
#include "engine/engine.hpp"

namespace gondwana {

// The heap, by all ranks at once. Collective over the job.
Result<void> prefault_heap(Engine& engine, CallName call);

// Whole pages of this rank's arena, by it alone.
Result<void> prefault(Engine& engine, MutableBytes pages);

}  // namespace gondwana
