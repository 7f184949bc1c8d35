// Reads files of litmus tests.
#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"
#include "litmus/test.hpp"

namespace gondwana::litmus {

// `name`: the file without its folder and extension.
Result<LitmusTest> parse(const std::string& name, const std::string& text);

// The files NAME.litmus of the folder, in the order of their names; only those of `door` if it is
// not empty, and only the one of that name if `name` is not empty.
Result<std::vector<LitmusTest>> read_tests(const std::string& folder, const std::string& door,
                                           const std::string& name);

}  // namespace gondwana::litmus
