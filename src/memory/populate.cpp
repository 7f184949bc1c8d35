#include "memory/populate.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "core/mapping.hpp"
#include "core/signals.hpp"
#include "memory/node_plan.hpp"

namespace gondwana {
namespace {

// MADV_POPULATE_WRITE. The headers of the build may be too old to define it.
constexpr int advice_populate_write = 23;
constexpr int policy_interleave = 3;
constexpr unsigned long flag_allowed_domains = 4;

// The work that a thread takes at a time: small enough that all threads end together, and large
// enough that taking work costs little.
constexpr std::size_t min_step = std::size_t{4} << 20;

// Whether all of `pages`, at most a huge page, are in memory.
bool is_resident(MutableBytes pages) {
  std::array<unsigned char, huge_page / 4096> states{};
  if (::mincore(pages.data(), pages.size(), states.data()) != 0) return false;
  const auto count = static_cast<std::ptrdiff_t>(round_up(pages.size(), page_size()) / page_size());
  return std::all_of(states.begin(), states.begin() + count,
                     [](unsigned char state) { return (state & 1U) != 0; });
}

// A write that changes nothing, even if others write at the same time.
void touch(std::byte* byte) {
  std::atomic_ref(*reinterpret_cast<unsigned char*>(byte)).fetch_or(0, std::memory_order_relaxed);
}

// Asks whether one write allocated a huge page, or small pages exist already. The kernel uses small
// pages when it has no huge one.
void write_to_each(MutableBytes pages) {
  bool huge = true;  // so far
  for (std::size_t at = 0; at < pages.size(); at += huge_page) {
    const MutableBytes block = pages.subspan(at, std::min(huge_page, pages.size() - at));
    touch(block.data());
    huge = huge && is_resident(block);
    if (huge) continue;
    for (std::size_t page = page_size(); page < block.size(); page += page_size())
      touch(block.data() + page);
  }
}

// Returns 0 or an errno.
int advise_populate(MutableBytes pages) {
  for (;;) {
    if (::madvise(pages.data(), pages.size(), advice_populate_write) == 0) return 0;
    if (errno != EAGAIN && errno != EINTR) return errno;
  }
}

// Whether the kernel knows the advice and follows it, tried on an absent page: process emulators
// report success and do nothing.
bool follows_advice() {
  const Result<UniqueFd> memory = create_memfd("gondwana-probe", page_size());
  if (!memory) return false;
  const Result<Mapping> mapping = Mapping::shared(*memory, page_size());
  if (!mapping) return false;
  const MutableBytes page{(*mapping).data(), (*mapping).size()};
  const int wrong = advise_populate(page);
  return wrong != 0 ? wrong != EINVAL : is_resident(page);
}

// Work that several threads take in steps.
class Populating {
 public:
  Populating(MutableBytes pages, Populate how, std::size_t step)
      : pages_(pages), how_(how), step_(step) {}

  void work() {
    while (failure_.load(std::memory_order_relaxed) == 0) {
      const std::size_t begin = next_.fetch_add(step_, std::memory_order_relaxed);
      if (begin >= pages_.size()) return;
      const int wrong = do_step(pages_.subspan(begin, std::min(step_, pages_.size() - begin)));
      if (wrong != 0) failure_.store(wrong, std::memory_order_relaxed);
    }
  }

  int failure() const { return failure_.load(std::memory_order_relaxed); }

 private:
  int do_step(MutableBytes step) const {
    if (how_ == Populate::by_advice) return advise_populate(step);
    write_to_each(step);
    return 0;
  }

  MutableBytes pages_;
  Populate how_;
  std::size_t step_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<int> failure_ = 0;  // errno of a failed step
};

// False if the system refuses a thread.
bool add_worker(std::vector<std::jthread>& workers, Populating& work) {
  try {
    workers.emplace_back([&work] { work.work(); });
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

// Uses all threads that start, at least this one.
void work_together(Populating& work, std::size_t threads) {
  const SignalsBlocked blocked;
  std::vector<std::jthread> others;
  while (others.size() + 1 < threads && add_worker(others, work)) {
  }
  work.work();
}

Error cannot_populate(std::size_t size, int wrong) {
  const bool no_memory = wrong == EFAULT || wrong == ENOMEM;  // EFAULT: a touch raises SIGBUS
  return {Errc::out_of_memory,
          fmt::format("cannot allocate {} of shared memory: {}", format_size(size),
                      no_memory ? "not enough is free" : std::strerror(wrong))};
}

// Whether this process may use memory of one NUMA domain only, or the machine has only one.
bool has_one_domain() {
  constexpr std::string_view name = "Mems_allowed_list:";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name)) return line.find_first_of(",-") == std::string::npos;
  return true;  // unknown: assume one domain
}

}  // namespace

Result<void> populate(MutableBytes pages, std::uint32_t threads, Populate how) {
  if (pages.empty()) return {};
  ::madvise(pages.data(), pages.size(), MADV_HUGEPAGE);  // refused: the pages stay small
  if (how == Populate::by_advice && !follows_advice()) how = Populate::by_writing;
  Populating work(pages, how, min_step);
  const std::size_t steps = (pages.size() + min_step - 1) / min_step;
  work_together(work, std::min<std::size_t>(threads, steps));
  if (work.failure() != 0) return cannot_populate(pages.size(), work.failure());
  return {};
}

Result<void> interleave(MutableBytes pages) {
  if (has_one_domain()) return {};
  std::array<unsigned long, 16> domains{};
  constexpr unsigned long bits = sizeof(domains) * 8 + 1;  // the kernel counts one less
  if (::syscall(SYS_get_mempolicy, nullptr, domains.data(), bits - 1, nullptr,
                flag_allowed_domains) == 0 &&
      ::syscall(SYS_mbind, pages.data(), pages.size(), policy_interleave, domains.data(), bits,
                0UL) == 0)
    return {};
  return Error{Errc::refused,
               fmt::format("GONDWANA_PREFAULT=interleave: the kernel does not spread memory over "
                           "the NUMA domains: {}; containers may forbid it; set it to local",
                           std::strerror(errno))};
}

}  // namespace gondwana
