// Gathers a text of each rank on rank 0 through the symmetric heap.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gondwana::profile {

// Collective. Empty on other ranks, and if the heap has no space left.
std::vector<std::string> gather_texts(std::string_view own);

}  // namespace gondwana::profile
