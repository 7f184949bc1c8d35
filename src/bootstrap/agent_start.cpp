#include "bootstrap/agent_start.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bootstrap/protocol.hpp"
#include "core/mapping.hpp"
#include "core/signals.hpp"
#include "memory/node_table.hpp"

namespace gondwana {
namespace {

namespace fs = std::filesystem;

constexpr int join_descriptor = 3;  // in the agent

struct Pair {
  UniqueFd ours;
  UniqueFd theirs;
};

Error cannot_start(std::string_view what) {
  return {Errc::out_of_memory,
          fmt::format("cannot create {} of the node agent: {}; raise ulimit -n", what,
                      std::strerror(errno))};
}

// Its number is above those that the descriptors get in the agent.
UniqueFd raise(UniqueFd low) {
  return UniqueFd(::fcntl(low.get(), F_DUPFD_CLOEXEC, join_descriptor + 1));
}

Result<Pair> make_socket_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return cannot_start("the socket");
  Pair pair{UniqueFd(ends[0]), raise(UniqueFd(ends[1]))};
  if (!pair.theirs) return cannot_start("the socket");
  return pair;
}

// Contains what the agent prints before it serves. Later output is not read.
Result<Pair> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return cannot_start("the output");
  Pair pair{UniqueFd(ends[0]), raise(UniqueFd(ends[1]))};
  if (!pair.theirs) return cannot_start("the output");
  return pair;
}

// The file that contains this code: the library, or the program that links it.
fs::path own_file() {
  Dl_info place{};
  std::error_code failure;
  const bool is_known = ::dladdr(reinterpret_cast<const void*>(&start_agent), &place) != 0;
  if (is_known && place.dli_fname != nullptr && *place.dli_fname != '\0') {
    const fs::path file = fs::canonical(place.dli_fname, failure);
    if (!failure) return file;
  }
  return fs::read_symlink("/proc/self/exe", failure);
}

// The possible places of the agent: the one installed with the library first, then the one of a
// build, then those installed with a command in PATH, for statically linked programs.
std::vector<fs::path> places() {
  const fs::path folder = own_file().parent_path();
  std::vector<fs::path> result{folder / "gondwana", folder / "../tools/gondwana"};
  const char* path = std::getenv("PATH");
  for (std::string_view rest = path == nullptr ? "" : path; !rest.empty();) {
    const std::string_view entry = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
    if (!entry.empty()) result.push_back(fs::path(entry) / GONDWANA_MODULES);
  }
  return result;
}

Result<std::string> find_agent() {
  for (const fs::path& place : places()) {
    std::string file = (place / "gondwana-agent").lexically_normal();
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return Error{Errc::missing, fmt::format("{} contains no gondwana-agent, which a job on several "
                                          "nodes needs; install all of Gondwana on this host",
                                          places().front().string())};
}

// Preloaded libraries are meant for the program: one of ours would treat the agent as a rank.
std::vector<std::string> environment_of_agent() {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (!std::string_view(*entry).starts_with("LD_PRELOAD=")) result.emplace_back(*entry);
  result.push_back(fmt::format("{}={}", protocol::join_fd_variable, join_descriptor));
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  result.reserve(words.size() + 1);
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

struct Start {
  const char* path;
  char* const* words;
  char* const* environment;
  int join;
  int output;
  int nothing;
};

// Here and below: runs in children of a process that may have threads, so it uses system calls
// only. A launcher waits until no process holds the pipes that it gave to the rank.
void close_from(int first) {
  if (::syscall(SYS_close_range, first, ~0U, 0) == 0) return;
  constexpr int max_descriptors = 65'536;
  const auto most = static_cast<int>(std::min<long>(::sysconf(_SC_OPEN_MAX), max_descriptors));
  for (int descriptor = first; descriptor < most; ++descriptor) ::close(descriptor);
}

[[noreturn]] void become_agent(const Start& start) {
  ::dup2(start.join, join_descriptor);
  ::dup2(start.output, STDERR_FILENO);
  ::dup2(start.nothing, STDIN_FILENO);
  ::dup2(start.nothing, STDOUT_FILENO);
  close_from(join_descriptor + 1);
  reset_signals();
  ::execve(start.path, start.words, start.environment);
  constexpr std::string_view sentence = "cannot execute the file";
  [[maybe_unused]] const ssize_t said = ::write(STDERR_FILENO, sentence.data(), sentence.size());
  ::_exit(1);
}

// Has a session of its own, because otherwise a signal to the ranks' session would end the agent
// before their peers are done. Its parent exits at once, so this rank never reaps it as its child.
Result<void> spawn(const Start& start) {
  const pid_t between = ::fork();
  if (between == 0) {
    ::setsid();
    const pid_t agent = ::fork();
    if (agent == 0) become_agent(start);
    ::_exit(agent < 0 ? 1 : 0);
  }
  int status = 0;
  pid_t ended = between;
  if (between > 0) {
    do {
      ended = ::waitpid(between, &status, 0);
    } while (ended < 0 && errno == EINTR);
  }
  if (between < 0 || (ended > 0 && status != 0)) {
    return Error{Errc::out_of_memory,
                 "cannot start the node agent: too many processes; raise ulimit -u or pids.max"};
  }
  return {};
}

Result<void> spawn(std::string path, const UniqueFd& join, const UniqueFd& output) {
  const UniqueFd nothing = raise(UniqueFd(::open("/dev/null", O_RDWR | O_CLOEXEC)));
  if (!nothing) return cannot_start("the output");
  std::vector<std::string> environment = environment_of_agent();
  const std::vector<char*> variables = pointers(environment);
  const std::array<char*, 2> words{path.data(), nullptr};
  return spawn(
      {path.c_str(), words.data(), variables.data(), join.get(), output.get(), nothing.get()});
}

// Reads to the end: the agent closes the pipe.
std::string read_all(const UniqueFd& output) {
  std::string text;
  std::array<char, 512> bytes{};
  for (;;) {
    const ssize_t count = ::read(output.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.append(bytes.data(), static_cast<std::size_t>(count));
  }
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

Error agent_gone(const UniqueFd& output) {
  constexpr std::string_view own_beginning = "gondwana: node agent: ";
  std::string said = read_all(output);
  if (said.starts_with(own_beginning)) said.erase(0, own_beginning.size());
  return {Errc::peer_lost,
          fmt::format("the node agent did not start: {}", said.empty() ? "it has ended" : said)};
}

Result<void> send_memory(int socket, const JobMemory& memory, const Deadline& deadline) {
  for (std::uint32_t number = 0; number < memory.items(); ++number) {
    const JobMemory::Item item = memory.item(0, number);
    const Result<void> sent =
        protocol::send(socket, item.message, memory.tag(), item.attachment, deadline.left_ms());
    if (!sent) return sent;
  }
  return {};
}

// Returns once it serves.
Result<void> attend(int socket, const JobMemory& memory, const UniqueFd& output,
                    const Deadline& deadline) {
  for (;;) {
    const Result<std::optional<protocol::Received>> received =
        protocol::receive(socket, 0, deadline.left_ms());
    if (!received) return received.error();
    if (!*received) return agent_gone(output);
    const protocol::Message& message = (*received)->message;
    if (std::holds_alternative<protocol::Ready>(message)) return {};
    if (!std::holds_alternative<protocol::Join>(message)) continue;
    if (const Result<void> sent = send_memory(socket, memory, deadline); !sent)
      return agent_gone(output);
  }
}

}  // namespace

Result<StartedAgent> start_agent(const JobMemory& memory, const Deadline& deadline) {
  const Result<std::string> path = find_agent();
  if (!path) return path.error();
  Result<Pair> socket = make_socket_pair();
  if (!socket) return socket.error();
  Result<Pair> output = make_pipe();
  if (!output) return output.error();
  if (const Result<void> started = spawn(*path, socket->theirs, output->theirs); !started)
    return started.error();
  socket->theirs.reset();
  output->theirs.reset();
  if (const Result<void> served = attend(socket->ours.get(), memory, output->ours, deadline);
      !served)
    return served.error();

  const ControlLayout layout(memory.plan());
  const Result<Mapping> control = Mapping::shared(memory.control(), layout.size());
  if (!control) return control.error();
  const NodeTable nodes(control->data(), layout);
  return StartedAgent{nodes.contact(memory.plan().node), std::move(socket->ours)};
}

}  // namespace gondwana
