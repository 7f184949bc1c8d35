#include "run/node/program_watch.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>

#include "core/machine.hpp"

namespace gondwana::launch {
namespace {

constexpr std::uint64_t grace_ns = 1'000'000'000;
constexpr std::uint64_t look_again_ns = 100'000'000;

}  // namespace

void ProgramWatch::watch(std::uint32_t rank, pid_t pid, UniqueFd end) {
  forget(rank);
  if (!end || !poller_.watch(end.get(), EPOLLIN, [this, rank] { on_end(rank); })) return;
  running_.emplace(rank, Program{pid, std::move(end)});
}

void ProgramWatch::forget(std::uint32_t rank) {
  std::erase_if(ended_, [rank](const Ended& ended) { return ended.rank == rank; });
  const auto found = running_.find(rank);
  if (found == running_.end()) return;
  poller_.forget(found->second.end.get());
  running_.erase(found);
}

void ProgramWatch::on_end(std::uint32_t rank) {
  const auto found = running_.find(rank);
  if (found == running_.end() || !is_readable(found->second.end.get())) return;
  const pid_t pid = found->second.pid;
  char word = 0;
  if (handlers_.on_word && ::read(found->second.end.get(), &word, 1) > 0)
    return handlers_.on_word(rank);
  forget(rank);
  const std::uint64_t now = monotonic_ns();
  const Ended& ended = ended_.emplace_back(Awaited{{rank, pid, now}, now + grace_ns});
  if (handlers_.on_end) handlers_.on_end(ended);
}

bool ProgramWatch::has_ended(std::uint32_t rank) const {
  return std::ranges::find(ended_, rank, &Ended::rank) != ended_.end();
}

std::optional<ProgramWatch::Ended> ProgramWatch::overdue() const {
  if (ended_.empty() || monotonic_ns() < *next_ns()) return std::nullopt;
  return ended_.front();
}

std::optional<std::uint64_t> ProgramWatch::next_ns() const {
  if (ended_.empty()) return std::nullopt;
  return ended_.front().due_ns;
}

bool ProgramWatch::wait_longer(const std::vector<pid_t>& family) {
  Awaited& awaited = ended_.front();
  if (!awaited.respite) awaited.respite.emplace(family, grace_ns);
  if (!awaited.respite->lasts(family)) return false;
  awaited.due_ns = monotonic_ns() + look_again_ns;
  return true;
}

}  // namespace gondwana::launch
