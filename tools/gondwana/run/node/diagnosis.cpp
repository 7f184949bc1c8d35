#include "run/node/diagnosis.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/exit_status.hpp"
#include "memory/live.hpp"

namespace gondwana::launch {
namespace {

const char* describe_oom(OomWatch::Finding finding) {
  switch (finding) {
    case OomWatch::Finding::in_our_group:
      return "; out of memory";
    case OomWatch::Finding::on_this_machine:
      return "; probably out of memory";
    case OomWatch::Finding::nothing:
      break;
  }
  return "";
}

std::string describe_cause(const Death& death) {
  if (WIFSIGNALED(death.wait_status)) {
    const int signal = WTERMSIG(death.wait_status);
    return fmt::format("was killed by {} ({}{}{})", name_of_signal(signal), ::strsignal(signal),
                       WCOREDUMP(death.wait_status) ? ", core dumped" : "",
                       describe_oom(death.oom));
  }
  const int status = WEXITSTATUS(death.wait_status);
  // A shell reports the signal that killed its program in this way.
  if (status > exit_signal_base && status <= exit_signal_base + SIGSYS)
    return fmt::format("ended with status {}, as if by {},", status,
                       name_of_signal(status - exit_signal_base));
  // Status 0 means success, but a rank that ran and did not finalize has failed. If the rank ran
  // another program that ended before the guardian looked, nothing is known about it.
  const bool left = status == 0 && death.remains.state == RankState::running;
  return fmt::format(
      "ended with status {}{}", status,
      left ? " and without finalizing, by _exit or in another program that it ran (exec)," : "");
}

// Returns "12 puts, 1 get": what all threads of the rank have done, without zero counts.
std::string describe_counters(const ThreadSlots& threads) {
  using Word = std::pair<Count, std::string_view>;
  constexpr std::array<Word, 4> words{Word{Count::puts, "put"},
                                      {Count::gets, "get"},
                                      {Count::atomics, "atomic operation"},
                                      {Count::syncs, "synchronisation"}};
  std::string text;
  for (const auto& [count, word] : words)
    if (const std::uint64_t sum = threads.count(count); sum > 0)
      text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", sum, word, sum == 1 ? "" : "s");
  return text;
}

std::string describe_wait(const Waiting& waiting, std::uint64_t waited_ns) {
  const double seconds = static_cast<double>(waited_ns) * 1e-9;
  const std::uint32_t peer = waiting.peer.load(std::memory_order_relaxed);
  const std::string target = peer == Waiting::any_rank ? "" : fmt::format(" for rank {}", peer);
  return fmt::format("in {}, waiting{} for {:.1f} s", call_in(waiting), target, seconds);
}

std::string describe_place(const ThreadSlots& threads, std::uint64_t ended_ns) {
  if (const Waiting* wait = threads.longest_wait()) {
    const std::uint64_t since_ns = wait->since_ns.load(std::memory_order_relaxed);
    return describe_wait(*wait, ended_ns - std::min(since_ns, ended_ns));
  }
  const std::string done = describe_counters(threads);
  return "outside any blocking call" + (done.empty() ? "" : ", after " + done);
}

std::string describe_consequence(std::uint32_t others) {
  if (others == 0) return {};
  return others == 1 ? "; the other rank is ended"
                     : fmt::format("; the other {} ranks are ended", others);
}

}  // namespace

Remains remains_of(const RankPages& pages, bool joined, std::uint64_t ended_ns) {
  const RankState state = pages.page == nullptr ? RankState::absent : state_in(*pages.page);
  switch (state) {
    case RankState::absent:
      return {state, joined ? "while it joined the job" : "before it joined the job"};
    case RankState::joined:
      return {state, "while it joined the job"};
    case RankState::finalized:
      return {state, "after it had left the job"};
    case RankState::running:
      break;
  }
  return {state, describe_place(*pages.threads, ended_ns)};
}

bool ends_job(int wait_status, RankState state) {
  if (WIFSIGNALED(wait_status)) return true;
  if (WEXITSTATUS(wait_status) != 0) return state != RankState::finalized;
  // Status 0, but other ranks wait for it, or will.
  return state == RankState::joined || state == RankState::running;
}

std::string describe(const Death& death, std::uint32_t others) {
  return fmt::format("rank {} on host {} (pid {}) {} {}{}", death.rank, death.host, death.pid,
                     describe_cause(death), death.remains.place, describe_consequence(others));
}

std::string describe_continued(std::uint32_t left) {
  return left == 0 ? "; no rank is left"
                   : fmt::format("; the job continues with {} rank{}", left, left == 1 ? "" : "s");
}

std::string describe_dead(std::span<const std::uint32_t> dead, std::uint32_t ranks,
                          std::uint32_t restarts, bool continued) {
  std::string text;
  if (!dead.empty())
    text = fmt::format("{} of {} ranks died{}: rank{} {}", dead.size(), ranks,
                       continued ? ", and the job continued" : "", dead.size() == 1 ? "" : "s",
                       format_ranks(dead));
  if (restarts == 0) return text;
  return fmt::format("{}{}ranks were started again {} time{}", text, text.empty() ? "" : "; ",
                     restarts, restarts == 1 ? "" : "s");
}

std::string describe_under(pid_t wrapper, const Death& death, std::uint32_t others) {
  return fmt::format(
      "rank {} on host {} (pid {}) ended {}{}; the process that started it (pid {}) lives on{}",
      death.rank, death.host, death.pid,
      death.remains.state == RankState::running ? "without finalizing, " : "", death.remains.place,
      wrapper, describe_consequence(others));
}

std::string describe_replaced(const Death& death, std::uint32_t others) {
  return fmt::format("rank {} on host {} (pid {}) replaced its program (exec) {}{}", death.rank,
                     death.host, death.pid, death.remains.place, describe_consequence(others));
}

std::string describe_no_job(std::span<const std::uint32_t> ranks, const std::string& program,
                            const std::string& library) {
  return fmt::format(
      "{} a job of {} own: {} is linked with {}, which does not know this launcher; start it with "
      "the launcher of that library, or compile it with oshcc",
      describe_some(ranks, "was", "were each"), ranks.size() == 1 ? "its" : "their", program,
      library);
}

}  // namespace gondwana::launch
