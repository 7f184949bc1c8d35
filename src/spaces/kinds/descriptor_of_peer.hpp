// A descriptor in the handle of shared memory. The peer that maps the memory fetches it.
#pragma once

#include <cstdint>

#include "core/result.hpp"
#include "core/unique_fd.hpp"

namespace gondwana {

// The word of a SharedHandle, after the driver's words, that names the process with the descriptor.
inline constexpr std::size_t process_word = 8;

// Duplicates the descriptor of another process into this one.
Result<UniqueFd> fetch_descriptor(std::uint64_t process, int descriptor);

}  // namespace gondwana
