// The hosts of a job as users write them: --hosts a:4,b:4 and the lines of --hostfile.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "link/host.hpp"

namespace gondwana::link {

// Whether ssh and a line of output can hold it.
Result<void> check_host_name(std::string_view name);

// "a:4,b:4,[fe80::1]:2,c": names with their slots, 1 unless given.
Result<std::vector<Host>> parse_hosts(std::string_view text);

// Lines of a name and perhaps its slots, "a slots=4" or "a:4"; "#" begins a comment. `path` is for
// the sentence that says which line is wrong.
Result<std::vector<Host>> parse_host_file(std::string_view text, const std::string& path);

Result<std::vector<Host>> read_host_file(const std::string& path);

}  // namespace gondwana::link
