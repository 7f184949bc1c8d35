// Options that users know from other launchers.
#pragma once

#include <string_view>

namespace gondwana::launch {

// What does the same here, as "-x NAME=VALUE" for "--env". Empty: nothing does.
std::string_view same_as_foreign(std::string_view option);

}  // namespace gondwana::launch
