// Text from users: any bytes give a value in range or an error message.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/parse.hpp"
#include "fuzz/target.hpp"

namespace gondwana {
namespace {

template <typename T>
void check_refusal(const Result<T>& result, std::string_view text) {
  if (result) return;
  const std::string& sentence = result.error().text;
  GONDWANA_ASSERT(sentence.starts_with(fmt::format("\"{}\": ", text)), sentence, text);
}

void check_size(std::string_view text) {
  const Result<std::size_t> size = parse_size(text);
  check_refusal(size, text);
  if (!size) return;
  GONDWANA_ASSERT(*size < std::size_t{1} << 63, *size, text);
  const Result<std::size_t> again = parse_size(fmt::format("{}B", *size));
  GONDWANA_ASSERT(again && *again == *size, *size, text);
}

void check_number(std::string_view text) {
  constexpr std::uint64_t least = 1;
  constexpr std::uint64_t most = 1'000'000;
  const Result<std::uint64_t> number = parse_number(text, least, most);
  check_refusal(number, text);
  if (number) GONDWANA_ASSERT(*number >= least && *number <= most, *number, text);
}

void check_nearest(std::string_view text) {
  constexpr std::array<std::string_view, 3> names{"HEAP_SIZE", "SPINS", "FAULT_HANDLER"};
  const std::string_view found = nearest(text, names);
  const bool known = std::ranges::find(names, found) != names.end();
  GONDWANA_ASSERT(known || found.empty(), found, text);
  for (const std::string_view name : names)
    if (name == text) GONDWANA_ASSERT(found == text, found, text);
}

}  // namespace
}  // namespace gondwana

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Words from users are short; the time of nearest() grows with the product of the lengths.
  const std::string_view text(reinterpret_cast<const char*>(data),
                              std::min<std::size_t>(size, 256));
  gondwana::check_size(text);
  gondwana::check_number(text);
  gondwana::check_refusal(gondwana::parse_switch(text), text);
  gondwana::check_nearest(text);
  return 0;
}
