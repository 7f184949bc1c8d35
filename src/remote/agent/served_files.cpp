#include "remote/agent/served_files.hpp"

#include <utility>

namespace gondwana::remote {
namespace {

constexpr std::uint64_t file_check_ns = 1'000'000'000;

}  // namespace

void ServedFiles::follow() {
  const std::uint32_t asked = memory_.header().files_asked.load(std::memory_order_acquire);
  if (asked == asked_) return;
  asked_ = asked;
  for (const Rank rank : memory_.roster().here())
    for (std::size_t number = 0; number < ArenaFiles::most; ++number) follow(rank, number);
}

void ServedFiles::follow(Rank rank, std::size_t number) {
  ArenaFile& file = memory_.files(rank).list[number];
  const std::uint32_t version = file.version.load(std::memory_order_acquire);
  if (version == file.laid.load(std::memory_order_relaxed)) return;
  const bool is_laid = static_cast<bool>(files_.follow(rank, number));
  file.trouble.store(is_laid ? 0 : 1, std::memory_order_relaxed);
  file.laid.store(version, std::memory_order_release);  // pairs with is_known_to_agent()
}

void ServedFiles::check(std::uint64_t now_ns) {
  if (asked_ == 0 || !on_shortened_ || now_ns < next_check_ns_) return;
  next_check_ns_ = now_ns + file_check_ns;
  const std::optional<Rank> before = std::exchange(shortened_, files_.find_shortened());
  if (shortened_ && before == shortened_) on_shortened_(*shortened_);
}

}  // namespace gondwana::remote
