// Lists of hosts from users and batch systems: any text gives hosts with names that ssh accepts and
// at least one rank, or an error message.
#include "link/host_list.hpp"

#include <map>
#include <string>
#include <string_view>

#include "fuzz/target.hpp"
#include "run/command_line/allocation.hpp"

namespace gondwana::launch {
namespace {

void check(const Result<std::vector<Host>>& hosts) {
  if (!hosts) {
    GONDWANA_ASSERT(!hosts.error().text.empty(), 0);
    return;
  }
  GONDWANA_ASSERT(!hosts->empty(), 0);
  for (const Host& host : *hosts) {
    GONDWANA_ASSERT(link::check_host_name(host.name), host.name);
    GONDWANA_ASSERT(host.slots > 0, host.name);
  }
}

// The text before the first zero is the list; the rest is the numbers of ranks.
void check_allocation(const char* list, const char* counts, std::string_view text) {
  const std::size_t end = text.find('\0');
  const std::string first(text.substr(0, end));
  const std::string second(end == std::string_view::npos ? "" : text.substr(end + 1));
  const auto hosts = find_allocation([&](const char* name) -> const char* {
    if (std::string_view(name) == list) return first.c_str();
    return std::string_view(name) == counts ? second.c_str() : nullptr;
  });
  if (hosts && *hosts)
    for (const Host& host : **hosts) GONDWANA_ASSERT(link::check_host_name(host.name), host.name);
}

}  // namespace
}  // namespace gondwana::launch

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gondwana::launch;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(gondwana::link::parse_hosts(text));
  check(gondwana::link::parse_host_file(text, "hosts"));
  check_allocation("SLURM_JOB_NODELIST", "SLURM_TASKS_PER_NODE", text);
  check_allocation("LSB_MCPU_HOSTS", "", text);
  static_cast<void>(expand_counts(text));
  return 0;
}
