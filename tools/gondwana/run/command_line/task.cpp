#include "run/command_line/task.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "core/parse.hpp"

namespace gondwana::launch {
namespace {

constexpr std::uint32_t usual_peer_timeout_s = 20;
constexpr std::uint32_t longest_peer_timeout_s = 7 * 24 * 3600;

// Other variables of ours may make no sense on another host.
bool is_for_all_hosts(std::string_view variable) {
  constexpr std::array<std::string_view, 7> beginnings{"GONDWANA_", "SHMEM_", "SMA_", "GASNET_",
                                                       "UPCXX_",    "ARMCI_", "FI_"};
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

Result<std::uint32_t> peer_timeout_of_user() {
  const char* text = std::getenv("GONDWANA_PEER_TIMEOUT");
  if (text == nullptr || *text == '\0') return usual_peer_timeout_s;
  const Result<std::uint64_t> seconds = parse_number(text, 0, longest_peer_timeout_s);
  if (!seconds)
    return Error{Errc::invalid_argument, "GONDWANA_PEER_TIMEOUT " + seconds.error().text};
  return static_cast<std::uint32_t>(*seconds);
}

}  // namespace gondwana::launch
