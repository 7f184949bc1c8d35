#include "core/read_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "core/mapping.hpp"
#include "core/unique_fd.hpp"

namespace gondwana {
namespace {

std::string_view type_name(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR:
      return "a directory";
    case S_IFIFO:
      return "a named pipe (FIFO)";
    case S_IFSOCK:
      return "a socket";
    default:
      return "a device";
  }
}

bool is_to_be_read(const struct stat& facts) {
  const dev_t null_device = makedev(1, 3);
  return S_ISREG(facts.st_mode) || (S_ISCHR(facts.st_mode) && facts.st_rdev == null_device);
}

Error no_file(mode_t mode) {
  return {Errc::refused, fmt::format("it is {}, not a file", type_name(mode))};
}

Error too_long(std::size_t longest) {
  return {Errc::refused, fmt::format("it is longer than {}", format_size(longest))};
}

Error system_error() {
  return {errno == ENOENT ? Errc::missing : Errc::refused, std::strerror(errno)};
}

// The size may be 0 although there are bytes, as in /proc, and the file may grow.
Result<std::string> read_all(const UniqueFd& file, std::size_t longest) {
  std::string text;
  std::array<char, 16384> buffer;
  for (;;) {
    const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error();
    if (count == 0) return text;
    if (text.size() + static_cast<std::size_t>(count) > longest) return too_long(longest);
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

Result<UniqueFd> open_to_read(const std::string& path) {
  struct stat facts{};
  // Checked before open(), which may wake a device, and again afterwards: it may be another file by
  // then.
  if (::stat(path.c_str(), &facts) != 0) return system_error();
  if (!is_to_be_read(facts)) return no_file(facts.st_mode);
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file || ::fstat(file.get(), &facts) != 0) return system_error();
  if (!is_to_be_read(facts)) return no_file(facts.st_mode);
  return file;
}

Result<std::string> read_file(const std::string& path, std::size_t longest) {
  const Result<UniqueFd> file = open_to_read(path);
  if (!file) return file.error();
  struct stat facts{};
  if (::fstat(file->get(), &facts) != 0) return system_error();
  if (facts.st_size > 0 && static_cast<std::size_t>(facts.st_size) > longest)
    return too_long(longest);
  return read_all(*file, longest);
}

}  // namespace gondwana
