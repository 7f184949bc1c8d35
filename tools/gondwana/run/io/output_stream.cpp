#include "run/io/output_stream.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace gondwana::launch {

OutputStream::OutputStream(int fd) : fd_(fd) {
  struct stat status{};
  if (::fstat(fd, &status) != 0) return;
  if (S_ISSOCK(status.st_mode)) kind_ = Kind::socket;
  if (S_ISFIFO(status.st_mode)) kind_ = Kind::pipe;
  if (S_ISCHR(status.st_mode) && ::isatty(fd) == 1) kind_ = Kind::terminal;
  if (kind_ == Kind::pipe || kind_ == Kind::terminal) open_own_description();
}

void OutputStream::open_own_description() {
  const std::string path = fmt::format("/proc/self/fd/{}", fd_);
  own_ = UniqueFd(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

void OutputStream::append(Writer writer, std::string_view text) {
  if (failure_ != 0 || text.empty()) return;
  if (unfinished_ && unfinished_ != writer) pending_.append("\n");
  pending_.append(text);
  unfinished_ = text.back() == '\n' ? std::nullopt : std::optional(writer);
}

bool OutputStream::flush() {
  const int failure = pending_.flush([this](std::string_view text) { return write_some(text); });
  if (failure != 0) failure_ = failure;
  return is_empty();
}

ssize_t OutputStream::write_some(std::string_view text) {
  if (kind_ == Kind::socket)
    return ::send(fd_, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (own_ || kind_ == Kind::plain) return ::write(fd(), text.data(), text.size());
  // A blocking descriptor: a writable pipe accepts PIPE_BUF bytes without blocking.
  pollfd entry{fd_, POLLOUT, 0};
  if (::poll(&entry, 1, 0) == 0) {
    errno = EAGAIN;
    return -1;
  }
  return ::write(fd_, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
}

bool OutputStream::is_same_file_as(const OutputStream& other) const {
  struct stat mine{};
  struct stat theirs{};
  return ::fstat(fd_, &mine) == 0 && ::fstat(other.fd_, &theirs) == 0 &&
         mine.st_dev == theirs.st_dev && mine.st_ino == theirs.st_ino;
}

}  // namespace gondwana::launch
