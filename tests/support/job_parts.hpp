// What tests of the decisions of guardians and conductors share.
#pragma once

#include <cstdint>

namespace gondwana::launch::test {

inline constexpr std::uint64_t ms = 1'000'000;
inline constexpr std::uint64_t second = 1000 * ms;
// A status of a process that called exit(status), as waitpid() has it.
constexpr int exited(int status) {
  return status << 8;
}

}  // namespace gondwana::launch::test
