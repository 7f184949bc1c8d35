// The name of this host.
#pragma once

#include <unistd.h>

#include <array>

namespace gondwana {

// The name ends with a zero byte. The function allocates no memory, so a crashing process can print
// it. "?": no name.
inline std::array<char, 256> host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) name = {"?"};
  return name;
}

}  // namespace gondwana
