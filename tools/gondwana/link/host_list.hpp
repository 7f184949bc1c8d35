// Parses the hosts of a job: --hosts a:4,b:4 and the lines of --hostfile.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "link/host.hpp"

namespace gondwana::link {

// Checks that the name can be passed to ssh and printed in one line.
Result<void> check_host_name(std::string_view name);

// Parses names with optional slots, 1 by default: "a:4,b:4,[fe80::1]:2,c".
Result<std::vector<Host>> parse_hosts(std::string_view text);

// Parses lines of a name and optional slots, "a slots=4" or "a:4"; "#" begins a comment. `path` is
// for error messages, which also give the line.
Result<std::vector<Host>> parse_host_file(std::string_view text, const std::string& path);

Result<std::vector<Host>> read_host_file(const std::string& path);

}  // namespace gondwana::link
