// Allocates memory at start if GONDWANA_PREFAULT is set: no page faults later, and pages on the
// right NUMA domains.
#pragma once

#include <optional>
#include <string>

#include "core/result.hpp"
#include "core/types.hpp"
#include "engine/engine.hpp"

namespace gondwana {

// The heap, by all ranks at once. Collective over the job.
Result<void> prefault_heap(Engine& engine, CallName call);

// An error message if GONDWANA_HUGETLB asked for more pages than were free. The same on all ranks
// of a node.
std::optional<std::string> huge_page_warning(const Engine& engine);

// Whole pages of this rank's arena, by this rank alone.
Result<void> prefault(Engine& engine, MutableBytes pages);

}  // namespace gondwana
