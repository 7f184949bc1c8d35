// A text of each rank, brought to rank 0 through the symmetric heap.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gondwana::profile {

// Collective. Empty on other ranks, and where the heap has no room.
std::vector<std::string> gather_texts(std::string_view own);

}  // namespace gondwana::profile
