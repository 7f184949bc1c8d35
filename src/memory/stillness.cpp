#include "memory/stillness.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>

#include "core/fingerprint.hpp"
#include "core/host_name.hpp"
#include "core/machine.hpp"
#include "core/process_stat.hpp"
#include "memory/rank_report.hpp"

namespace gondwana {
namespace {

constexpr std::uint64_t max_check_ns = 50'000'000;
constexpr useconds_t retry_us = 200;

// The threads that have not ended: the first one may end before others. Empty if unknown.
std::vector<pid_t> tasks_of(pid_t pid) {
  const std::string path = fmt::format("/proc/{}/task", pid);
  std::vector<pid_t> tasks = numbers_in_folder(path);
  std::erase_if(tasks, [&](pid_t task) {
    return read_stat(fmt::format("{}/{}/stat", path, task)).state == 'Z';
  });
  return tasks;
}

// A child may write into the memory of the job. True if unknown.
bool has_children(pid_t pid, pid_t task) {
  const auto children = children_of(pid, task);
  return !children || std::ranges::any_of(*children, is_alive);
}

// A signal handler of the program may write the word that the rank waits for, when a timer or
// another process triggers it. True if unknown. SIGINT, which every Python program handles, and
// SIGURG, which the library handles, do not count.
bool has_handlers(pid_t pid) {
  constexpr auto bit = [](int signal) { return std::uint64_t{1} << (signal - 1); };
  constexpr int first_realtime = 34;  // the C library reserves the two before it
  constexpr std::uint64_t by_timers = bit(SIGALRM) | bit(SIGVTALRM) | bit(SIGPROF);
  constexpr std::uint64_t by_others = bit(SIGHUP) | bit(SIGQUIT) | bit(SIGUSR1) | bit(SIGUSR2) |
                                      bit(SIGTERM) | bit(SIGCHLD) | bit(SIGCONT) | bit(SIGTSTP) |
                                      bit(SIGWINCH) | bit(SIGIO);
  constexpr std::uint64_t sent_later = by_timers | by_others | ~(bit(first_realtime) - 1);
  return (status_of(pid, "SigCgt:", 16).value_or(sent_later) & sent_later) != 0;
}

// A thread that polls for messages periodically sleeps in between.
bool is_asleep(pid_t pid, pid_t task, std::uint64_t until_ns) {
  const std::string file = fmt::format("/proc/{}/task/{}/stat", pid, task);
  for (;;) {
    const char state = read_stat(file).state;
    if (state == 'S') return true;
    if (state != 'R' || monotonic_ns() > until_ns) return false;
    ::usleep(retry_us);
  }
}

// A line of /proc/PID/maps. Device and inode identify the file; any memory may have its name.
struct MappedFile {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::string identity;
};

bool read_mapped_file(std::ifstream& maps, MappedFile& file) {
  char dash = 0;
  std::string permissions;
  std::string offset;
  std::string device;
  std::string inode;
  std::string name;
  maps >> std::hex >> file.begin >> dash >> file.end >> permissions >> offset >> device >> inode;
  if (!std::getline(maps, name)) return false;
  file.identity = fmt::format("{} {}", device, inode);
  return true;
}

// For this process; empty if unknown.
std::string file_mapped_at(const void* memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  std::ifstream maps("/proc/self/maps");
  for (MappedFile file; read_mapped_file(maps, file);)
    if (file.begin <= address && address < file.end) return file.identity;
  return {};
}

struct Waits {
  std::uint32_t count = 0;
  std::uint64_t print = 0;
};

Waits waits_of(const ThreadSlots& threads) {
  Waits waits;
  std::uint32_t i = 0;
  for (const ThreadSlot& slot : threads.in_use()) {
    ++i;
    const std::uint64_t since = slot.waiting.since_ns.load(std::memory_order_acquire);
    if (since == 0) continue;
    ++waits.count;
    waits.print = fingerprint({waits.print, i, since});
  }
  return waits;
}

// A process that checks itself is inside a call, because otherwise it would sleep.
bool sleeps_alone(const Sleeper& rank, std::uint32_t waiting, std::uint64_t until_ns) {
  const bool is_self = rank.pid == ::getpid();
  const std::uint32_t of_library = rank.pages.page->library_threads.load(std::memory_order_relaxed);
  const std::vector<pid_t> tasks = tasks_of(rank.pid);
  if (waiting == 0 || tasks.size() != std::uint64_t{waiting} + of_library) return false;
  if (has_handlers(rank.pid)) return false;
  for (const pid_t task : tasks) {
    if (has_children(rank.pid, task)) return false;
    const bool calls_this = is_self && task == ::gettid();
    if (!calls_this && !is_asleep(rank.pid, task, until_ns)) return false;
  }
  return true;
}

bool waits_in(const ThreadSlots& threads, std::initializer_list<std::string_view> calls) {
  return std::ranges::any_of(threads.in_use(), [&](const ThreadSlot& slot) {
    const Waiting& wait = slot.waiting;
    return wait.since_ns.load(std::memory_order_acquire) != 0 &&
           std::ranges::find(calls, wait.call()) != calls.end();
  });
}

}  // namespace

std::optional<Stillness> find_stillness(std::span<const Sleeper> ranks) {
  for (const Sleeper& rank : ranks) {  // usually this cheap check suffices
    const bool may_continue = rank.pages.page->traffic.pending.load(std::memory_order_relaxed) != 0;
    if (may_continue || rank.pages.threads->longest_wait() == nullptr) return std::nullopt;
  }
  const std::uint64_t until_ns = monotonic_ns() + max_check_ns;
  Stillness found;
  for (const Sleeper& rank : ranks) {
    const Waits waits = waits_of(*rank.pages.threads);
    const Traffic& traffic = rank.pages.page->traffic;
    if (traffic.pending.load(std::memory_order_relaxed) != 0) return std::nullopt;
    if (!sleeps_alone(rank, waits.count, until_ns)) return std::nullopt;
    found.print = fingerprint({found.print, rank.rank, waits.print,
                               traffic.sent.load(std::memory_order_relaxed),
                               traffic.received.load(std::memory_order_relaxed)});
  }
  return found;
}

NodeSnapshot snapshot_of(const NodeMemory& memory) {
  NodeSnapshot node;
  for (const Rank each : memory.roster().here()) {
    const std::uint32_t rank = index(each);
    const ControlPage& its = memory.page(each);
    const auto pid = static_cast<pid_t>(its.presence.process.load(std::memory_order_relaxed));
    node.messages_in_flight += its.traffic.sent.load(std::memory_order_relaxed) -
                               its.traffic.received.load(std::memory_order_relaxed);
    if (its.state.load(std::memory_order_acquire) == RankState::finalized) {
      if (!is_alive(pid)) node.ended.push_back(rank);
      continue;
    }
    node.part.push_back({rank, pid, memory.pages(each)});
    if (is_in_exit(memory.threads(each)))
      node.in_exit.push_back(rank);
    else if (is_finalizing(memory.threads(each)))
      node.finalizing.push_back(rank);
  }
  return node;
}

bool is_in_exit(const ThreadSlots& threads) {
  return waits_in(threads, {"exit"});
}

bool is_finalizing(const ThreadSlots& threads) {
  return waits_in(threads, {"shmem_finalize", "ARMCI_Finalize"});
}

std::string describe(const NodeSnapshot& node) {
  std::vector<Survivor> others;
  for (const Sleeper& each : node.part)
    if (std::ranges::find(node.in_exit, each.rank) == node.in_exit.end())
      others.push_back({each.rank, each.pages});
  std::string text = describe_leaving(node.ended, node.in_exit);
  const std::string waiting = describe_waiting(others);
  if (!text.empty() && !waiting.empty()) text += "; ";
  return text + waiting;
}

std::optional<std::string> find_loss(ControlPage& page, std::uint32_t rank) {
  const RankState state = page.state.load(std::memory_order_acquire);
  const bool takes_part = state == RankState::joined || state == RankState::running;
  if (!takes_part || !page.presence.is_lost()) return std::nullopt;
  const auto pid = static_cast<pid_t>(page.presence.process.load(std::memory_order_relaxed));
  const bool lives = is_alive(pid);
  if (lives && !has_replaced_its_program(pid, &page)) {
    page.presence.leave();  // only its first thread has ended
    return std::nullopt;
  }
  return fmt::format("rank {} on host {} (pid {}) {}; all ranks are ended", rank,
                     host_name().data(), pid,
                     lives ? "replaced its program (exec)" : "ended without finalizing");
}

bool is_alive(pid_t pid) {
  if (pid <= 0 || (::kill(pid, 0) != 0 && errno == ESRCH)) return false;
  return stat_of(pid).state != 'Z' || !tasks_of(pid).empty();
}

bool has_replaced_its_program(pid_t pid, const void* job_memory) {
  const auto is_gone = [pid] { return ::kill(pid, 0) != 0 && errno == ESRCH; };
  if (is_gone()) return false;
  const std::string wanted = file_mapped_at(job_memory);
  std::ifstream maps(fmt::format("/proc/{}/maps", pid));
  bool any = false;  // a process that has ended and was not reaped maps nothing
  for (MappedFile file; read_mapped_file(maps, file); any = true)
    if (file.identity == wanted) return false;
  return any || (!maps.is_open() && !is_gone());
}

}  // namespace gondwana
