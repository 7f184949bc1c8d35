#include "run/room.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdint>

#include "core/machine.hpp"
#include "core/mapping.hpp"
#include "core/process_limits.hpp"

namespace gondwana::launch {
namespace {

constexpr std::uint64_t ours = 10;  // descriptors of a guardian without ranks

Error no_room(const std::string& sentence) {
  return {Errc::out_of_memory, sentence + "; no process was started"};
}

// A socket each, and two pipes where there are no files for the output.
Result<void> look_at_descriptors(const Job& job) {
  const std::uint64_t each = job.output_folder.empty() ? 3 : 1;
  const std::uint64_t needed = each * job.ranks() + ours;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max >= needed) return {};
  return no_room(fmt::format("{} ranks need {} file descriptors, {} are allowed: raise ulimit -n",
                             job.ranks(), needed, limit.rlim_max));
}

Result<void> look_at_processes(const Job& job) {
  const ProcessLimit limit = process_limit();
  if (limit.left >= job.ranks()) return {};
  return no_room(fmt::format("{} ranks are {} processes, {} more are possible on this host: {}",
                             job.ranks(), job.ranks(), limit.left, limit.name));
}

// What the kernel keeps of a process, and the pages that its loader writes.
Result<void> look_at_memory(const Job& job) {
  constexpr std::size_t least = std::size_t{128} << 10;
  const std::size_t needed = job.ranks() * least;
  if (usable_memory() >= needed) return {};
  return no_room(fmt::format("{} ranks need {} of memory at least, this host has {}", job.ranks(),
                             format_size(needed), format_size(usable_memory())));
}

}  // namespace

Result<void> look_for_room(const Job& job) {
  if (Result<void> done = look_at_processes(job); !done) return done;
  if (Result<void> done = look_at_descriptors(job); !done) return done;
  return look_at_memory(job);
}

}  // namespace gondwana::launch
