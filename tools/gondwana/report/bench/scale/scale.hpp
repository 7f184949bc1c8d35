// `gondwana bench scale`: reports the resources that one rank of a job needs, for 2 to a million
// ranks.
//
// Each run of gondwana-scale (tools/scale) measures one size, so memory of earlier sizes does not
// count.
#pragma once

#include <string>
#include <vector>

namespace gondwana::bench::scale {

// Exit status: 0, or 1 after an error.
int scale_command(const std::vector<std::string>& words);

}  // namespace gondwana::bench::scale
