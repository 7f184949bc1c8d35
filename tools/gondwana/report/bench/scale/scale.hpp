// `gondwana bench scale`: what one rank of a job needs, for 2 to a million ranks.
//
// gondwana-scale (tools/scale) measures one size each time it runs, so that no size sees memory
// that another one has left.
#pragma once

#include <string>
#include <vector>

namespace gondwana::bench::scale {

// Exit status: 0, or 1 after a mistake.
int scale_command(const std::vector<std::string>& words);

}  // namespace gondwana::bench::scale
