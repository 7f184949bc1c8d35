#include "bootstrap/join.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <string_view>

#include "bootstrap/join_foreign.hpp"
#include "bootstrap/parent.hpp"
#include "bootstrap/protocol.hpp"
#include "bootstrap/receive_job.hpp"
#include "bootstrap/started_by.hpp"
#include "bootstrap/unique_id/join_at.hpp"
#include "bootstrap/unique_id/start_place.hpp"
#include "core/options.hpp"
#include "core/parse.hpp"

namespace gondwana {
namespace {

// No timeout: the launcher serves the ranks one by one, which takes long in a large job. If the
// launcher ends, the socket closes.
constexpr int no_timeout = -1;

// The descriptor is inherited by number: check that it is our socket, made by our user.
Result<UniqueFd> inherited_socket(std::string_view text) {
  const auto refuse = [&](std::string_view why) {
    return Error{Errc::refused, fmt::format("{}={}: {}; start the program with `gondwana run`",
                                            protocol::join_fd_variable, text, why)};
  };
  const Result<std::uint64_t> number = parse_number(text, 0, 1U << 30);
  if (!number) return refuse("not a descriptor number");
  const int fd = static_cast<int>(*number);
  int type = 0;
  socklen_t length = sizeof(type);
  if (::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) != 0 || type != SOCK_SEQPACKET)
    return refuse("not the launcher's socket (was it closed by a program in between?)");
  if (!protocol::is_of_own_user(fd)) return refuse("the socket belongs to another user");
  return UniqueFd(fd);
}

// Readable once this process has ended; nothing if the kernel has no pidfds. Opened here because
// the guardian may see this process under another number (pid namespaces).
UniqueFd open_own_end() {
  return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
}

Result<void> ask_to_join(int socket) {
  const auto pid = static_cast<std::uint64_t>(::getpid());
  return protocol::send(socket, protocol::Join{pid}, 0, open_own_end().get());
}

// The guardian gets the other end. It closes when this program ends, and when exec replaces it.
Result<UniqueFd> announce_image(int socket) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
    return UniqueFd();  // the guardian cannot detect an exec
  const UniqueFd theirs(ends[0]);
  UniqueFd ours(ends[1]);
  const auto pid = static_cast<std::uint64_t>(::getpid());
  const Result<void> sent = protocol::send(socket, protocol::Image{pid}, 0, theirs.get());
  if (!sent) return sent.error();
  return ours;
}

Result<Membership> join_launched(std::string_view descriptor) {
  Result<UniqueFd> socket = inherited_socket(descriptor);
  if (!socket) return socket.error();
  if (const Result<void> asked = ask_to_join(socket->get()); !asked) return asked.error();
  Result<Membership> self = receive_job({socket->get(), 0, no_timeout, "the launcher"});
  if (!self) return self.error();
  self->launcher = LauncherLink(*std::move(socket), self->job_tag);
  return self;
}

Result<Membership> join_as_rank(std::string_view descriptor) {
  if (const Result<void> tied = die_with_parent(); !tied) return tied.error();
  Result<Membership> self = join_launched(descriptor);
  if (!self) return self;
  Result<UniqueFd> image = announce_image(self->launcher.descriptor());
  if (!image) return image.error();
  self->image = *std::move(image);
  return self;
}

bool is_same_start(const std::string& identity, const Environment& environment) {
  const char* joined = environment(protocol::joined_variable);
  return joined != nullptr && identity == joined;
}

// Programs that a rank starts inherit the launcher's variables, but not the session: the rank keeps
// it from them.
bool is_rank_itself(const StartedBy& by, const Environment& environment) {
  if (environment(protocol::joined_variable) == nullptr) return true;
  const bool session_is_kept = by.identity.empty() && environment("PMI_FD") != nullptr;
  return !is_same_start(by.identity, environment) && !session_is_kept;
}

Result<Membership> join_meeting(const StartPlace& place, const Environment& environment) {
  if (is_same_start(place.identity(), environment)) return join_alone();
  const Result<Options> options = read_options(environment);
  if (!options) return options.error();
  Result<Membership> self = join_at(place, *options);
  if (self) self->identity = place.identity();
  return self;
}

}  // namespace

Result<Membership> join_as_agent(const Environment& environment) {
  const char* descriptor = environment(protocol::join_fd_variable);
  if (descriptor == nullptr)
    return Error{Errc::refused, "only `gondwana run` can start a node agent"};
  // The agent ends with that socket. Its parent is not checked: its guardian has tied it to itself.
  return join_launched(descriptor);
}

Result<Membership> join(const Environment& environment) {
  if (const char* descriptor = environment(protocol::join_fd_variable); descriptor != nullptr)
    return join_as_rank(descriptor);
  const Result<std::optional<StartPlace>> place = find_start_place(environment);
  if (!place) return place.error();
  if (*place) return join_meeting(**place, environment);
  const StartedBy by = find_launcher(environment);
  if (!is_rank_itself(by, environment)) return join_alone();
  const Result<Options> options = read_options(environment);
  if (!options) return options.error();
  Result<Membership> self = join_foreign(by, *options);
  if (self) self->identity = by.identity;
  return self;
}

}  // namespace gondwana
