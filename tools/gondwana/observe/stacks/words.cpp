#include "observe/stacks/words.hpp"

#include <fmt/format.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/modules.hpp"
#include "modules/stacks/stacks.hpp"

namespace gondwana::stacks {
namespace {

constexpr std::uint32_t max_values = 8;  // at most this many values of an array

std::string format_number(std::uint64_t bits, const Awaited& kind) {
  if (!kind.is_signed) return fmt::to_string(bits);
  const int unused_bits = 64 - 8 * kind.size;
  return fmt::to_string(static_cast<std::int64_t>(bits << unused_bits) >> unused_bits);
}

// Empty if this process may not read the other one.
std::string values_at(pid_t process, std::uint64_t place, const Awaited& kind) {
  std::array<std::byte, max_values * sizeof(std::uint64_t)> bytes{};
  const std::size_t words = std::min(kind.words, max_values);
  const iovec here{bytes.data(), words * kind.size};
  const iovec there{reinterpret_cast<void*>(place), words * kind.size};
  if (::process_vm_readv(process, &here, 1, &there, 1, 0) != static_cast<ssize_t>(here.iov_len))
    return {};
  std::string text;
  for (std::size_t word = 0; word < words; ++word) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + word * kind.size, kind.size);
    text += (text.empty() ? "" : ", ") + format_number(bits, kind);
  }
  return text;
}

}  // namespace

void name_words(jobs::JobSeen& job) {
  // Each rank takes some milliseconds, and further ranks usually wait for the same words.
  constexpr int most = 64;
  for (jobs::RankSeen& rank : job.seen)
    if (rank.wait && rank.wait->place != 0 && rank.pid != 0 && rank.wait->awaited.words != 0)
      rank.wait->value = values_at(rank.pid, rank.wait->place, rank.wait->awaited);
  int named = 0;
  for (jobs::RankSeen& rank : job.seen) {
    if (!rank.wait || rank.wait->place == 0 || !rank.wait->word.empty() || rank.pid == 0) continue;
    const Result<void*> function = find_in_module("libgondwana_stacks.so", variable_symbol);
    if (!function || named++ == most) return;
    reinterpret_cast<NameVariable>(*function)({rank.pid, rank.wait->place}, &rank.wait->word);
  }
}

std::string format_value(const jobs::WaitSeen& wait) {
  if (wait.value.empty()) return {};
  return fmt::format("{} {}{}", wait.awaited.words == 1 ? "is" : "are", wait.value,
                     wait.awaited.words > max_values ? ", ..." : "");
}

std::string format_awaited(const jobs::WaitSeen& wait) {
  constexpr std::array<std::string_view, 7> relations{
      "", "", "not ", "greater than ", "at least ", "less than ", "at most "};
  const Awaited& awaited = wait.awaited;
  if (awaited.relation == Awaited::Relation::unknown || awaited.words == 0) return {};
  const bool is_all = wait.call.find("_all") != std::string::npos;
  const std::string words = awaited.words == 1 ? (wait.word.empty() ? "its word is" : "it is")
                            : is_all           ? fmt::format("all {} are", awaited.words)
                                               : fmt::format("one of the {} is", awaited.words);
  return fmt::format("{} {}{}", words, relations.at(static_cast<std::size_t>(awaited.relation)),
                     format_number(awaited.value, awaited));
}

}  // namespace gondwana::stacks
