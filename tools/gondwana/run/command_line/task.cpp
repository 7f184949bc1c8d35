#include "run/command_line/task.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace gondwana::launch {
namespace {

// Other variables of ours may make no sense on another host.
bool is_for_all_hosts(std::string_view variable) {
  constexpr std::array<std::string_view, 8> beginnings{"GONDWANA_", "SHMEM_", "SMA_", "GASNET_",
                                                       "UPCXX_",    "ARMCI_", "FI_",  "UCX_"};
  return std::ranges::any_of(beginnings,
                             [&](std::string_view one) { return variable.starts_with(one); });
}

}  // namespace

Task task_of(const Job& part) {
  Task task{.job = part, .environment = {}, .folder = {}};
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (is_for_all_hosts(*entry)) task.environment.emplace_back(*entry);
  std::error_code failure;
  task.folder = std::filesystem::current_path(failure).string();
  return task;
}

}  // namespace gondwana::launch
