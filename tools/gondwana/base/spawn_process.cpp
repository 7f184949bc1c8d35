#include "base/spawn_process.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

namespace gondwana {
namespace {

void set_fresh_signals(posix_spawnattr_t& attributes) {
  sigset_t all;
  sigset_t none;
  ::sigfillset(&all);
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
}

}  // namespace

Result<pid_t> spawn_process(const std::vector<std::string>& words,
                            const std::array<int, 3>& standard) {
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  for (int fd = 0; fd <= STDERR_FILENO; ++fd)
    ::posix_spawn_file_actions_adddup2(&files, standard.at(static_cast<std::size_t>(fd)), fd);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  set_fresh_signals(attributes);
  ::posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  pid_t pid = 0;
  const int failure =
      ::posix_spawnp(&pid, pointers[0], &files, &attributes, pointers.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&attributes);
  if (failure == 0) return pid;
  return Error{Errc::missing, fmt::format("cannot run {}: {}", words[0], std::strerror(failure))};
}

}  // namespace gondwana
