#include "bootstrap/pmi1.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "core/parse.hpp"

namespace gondwana {
namespace {

constexpr std::size_t longest_line = 4096;
constexpr std::uint32_t answer_seconds = 20;  // of a living launcher; only a fence takes longer
constexpr std::uint32_t farewell_seconds = 5;

std::string key_of(Round round, std::uint32_t rank) {
  return fmt::format("gondwana-{}-{}", name_of(round), rank);
}

// The message quotes the launcher, but not arbitrary text.
Error unexpected(std::string_view line, std::string_view wanted) {
  constexpr std::size_t shown = 80;
  return {Errc::malformed, fmt::format("the launcher answered \"{}\" over PMI_FD; expected {}",
                                       line.substr(0, shown), wanted)};
}

// A launcher that is asked to end a job does so before it reads earlier output: the message with
// the reason would be lost.
void wait_until_read(int output) {
  struct stat status{};
  if (::fstat(output, &status) != 0 || !S_ISFIFO(status.st_mode)) return;
  const Deadline deadline(1);
  for (int unread = 1; unread > 0 && deadline.left_ms() > 0; ::usleep(500))
    if (::ioctl(output, FIONREAD, &unread) != 0) return;
}

}  // namespace

std::optional<std::string_view> find_in_line(std::string_view line, std::string_view name) {
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(' '));
    if (word.size() > name.size() && word.starts_with(name) && word[name.size()] == '=')
      return word.substr(name.size() + 1);
    line.remove_prefix(std::min(word.size() + 1, line.size()));
  }
  return std::nullopt;
}

Result<Pmi1> Pmi1::open(int socket, std::uint32_t rank, std::uint32_t size,
                        const Deadline& deadline) {
  Pmi1 session(socket, rank, size);
  if (const Result<void> begun = session.begin(deadline); !begun) return begun.error();
  return session;
}

Result<void> Pmi1::begin(const Deadline& deadline) {
  const Result<std::string> version =
      ask("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init", deadline);
  if (!version) return version.error();
  if (find_in_line(*version, "rc") != "0") return unexpected(*version, "rc=0");

  const Result<std::string> limits = ask("cmd=get_maxes", "maxes", deadline);
  if (!limits) return limits.error();
  const auto most = find_in_line(*limits, "vallen_max");
  if (!most || !parse_number(*most, longest_value, 1U << 30))
    return unexpected(*limits, fmt::format("a vallen_max of at least {}", longest_value));

  const Result<std::string> space = ask("cmd=get_my_kvsname", "my_kvsname", deadline);
  if (!space) return space.error();
  const auto name = find_in_line(*space, "kvsname");
  if (!name || name->empty()) return unexpected(*space, "a kvsname");
  space_ = *name;
  return {};
}

Result<void> Pmi1::put(Round round, std::string_view value) {
  const Result<std::string> answer =
      ask(fmt::format("cmd=put kvsname={} key={} value={}", space_, key_of(round, rank_), value),
          "put_result", Deadline(answer_seconds));
  if (!answer) return answer.error();
  if (find_in_line(*answer, "rc") != "0") return unexpected(*answer, "rc=0");
  return {};
}

Result<bool> Pmi1::fence(const Deadline& deadline) {
  if (const Result<void> said = say("cmd=barrier_in"); !said) return said.error();
  const Result<std::optional<std::string>> answer = hear(deadline);
  if (!answer) return answer.error();
  if (!*answer) return false;
  if (find_in_line(**answer, "cmd") != "barrier_out") return unexpected(**answer, "barrier_out");
  return true;
}

Result<std::string> Pmi1::get(Round round, std::uint32_t of_rank) {
  const Result<std::string> answer =
      ask(fmt::format("cmd=get kvsname={} key={}", space_, key_of(round, of_rank)), "get_result",
          Deadline(answer_seconds));
  if (!answer) return answer.error();
  const auto value = find_in_line(*answer, "value");
  if (find_in_line(*answer, "rc") != "0" || !value)
    return unexpected(*answer, fmt::format("the data of rank {}", of_rank));
  return std::string(*value);
}

Result<void> Pmi1::abort(int status) {
  wait_until_read(STDOUT_FILENO);
  wait_until_read(STDERR_FILENO);
  return say(fmt::format("cmd=abort exitcode={}", status));
}

void Pmi1::keep_from_successors() const {
  ::fcntl(socket_, F_SETFD, FD_CLOEXEC);
}

void Pmi1::finish() {
  [[maybe_unused]] const Result<std::string> answer =
      ask("cmd=finalize", "finalize_ack", Deadline(farewell_seconds));
}

Result<void> Pmi1::say(std::string_view line) const {
  const std::string text = fmt::format("{}\n", line);
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t count = ::send(socket_, text.data() + at, text.size() - at, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      return Error{Errc::peer_lost, fmt::format("cannot write to the launcher (PMI_FD={}): {}",
                                                socket_, std::strerror(errno))};
    }
    at += static_cast<std::size_t>(count);
  }
  return {};
}

Result<std::optional<std::string>> Pmi1::hear(const Deadline& deadline) {
  std::string line;
  while (!line.ends_with('\n')) {
    pollfd entry{socket_, POLLIN, 0};
    const int ready = ::poll(&entry, 1, deadline.left_ms());
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return std::optional<std::string>{};
    std::array<char, longest_line> bytes;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    const ssize_t count = ::recv(socket_, bytes.data(), bytes.size() - line.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      return Error{Errc::peer_lost, fmt::format("the launcher has closed PMI_FD={}; is this the "
                                                "second program of the same rank?",
                                                socket_)};
    }
    line.append(bytes.data(), static_cast<std::size_t>(count));
    // Each line gets one line as its answer, so nothing may follow it.
    if (line.size() >= longest_line || line.find('\n') < line.size() - 1)
      return unexpected(line, "one line");
  }
  line.pop_back();
  return std::optional<std::string>(std::move(line));
}

Result<std::string> Pmi1::ask(std::string_view line, std::string_view wanted,
                              const Deadline& deadline) {
  if (const Result<void> said = say(line); !said) return said.error();
  Result<std::optional<std::string>> answer = hear(deadline);
  if (!answer) return answer.error();
  if (!*answer) {
    return Error{Errc::peer_lost, fmt::format("the launcher did not answer \"{}\" over PMI_FD={}",
                                              line.substr(0, line.find(' ')), socket_)};
  }
  if (find_in_line(**answer, "cmd") != wanted) return unexpected(**answer, wanted);
  return **std::move(answer);
}

}  // namespace gondwana
