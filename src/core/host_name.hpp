// What this host calls itself.
#pragma once

#include <unistd.h>

#include <array>

namespace gondwana {

// Ends with a zero; needs no memory, so that a process that crashes can say it too. "?": no name.
inline std::array<char, 256> host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) name = {"?"};
  return name;
}

}  // namespace gondwana
