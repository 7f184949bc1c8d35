#include "shortened_files.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <optional>
#include <string_view>

namespace gondwana {
namespace {

constinit const NodeMemory* touched = nullptr;  // set before the handler is installed

bool holds(const ArenaFile& file, std::uint64_t offset) {
  const std::uint64_t begin = file.offset.load(std::memory_order_relaxed);
  return offset >= begin && offset - begin < file.size.load(std::memory_order_relaxed);
}

std::optional<std::uint32_t> owner_of(std::uintptr_t address) {
  for (const Rank rank : touched->roster().here()) {
    const std::uint64_t offset = address - reinterpret_cast<std::uintptr_t>(touched->window(rank));
    const auto& files = touched->files(rank).list;
    if (std::ranges::any_of(files, [offset](const auto& file) { return holds(file, offset); }))
      return index(rank);
  }
  return std::nullopt;
}

// Any other fault kills the agent when the handler returns.
void handle(int /*signal*/, siginfo_t* facts, void* /*context*/) {
  if (facts->si_code <= 0) return;
  const auto owner = owner_of(reinterpret_cast<std::uintptr_t>(facts->si_addr));
  if (!owner) return;
  end_because_of_file(Rank(*owner));
}

}  // namespace

void report_shortened_files(const NodeMemory& memory) {
  touched = &memory;
  struct sigaction action{};
  action.sa_sigaction = &handle;
  action.sa_flags = SA_SIGINFO | static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGBUS, &action, nullptr);
}

// Makes system calls only: it also runs in a signal handler.
void end_because_of_file(Rank owner) {
  touched->header().shortened.store(index(owner) + 1, std::memory_order_release);
  constexpr std::string_view before = "gondwana: node agent: rank ";
  constexpr std::string_view after =
      " has a segment on a file that was made shorter; do not shorten files while they are "
      "segments\n";
  std::array<char, 256> text{};
  char* end = std::ranges::copy(before, text.begin()).out;
  end = std::to_chars(end, text.end(), index(owner)).ptr;
  end = std::ranges::copy(after, end).out;
  (void)!::write(STDERR_FILENO, text.data(), static_cast<std::size_t>(end - text.data()));
  ::_exit(1);
}

}  // namespace gondwana
