// Where this command lies, and what was installed with it.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace gondwana {

std::filesystem::path own_path();

// `name` in the first of these folders that has it. They are told from the folder of the command:
// where files lie in a build folder, and where they are installed.
std::optional<std::filesystem::path> find_own_file(std::string_view name,
                                                   std::initializer_list<const char*> folders);

// The file of the node agent: beside the command, or where it is installed.
Result<std::string> find_agent();

}  // namespace gondwana
