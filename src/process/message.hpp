// Messages on stderr that name their process.
#pragma once

#include <cstdint>
#include <optional>

namespace gondwana {

// The rank of this process. Before it is known: the value of our launcher's variable.
std::optional<std::uint32_t> own_rank();
void set_own_rank(std::uint32_t rank);

// "gondwana: rank 3: ", the message and the end of the line, in one write. Allocates nothing, so
// signal handlers may call it. Text beyond 4 KiB is cut.
void print_to(int fd, const char* format, ...) __attribute__((format(printf, 2, 3)));
void say(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace gondwana
