#include "core/new_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace gondwana {
namespace {

Error creation_error() {
  return {errno == EMFILE || errno == ENFILE ? Errc::out_of_memory : Errc::refused,
          std::strerror(errno)};
}

// An existing file of this name comes from a killed process, or is a trap. It is removed, and
// neither written nor followed.
Result<UniqueFd> create(const std::string& name, int flags = 0) {
  const auto open = [&] {
    return UniqueFd(
        ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | flags, 0666));
  };
  UniqueFd file = open();
  if (!file && errno == EEXIST && ::unlink(name.c_str()) == 0) file = open();
  if (!file) return creation_error();
  return file;
}

std::string unfinished_name(const std::string& target) {
  return fmt::format("{}.{}.unfinished", target, ::getpid());
}

// The target of a link, which need not exist. We resolve links ourselves: the kernel would not
// check their owners.
Result<std::filesystem::path> resolve_links(std::filesystem::path file) {
  constexpr int max_links = 40;
  for (int links = 0; links < max_links; ++links) {
    struct stat facts{};
    if (::lstat(file.c_str(), &facts) != 0 || !S_ISLNK(facts.st_mode)) break;
    if (facts.st_uid != ::geteuid() && facts.st_uid != 0)
      return Error{Errc::refused,
                   fmt::format("{} is a symbolic link of another user", file.string())};
    std::error_code failure;
    file = file.parent_path() / std::filesystem::read_symlink(file, failure);
    if (failure) return Error{Errc::refused, failure.message()};
  }
  std::error_code failure;
  std::filesystem::path target = std::filesystem::weakly_canonical(file, failure);
  if (failure) return Error{Errc::refused, failure.message()};
  return target;
}

}  // namespace

Result<NewFile> NewFile::open(const std::string& name) {
  struct stat facts{};
  if (::stat(name.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode)) {
    UniqueFd file(::open(name.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
    if (!file) return creation_error();
    return NewFile(std::move(file), name, "");
  }
  const Result<std::filesystem::path> target = resolve_links(name);
  if (!target) return target.error();
  const std::string unfinished = unfinished_name(target->string());
  Result<UniqueFd> file = create(unfinished);
  if (!file) return file.error();
  return NewFile(*std::move(file), target->string(), unfinished);
}

NewFile::~NewFile() {
  if (!unfinished_.empty()) ::unlink(unfinished_.c_str());
}

Result<void> NewFile::write(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t count = ::write(file_.get(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return creation_error();
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Result<void> NewFile::keep() {
  if (unfinished_.empty()) return {};
  if (::rename(unfinished_.c_str(), target_.c_str()) != 0) return creation_error();
  unfinished_.clear();
  return {};
}

Result<void> write_file(const std::string& name, std::string_view text) {
  Result<NewFile> file = NewFile::open(name);
  if (!file) return file.error();
  if (Result<void> written = file->write(text); !written) return written;
  return file->keep();
}

Result<UniqueFd> open_to_append(const std::string& name) {
  struct stat facts{};
  const bool is_there = ::lstat(name.c_str(), &facts) == 0;
  if (is_there && !S_ISREG(facts.st_mode) && !S_ISLNK(facts.st_mode)) {
    UniqueFd special(::open(name.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC));
    if (!special) return creation_error();
    return special;
  }
  const std::string unfinished = unfinished_name(name);
  Result<UniqueFd> file = create(unfinished, O_APPEND);
  if (!file) return file;
  if (::rename(unfinished.c_str(), name.c_str()) == 0) return file;
  const Error failure = creation_error();
  ::unlink(unfinished.c_str());
  return failure;
}

}  // namespace gondwana
