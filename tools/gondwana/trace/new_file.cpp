#include "trace/new_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace gondwana::trace {
namespace {

constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP};

// For the handler, which may not allocate.
std::array<char, PATH_MAX> name_for_handler{};

void remove_and_end(int signal) {
  ::unlink(name_for_handler.data());
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void set_handlers(void (*handler)(int)) {
  for (const int signal : ending_signals) ::signal(signal, handler);
}

Error no_file(const std::string& name) {
  return {Errc::refused,
          fmt::format("cannot write the trace to {}: {}", name, std::strerror(errno))};
}

// The file that a link leads to, which need not be there.
std::filesystem::path behind_links(std::filesystem::path file, std::error_code& failure) {
  constexpr int most_links = 40;
  for (int links = 0; links < most_links && std::filesystem::is_symlink(file, failure); ++links)
    file = file.parent_path() / std::filesystem::read_symlink(file, failure);
  return std::filesystem::weakly_canonical(file, failure);
}

bool is_special(const std::string& name) {
  struct stat facts{};
  return ::stat(name.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode);
}

}  // namespace

Result<NewFile> NewFile::open(const std::string& name) {
  if (is_special(name)) {
    UniqueFd file(::open(name.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.get() < 0) return no_file(name);
    return NewFile(std::move(file), name, "");
  }
  std::error_code failure;
  const std::filesystem::path target = behind_links(name, failure);
  const std::string unfinished = fmt::format("{}.{}.unfinished", target.string(), ::getpid());
  if (failure || unfinished.size() >= name_for_handler.size()) return no_file(name);
  UniqueFd file(::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.get() < 0) return no_file(name);
  unfinished.copy(name_for_handler.data(), name_for_handler.size() - 1);
  set_handlers(&remove_and_end);
  return NewFile(std::move(file), target.string(), unfinished);
}

NewFile::~NewFile() {
  if (unfinished_.empty()) return;
  set_handlers(SIG_DFL);
  ::unlink(unfinished_.c_str());
}

Result<void> NewFile::keep() {
  if (unfinished_.empty()) return {};
  if (::rename(unfinished_.c_str(), target_.c_str()) != 0) return no_file(target_);
  set_handlers(SIG_DFL);
  unfinished_.clear();
  return {};
}

}  // namespace gondwana::trace
