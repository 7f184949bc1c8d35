#include "run/debugger/waiting_rank.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "base/exit_status.hpp"
#include "base/quote.hpp"
#include "core/host_name.hpp"
#include "core/print_error.hpp"
#include "core/process_stat.hpp"
#include "core/unique_fd.hpp"
#include "run/debugger/attach_debugger.hpp"
#include "run/debugger/debugged_ranks.hpp"
#include "run/debugger/debugger_windows.hpp"

namespace gondwana::launch {
namespace {

const char* rank_here() {
  const char* rank = std::getenv("GONDWANA_RANK");
  return rank != nullptr ? rank : "0";
}

void ask_user() {
  std::string line;
  for (const std::string& word : attach_command(::getpid())) line += " " + quote(word);
  print_error("gondwana run: rank {} waits for a debugger; type on host {}: {}\n", rank_here(),
              host_name().data(), line);
  std::fflush(stderr);
}

// Returns false if the launcher has gone.
bool ask_launcher(const std::string& file) {
  const UniqueFd pipe(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  const WaitingRank self{::getpid(),
                         static_cast<std::uint32_t>(std::strtoul(rank_here(), nullptr, 10))};
  return pipe && ::write(pipe.get(), &self, sizeof(self)) == sizeof(self);
}

}  // namespace

int wait_for_debugger(const std::vector<std::string>& words) {
  constexpr std::chrono::milliseconds check_interval(20);
  ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);  // otherwise Yama allows only the parent to attach
  if (words[1] == "-")
    ask_user();
  else if (words[1].front() != before_mark && !ask_launcher(words[1]))
    return exit_failure;
  while (tracer_of(::getpid()) == 0) std::this_thread::sleep_for(check_interval);
  std::vector<char*> program;
  for (std::size_t i = 2; i < words.size(); ++i)
    program.push_back(const_cast<char*>(words[i].c_str()));
  program.push_back(nullptr);
  ::execvp(program[0], program.data());
  print_error("gondwana run: cannot run {}: {}\n", words[2], std::strerror(errno));
  return errno == ENOENT ? 127 : 126;
}

}  // namespace gondwana::launch
