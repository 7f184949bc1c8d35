#include "front/shmem/roster.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <mutex>

#include "front/shmem/checks.hpp"
#include "front/shmem/deaths.hpp"
#include "front/shmem/setup.hpp"
#include "front/shmem/team.hpp"
#include "process/process.hpp"

namespace gondwana::shmem {
namespace {

const Growth& growth_of(const Caller& caller) {
  return caller.engine.memory().header().growth;
}

// Why this job cannot get more PEs, or this PE cannot ask for them. Null: it can.
const char* doubt_about_spawn(const Caller& caller, int pes) {
  if (pes < 1) return "the number of PEs must be at least 1";
  if (caller.engine.memory().header().needs_all.load(std::memory_order_relaxed) != 0)
    return "a PE uses GASNet-EX or ARMCI, whose jobs cannot grow";
  return nullptr;
}

SpawnCommand command_of(const char* const* words, const char* hosts) {
  SpawnCommand command;
  std::error_code failure;
  command.folder = std::filesystem::current_path(failure).string();
  if (hosts != nullptr) command.hosts = hosts;
  for (; words != nullptr && *words != nullptr; ++words) command.words.emplace_back(*words);
  return command;
}

Result<std::uint32_t> ask_launcher(const Caller& caller, int pes, const SpawnCommand& command) {
  const LauncherLink& launcher = this_process().membership.launcher;
  const std::scoped_lock turn(caller.door.spawn_turn());
  const Result<void> asked = launcher.ask_for_ranks(static_cast<std::uint32_t>(pes), command);
  if (!asked) return asked.error();
  std::optional<Result<std::uint32_t>> answer;
  caller.engine.waiter().until({.call = caller.name, .is_timed = true}, [&] {
    answer = launcher.take_spawned();
    return answer.has_value();
  });
  return *answer;
}

// Returns whether all of them run, once each runs or has ended.
bool await_start(const Caller& caller, std::uint32_t first, std::uint32_t end) {
  const DeathList& deaths = caller.engine.waiter().losses().list();
  const auto has_begun = [&](std::uint32_t rank) {
    return caller.engine.rma().late().has_joined(Rank(rank));
  };
  const bool is_elsewhere = caller.engine.memory().roster().nodes() > 1;
  for (std::uint32_t rank = first; rank < end; ++rank)
    caller.engine.waiter().until({.call = caller.name, .is_timed = is_elsewhere},
                                 [&] { return has_begun(rank) || deaths.has(Rank(rank)); });
  for (std::uint32_t rank = first; rank < end; ++rank)
    if (!has_begun(rank)) return false;
  return true;
}

// Shortcuts that reach a PE reach those of the new world.
void cover_world(const Caller& caller) {
  caller.door.contexts().cover(caller.engine.end_of_reach());
}

}  // namespace

int spawn(Caller caller, int pes, const char* const* words, const char* hosts) {
  if (const char* doubt = doubt_about_spawn(caller, pes)) {
    caller.report(doubt);
    return -1;
  }
  const Result<std::uint32_t> first = ask_launcher(caller, pes, command_of(words, hosts));
  if (!first) {
    caller.report(first.error().text);
    return -1;
  }
  if (!await_start(caller, *first, *first + static_cast<std::uint32_t>(pes))) {
    caller.report("one of the new PEs has ended before shmem_init");
    return -1;
  }
  return static_cast<int>(*first);
}

int team_update(Caller caller, shmem_team_t* everybody) {
  if (everybody != nullptr) *everybody = SHMEM_TEAM_INVALID;
  // Both have tables of all PEs of the present world.
  const bool is_bound = !caller.door.buffers().empty() || caller.door.device_heap();
  const Growing growing = is_bound ? Growing::impossible : Growing::possible;
  const Result<Team*> team = caller.engine.update_world(caller.name, growing, everybody != nullptr);
  if (!team) {
    caller.report(team.error().text);
    return -1;
  }
  if (caller.engine.waiter().losses().list().size() != 0)
    heed_deaths();
  else
    cover_world(caller);
  if (everybody != nullptr) *everybody = handle_of(**team);
  return 0;
}

int leave(Caller caller) {
  const char* doubt = nullptr;
  if (this_process().users > 1) doubt = "another API uses the job in this process";
  if (!caller.door.buffers().empty()) doubt = "unregister all buffers first";
  if (doubt == nullptr) {
    caller.door.contexts().quiet_all();
    check(caller, caller.engine.rma().quiet(caller.lane));
    const Result<void> told = this_process().membership.launcher.leave_job();
    if (told) return end_part(caller);
    caller.report(told.error().text);
    return 1;
  }
  caller.report(doubt);
  return 1;
}

std::uint64_t roster_epoch(Caller caller) {
  return growth_of(caller).changes.load(std::memory_order_acquire);
}

int roster_changed(Caller caller, std::uint64_t* epoch) {
  const std::uint64_t now = roster_epoch(caller);
  return std::exchange(*epoch, now) != now ? 1 : 0;
}

// Many short waits: a wait that begins again and again is no sign that the job cannot go on.
int roster_wait(Caller caller, std::uint64_t epoch, std::uint64_t timeout_us) {
  constexpr std::uint64_t longest_us = 100'000;
  for (std::uint64_t left_us = timeout_us;;) {
    const std::uint64_t now_us = std::min(left_us, longest_us);
    if (caller.engine.waiter().within(std::chrono::microseconds(now_us),
                                      {.call = caller.name, .is_timed = true},
                                      [&] { return roster_epoch(caller) != epoch; }))
      return 0;
    if ((left_us -= now_us) == 0) return SHMEMX_ERR_TIMEOUT;
  }
}

}  // namespace gondwana::shmem
