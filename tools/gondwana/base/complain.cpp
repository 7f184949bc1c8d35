#include "base/complain.hpp"

#include <unistd.h>

#include <string>

#include "base/exit_status.hpp"
#include "base/wrap.hpp"
#include "core/print_error.hpp"
#include "core/printable.hpp"

namespace gondwana {

int complain(std::string_view command, std::string_view sentence) {
  const std::string lines = fmt::format("gondwana {}: {}\n", command, printable_lines(sentence));
  print_error("{}", wrap_lines(lines, terminal_width(STDERR_FILENO)));
  return exit_failure;
}

}  // namespace gondwana
