// Finds files that were installed with this command.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace gondwana {

std::filesystem::path own_path();

// Finds `name` in the first of these folders that contains it. The folders are relative to the
// command's folder: one as in a build folder, one as installed.
std::optional<std::filesystem::path> find_own_file(std::string_view name,
                                                   std::initializer_list<const char*> folders);

// The path of the node agent: next to the command, or where it is installed.
Result<std::string> find_agent();

}  // namespace gondwana
