// Memory that is taken from the machine at start, where GONDWANA_PREFAULT says so: no page fault
// later, and pages that lie where they should.
#pragma once

#include <optional>
#include <string>

#include "core/result.hpp"
#include "core/types.hpp"
#include "engine/engine.hpp"

namespace gondwana {

// The heap, by all ranks at once. Collective over the job.
Result<void> prefault_heap(Engine& engine, CallName call);

// A sentence where GONDWANA_HUGETLB asks for more pages than there were. The same on all ranks of a
// node.
std::optional<std::string> doubt_about_huge_pages(const Engine& engine);

// Whole pages of this rank's arena, by it alone.
Result<void> prefault(Engine& engine, MutableBytes pages);

}  // namespace gondwana
