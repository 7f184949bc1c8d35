#include "base/wrap.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace gondwana {
namespace {

constexpr std::size_t indentation = 4;

// Counts the first bytes of UTF-8 characters.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char byte) { return (byte & 0xc0) != 0x80; }));
}

// Where to break `line`: at the last space that fits into `width`, otherwise at the first space.
std::size_t break_of(std::string_view line, std::size_t width) {
  std::size_t best = std::string_view::npos;
  const std::size_t words = std::min(line.find_first_not_of(' '), line.size());
  for (std::size_t space = line.find(' ', words); space != std::string_view::npos;
       space = line.find(' ', space + 1)) {
    if (best != std::string_view::npos && columns(line.substr(0, space)) > width) break;
    best = space;
  }
  return best;
}

void wrap_line(std::string_view line, std::size_t width, std::string& result) {
  const std::size_t own = std::min(line.find_first_not_of(' '), line.size());
  const std::string before(std::min(own + indentation, width / 2), ' ');
  std::size_t room = width;
  while (columns(line) > room) {
    const std::size_t at = break_of(line, room);
    if (at == std::string_view::npos) break;
    result += line.substr(0, at);
    result += '\n' + before;
    line.remove_prefix(std::min(line.find_first_not_of(' ', at), line.size()));
    room = width - before.size();
  }
  result += line;
}

}  // namespace

std::size_t terminal_width(int fd) {
  winsize size{};
  return ::isatty(fd) == 1 && ::ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::string wrap_lines(std::string_view text, std::size_t width) {
  constexpr std::size_t min_width = 30;
  if (width < min_width) return std::string(text);
  std::string result;
  for (;;) {
    const std::size_t end = text.find('\n');
    wrap_line(text.substr(0, end), width, result);
    if (end == std::string_view::npos) return result;
    result += '\n';
    text.remove_prefix(end + 1);
  }
}

}  // namespace gondwana
