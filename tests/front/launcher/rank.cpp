// A rank for the tests of the launcher: executes its arguments in order.
//
//   launcher_rank join running "wait shmem_barrier_all"
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bootstrap/join.hpp"
#include "core/machine.hpp"
#include "core/mapping.hpp"
#include "memory/layout.hpp"

namespace {

using namespace gondwana;

[[noreturn]] void fail(std::string_view sentence) {
  fmt::print(stderr, "launcher_rank: {}\n", sentence);
  std::_Exit(99);
}

template <typename T>
T expect(Result<T> result) {
  if (!result) fail(result.error().text);
  return *std::move(result);
}

// The state of a rank after it has joined.
struct Joined {
  Membership membership;
  Mapping control;
  std::vector<Mapping> arenas;  // the first page of each

  ControlPage& page() {
    const ControlLayout layout(membership.ranks);
    return *reinterpret_cast<ControlPage*>(control.data() + layout.page(index(membership.rank)));
  }
  std::atomic<std::uint64_t>& word(std::size_t rank) {
    return *reinterpret_cast<std::atomic<std::uint64_t>*>(arenas[rank].data());
  }
};

// Never destroyed, like the library's: closing and unmapping everything would look like an exec.
std::optional<Joined>& job = *new std::optional<Joined>;

void join_job(const std::string& /*argument*/) {
  Joined& self = job.emplace();
  self.membership = expect(join([](const char* name) { return std::getenv(name); }));
  self.control =
      expect(Mapping::shared(self.membership.control, ControlLayout(self.membership.ranks).size()));
  for (std::uint32_t rank = 0; rank < self.membership.ranks; ++rank) {
    const UniqueFd arena = expect(self.membership.next_arena(rank));
    struct stat status{};
    if (::fstat(arena.get(), &status) != 0 ||
        static_cast<std::size_t>(status.st_size) != self.membership.plan.file_size(rank))
      fail("an arena is not as long as the plan says");
    self.arenas.push_back(expect(Mapping::shared(arena, page_size())));
  }
  self.page().state.store(RankState::joined);
}

// Joins the job, but does not map its memory.
void join_half(const std::string& /*argument*/) {
  expect(join([](const char* name) { return std::getenv(name); }));
}

void enter(RankState state) {
  job->page().state.store(state);
}

// Every rank writes into its own arena and waits until it sees the writes of all others.
void share(const std::string& /*argument*/) {
  job->word(index(job->membership.rank)).store(index(job->membership.rank) + 1);
  const std::uint64_t give_up_ns = monotonic_ns() + 10'000'000'000;
  for (std::size_t rank = 0; rank < job->arenas.size(); ++rank) {
    while (job->word(rank).load() != rank + 1) {
      if (monotonic_ns() > give_up_ns) fail(fmt::format("rank {} wrote nothing", rank));
      ::usleep(1000);
    }
  }
}

// The only slot of this rank.
ThreadSlot& thread_slot() {
  const ControlLayout layout(job->membership.ranks);
  auto& threads = *reinterpret_cast<ThreadSlots*>(job->control.data() +
                                                  layout.threads(index(job->membership.rank)));
  threads.used.store(1);
  return threads.slots[0];
}

void wait_in(const std::string& call) {
  thread_slot().waiting.begin(call.c_str(), Waiting::any_rank, 0, monotonic_ns());
  for (;;) ::pause();
}

// Waits like the library when exit() or another call finalizes.
void leave_in(const std::string& call) {
  if (::write(job->membership.image.get(), "", 1) != 1) fail("the guardian hears nothing");
  wait_in(call);
}

void run_another_program(const std::string& name) {
  ::execlp(name.c_str(), name.c_str(), "1000", nullptr);
  fail("exec failed");
}

void close_all(const std::string& /*argument*/) {
  for (int descriptor = 3; descriptor < 256; ++descriptor) ::close(descriptor);
}

void say(std::string text) {
  text += '\n';
  if (::write(STDOUT_FILENO, text.data(), text.size()) < 0) std::_Exit(98);
}

// Writes 20 lines of `length` letters, with a different letter per rank. Writes may end within a
// line, so that torn lines show.
void write_lines(const std::string& length) {
  const char* rank = std::getenv("GONDWANA_RANK");
  std::string text;
  for (int line = 0; line < 20; ++line)
    text += std::string(std::stoul(length), static_cast<char>('a' + std::atoi(rank))) + '\n';
  constexpr std::size_t piece = 33'331;
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t count =
        ::write(STDOUT_FILENO, text.data() + at, std::min(piece, text.size() - at));
    if (count < 0) std::_Exit(98);
    at += static_cast<std::size_t>(count);
  }
}

// A process outside our session and process group that holds our output open.
void leave_orphan(const std::string& /*argument*/) {
  if (::fork() != 0) return;
  ::setsid();
  if (::fork() != 0) ::_exit(0);
  ::sleep(1000);
  ::_exit(0);
}

using Step = std::function<void(const std::string&)>;

const std::map<std::string, Step, std::less<>>& steps() {
  static const std::map<std::string, Step, std::less<>> table{
      {"join", join_job},
      {"join_half", join_half},
      {"running", [](const std::string&) { enter(RankState::running); }},
      {"finalize", [](const std::string&) { enter(RankState::finalized); }},
      {"share", share},
      {"wait", wait_in},
      {"leave_in", leave_in},
      {"exec", run_another_program},
      {"close_all", close_all},
      {"say", say},
      {"lines", write_lines},
      {"orphan", leave_orphan},
      {"put", [](const std::string& n) { thread_slot().counters.add(Count::puts, std::stoul(n)); }},
      {"global_exit",
       [](const std::string& n) {
         (void)job->membership.launcher.end_job(std::stoi(n), gondwana::EndReason::error);
       }},
      {"ignore", [](const std::string& n) { std::signal(std::stoi(n), SIG_IGN); }},
      {"raise", [](const std::string& n) { std::raise(std::stoi(n)); }},
      {"sleep", [](const std::string& n) { ::sleep(static_cast<unsigned>(std::stoul(n))); }},
      {"exit", [](const std::string& n) { std::_Exit(std::stoi(n)); }},
  };
  return table;
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string words = argv[i];
    const std::size_t space = std::min(words.find(' '), words.size());
    const auto step = steps().find(words.substr(0, space));
    if (step == steps().end()) fail(words);
    step->second(space < words.size() ? words.substr(space + 1) : "");
  }
}
