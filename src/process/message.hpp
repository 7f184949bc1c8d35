// Sentences on stderr that say which process they come from.
#pragma once

#include <cstdint>
#include <optional>

namespace gondwana {

// The rank of this process or, before that is known, what the variable of our launcher says.
std::optional<std::uint32_t> own_rank();
void set_own_rank(std::uint32_t rank);

// "gondwana: rank 3: ", the sentence and the end of the line, in one write. Allocates nothing, so
// handlers of signals may use it; what is longer than 4 KiB is cut.
void say_to(int fd, const char* format, ...) __attribute__((format(printf, 2, 3)));
void say(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace gondwana
