#include "complain.hpp"

#include "core/print_error.hpp"
#include "core/printable.hpp"

namespace gondwana {

void complain(std::string_view command, std::string_view sentence) {
  print_error("gondwana {}: {}\n", command, printable_lines(sentence));
}

}  // namespace gondwana
