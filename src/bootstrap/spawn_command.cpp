#include "bootstrap/spawn_command.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace gondwana {

Result<UniqueFd> file_with(const std::string& text) {
  UniqueFd file(::memfd_create("gondwana-text", MFD_CLOEXEC));
  const auto length = static_cast<ssize_t>(text.size());
  if (!file || ::write(file.get(), text.data(), text.size()) != length)
    return Error{Errc::out_of_memory, fmt::format("cannot make a file of {} bytes in memory: {}",
                                                  text.size(), std::strerror(errno))};
  return file;
}

Result<std::string> text_of(const UniqueFd& file, std::size_t most) {
  struct stat facts{};
  if (!file || ::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode))
    return Error{Errc::malformed, "a message without its text"};
  if (static_cast<std::size_t>(facts.st_size) > most)
    return Error{Errc::malformed,
                 fmt::format("a text of {} bytes; at most {} are possible", facts.st_size, most)};
  std::string text(static_cast<std::size_t>(facts.st_size), '\0');
  const ssize_t length = ::pread(file.get(), text.data(), text.size(), 0);
  if (length != facts.st_size) return Error{Errc::malformed, "a text that cannot be read"};
  return text;
}

std::string write_command(const SpawnCommand& command) {
  std::string text = command.folder + '\0' + command.hosts + '\0';
  for (const std::string& word : command.words) text += word + '\0';
  return text;
}

Result<SpawnCommand> read_command(const std::string& text) {
  if (text.empty() || text.back() != '\0') return Error{Errc::malformed, "a command without end"};
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\0', begin);
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (parts.size() < 2) return Error{Errc::malformed, "a command without hosts"};
  SpawnCommand command{.folder = parts[0], .words = {}, .hosts = parts[1]};
  command.words.assign(parts.begin() + 2, parts.end());
  return command;
}

}  // namespace gondwana
