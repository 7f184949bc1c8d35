// Files of `gondwana bench --json` and lines of measuring programs, those of other libraries too:
// any text gives series that can be compared, or an error message.
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/target.hpp"
#include "report/bench/comparison.hpp"
#include "report/bench/samples.hpp"

namespace gondwana::bench {
namespace {

void compare_records(std::string_view text) {
  const Result<std::vector<Recorded>> found = read_recorded("file", text);
  if (!found) {
    GONDWANA_ASSERT(found.error().text.starts_with("file: "), found.error().text);
    return;
  }
  for (const Recorded& one : *found)
    for (const Recorded& other : *found) to_table(compare(one, other));
}

void read_lines(std::string_view text) {
  Result<std::vector<Series>> series = read_samples(text);
  if (!series) return;
  append(*series, std::vector<Series>(*series));
  append_peer(*series, 0, std::vector<Series>(*series));
  group_operations(*series);
  for (const Series& one : *series) {
    quartiles_of(one.ours);
    if (one.control.size() == one.ours.size()) ratios_of(one);
  }
}

}  // namespace
}  // namespace gondwana::bench

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  gondwana::bench::compare_records(text);
  gondwana::bench::read_lines(text);
  return 0;
}
