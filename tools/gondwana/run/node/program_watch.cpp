#include "run/node/program_watch.hpp"

#include <sys/epoll.h>
#include <unistd.h>

namespace gondwana::launch {

void ProgramWatch::watch(std::uint32_t rank, pid_t pid, UniqueFd end) {
  forget(rank);
  if (!end || !poller_.watch(end.get(), EPOLLIN, [this, rank] { on_end(rank); })) return;
  running_.emplace(rank, Program{pid, std::move(end)});
}

void ProgramWatch::forget(std::uint32_t rank) {
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
  handlers_.on_end(rank, pid);
}

}  // namespace gondwana::launch
