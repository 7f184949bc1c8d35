// A descriptor in the handle of shared memory: the peer that maps the memory fetches it.
#pragma once

#include <cstdint>

#include "core/result.hpp"
#include "core/unique_fd.hpp"

namespace gondwana {

// Of a SharedHandle, behind what is the driver's: the process that has the descriptor.
inline constexpr std::size_t process_word = 8;

// The descriptor of another process, as one of this.
Result<UniqueFd> fetch_descriptor(std::uint64_t process, int descriptor);

}  // namespace gondwana
