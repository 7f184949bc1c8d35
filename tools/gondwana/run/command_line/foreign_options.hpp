// Options that users know from other launchers.
#pragma once

#include <string_view>

namespace gondwana::launch {

// The equivalent option of ours, such as "--env" for "-x NAME=VALUE". Empty if there is none.
std::string_view same_as_foreign(std::string_view option);

}  // namespace gondwana::launch
