#include "why/words.hpp"

#include <fmt/format.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "modules.hpp"
#include "stacks_module/stacks.hpp"

namespace gondwana::why {
namespace {

struct Type {
  std::string_view name;  // in the names of calls
  std::size_t size;
  bool is_signed;
};

constexpr std::array types{
    Type{"short", sizeof(short), true},
    Type{"int", sizeof(int), true},
    Type{"long", sizeof(long), true},
    Type{"longlong", sizeof(long long), true},
    Type{"ushort", sizeof(short), false},
    Type{"uint", sizeof(int), false},
    Type{"ulong", sizeof(long), false},
    Type{"ulonglong", sizeof(long long), false},
    Type{"int32", sizeof(std::int32_t), true},
    Type{"int64", sizeof(std::int64_t), true},
    Type{"uint32", sizeof(std::uint32_t), false},
    Type{"uint64", sizeof(std::uint64_t), false},
    Type{"size", sizeof(std::size_t), false},
    Type{"ptrdiff", sizeof(std::ptrdiff_t), true},
    Type{"signal", sizeof(std::uint64_t), false},
};

// Of the one word that shmem_int_wait_until, shmem_signal_wait_until and their like wait for.
const Type* type_of_word(std::string_view call) {
  constexpr std::string_view before = "shmem_";
  constexpr std::string_view after = "_wait_until";
  if (!call.starts_with(before) || !call.ends_with(after)) return nullptr;
  call.remove_prefix(before.size());
  call.remove_suffix(std::min(call.size(), after.size()));
  const auto* type = std::ranges::find(types, call, &Type::name);
  return type != types.end() ? type : nullptr;
}

// Empty where this process may not read that one.
std::string value_at(pid_t process, std::uint64_t place, std::string_view call) {
  const Type* type = type_of_word(call);
  if (type == nullptr) return {};
  std::uint64_t bits = 0;
  const iovec here{&bits, type->size};
  const iovec there{reinterpret_cast<void*>(place), type->size};
  if (::process_vm_readv(process, &here, 1, &there, 1, 0) != static_cast<ssize_t>(type->size))
    return {};
  if (!type->is_signed) return fmt::to_string(bits);
  const auto unused_bits = static_cast<int>(8 * (sizeof(bits) - type->size));
  return fmt::to_string(static_cast<std::int64_t>(bits << unused_bits) >> unused_bits);
}

}  // namespace

void name_words(jobs::JobSeen& job) {
  // Each takes some milliseconds, and ranks beyond these wait for the same, most often.
  constexpr int most = 64;
  for (jobs::RankSeen& rank : job.seen)
    if (rank.wait && rank.wait->place != 0 && rank.pid != 0)
      rank.wait->value = value_at(rank.pid, rank.wait->place, rank.wait->call);
  int named = 0;
  for (jobs::RankSeen& rank : job.seen) {
    if (!rank.wait || rank.wait->place == 0 || !rank.wait->word.empty() || rank.pid == 0) continue;
    const Result<void*> function = find_in_module("libgondwana_stacks.so", variable_symbol);
    if (!function || named++ == most) return;
    reinterpret_cast<NameVariable>(*function)({rank.pid, rank.wait->place}, &rank.wait->word);
  }
}

}  // namespace gondwana::why
