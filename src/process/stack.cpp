#include "process/stack.hpp"

#include "core/elf_symbols.hpp"
#include "process/message.hpp"

#include <cstddef>
#include <cstdio>

namespace gondwana {
namespace {

constexpr unsigned max_frames = 100;  // an overflowed stack has thousands

struct Printed {
  int fd = -1;
  std::uintptr_t from = 0;  // 0: found
  unsigned count = 0;
};

bool print_frame(void* data, const Frame& frame) {
  Printed& printed = *static_cast<Printed*>(data);
  if (printed.from != 0 && is_at(frame, printed.from)) printed.from = 0;
  if (printed.from != 0) return true;
  if (printed.count == max_frames) {
    print_to(printed.fd, "  ... more than %u frames", max_frames);
    return false;
  }
  const char* name = frame.function != nullptr ? frame.function : "?";
  if (frame.file != nullptr)
    print_to(printed.fd, "  #%u %s at %s:%d", printed.count++, name, frame.file, frame.line);
  else
    print_to(printed.fd, "  #%u %s (%#zx)", printed.count++, name,
             static_cast<std::size_t>(frame.address));
  return true;
}

}  // namespace

bool print_stack(int fd, std::uintptr_t from) {
  Printed printed{.fd = fd, .from = from};
  walk_stack(print_frame, &printed);
  if (printed.count == 0 && from != 0) return print_stack(fd);
  return printed.count > 0;
}

}  // namespace gondwana
