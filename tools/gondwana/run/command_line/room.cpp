#include "run/command_line/room.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdint>

#include "core/machine.hpp"
#include "core/mapping.hpp"
#include "core/process_limits.hpp"
#include "core/unique_fd.hpp"

namespace gondwana::launch {
namespace {

Error no_room(const std::string& sentence) {
  return {Errc::out_of_memory, sentence + "; no process was started"};
}

// All lower descriptors are in use.
std::uint64_t lowest_free_descriptor() {
  const UniqueFd free(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  return free ? static_cast<std::uint64_t>(free.get()) : 0;
}

Result<void> check_descriptors(const Job& job) {
  const std::uint64_t needed = descriptors_for(job) + lowest_free_descriptor();
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max >= needed) return {};
  return no_room(fmt::format("{} ranks need {} file descriptors, {} are allowed: raise ulimit -n",
                             job.ranks(), needed, limit.rlim_max));
}

Result<void> check_processes(const Job& job) {
  const ProcessLimit limit = process_limit();
  if (limit.left >= job.ranks()) return {};
  return no_room(fmt::format("{} ranks are {} processes, {} more are possible on this host: {}",
                             job.ranks(), job.ranks(), limit.left, limit.name));
}

// Counts the kernel's data for a process, and the pages that its loader writes.
Result<void> check_memory(const Job& job) {
  constexpr std::size_t least = std::size_t{128} << 10;
  const std::size_t needed = job.ranks() * least;
  if (usable_memory() >= needed) return {};
  return no_room(fmt::format("{} ranks need at least {} of memory, this host has {}", job.ranks(),
                             format_size(needed), format_size(usable_memory())));
}

}  // namespace

// Each rank needs a socket, its memory, the pipe that exec closes, and two pipes if its output does
// not go to files. Added are the control memory and the descriptors used while a rank starts. On
// several hosts the node agent needs a socket, a pipe, and descriptors while it starts.
std::uint64_t descriptors_for(const Job& job) {
  const std::uint64_t each = job.streams.folder.empty() ? 5 : 3;
  const std::uint64_t beside = job.share.nodes > 1 ? 8 : 4;
  // On one host the memory of ranks that may join later exists from the start.
  const std::uint64_t later =
      job.share.nodes > 1 ? 0 : job.max_ranks.value_or(job.ranks()) - job.ranks();
  return each * job.ranks() + later + beside;
}

Result<void> check_resources(const Job& job) {
  if (Result<void> done = check_processes(job); !done) return done;
  if (Result<void> done = check_descriptors(job); !done) return done;
  return check_memory(job);
}

}  // namespace gondwana::launch
