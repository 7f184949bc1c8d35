#include "bootstrap/join.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string_view>

#include "bootstrap/protocol.hpp"
#include "core/control_page.hpp"
#include "core/mapping.hpp"
#include "core/parse.hpp"

namespace gondwana {
namespace {

constexpr int patience_ms = 20'000;

// The rank must not outlive the process that would end it. Between fork and here that process may
// already be gone: then nobody will be told, so look once more.
Result<void> die_with_parent() {
  const pid_t parent = ::getppid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) return Error{Errc::peer_lost, "the launcher is gone"};
  return {};
}

// The descriptor is inherited by number: make sure that it is our socket, made by our user.
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
  ucred peer{};
  length = sizeof(peer);
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 || peer.uid != ::getuid())
    return refuse("the socket belongs to another user");
  return UniqueFd(fd);
}

Result<protocol::Received> next_message(int socket, std::uint64_t job_tag) {
  Result<std::optional<protocol::Received>> received =
      protocol::receive(socket, job_tag, patience_ms);
  if (!received) return received.error();
  if (!*received) return Error{Errc::peer_lost, "the launcher is gone"};
  return **std::move(received);
}

// The next message of the wanted kind, with its descriptor. What an earlier program of this rank
// asked for and did not live to read may lie before it: the same messages in the same order as
// ours, cut short, so that ours are found by skipping all others.
template <typename Wanted>
Result<protocol::Received> await(int socket, std::uint64_t job_tag, const Wanted& is_wanted) {
  for (;;) {
    Result<protocol::Received> received = next_message(socket, job_tag);
    if (!received) return received.error();
    if (!is_wanted(received->message)) continue;
    if (!received->attachment)
      return Error{Errc::malformed, "the launcher sent a message without its memory"};
    return received;
  }
}

Result<UniqueFd> receive_arena(int socket, std::uint64_t job_tag, std::uint32_t rank) {
  Result<protocol::Received> received =
      await(socket, job_tag, [rank](const protocol::Message& message) {
        const auto* arena = std::get_if<protocol::Arena>(&message);
        return arena != nullptr && arena->rank == rank;
      });
  if (!received) return received.error();
  return std::move(received->attachment);
}

// Readable once this process has ended; nothing where the kernel has no such descriptors. Opened
// here because the guardian may see us under another number (pid namespaces).
UniqueFd open_own_end() {
  return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
}

Result<void> ask_to_join(int socket) {
  const auto pid = static_cast<std::uint64_t>(::getpid());
  return protocol::send(socket, protocol::Join{pid}, 0, open_own_end().get());
}

Result<Membership> join_launched(std::string_view descriptor) {
  Result<UniqueFd> socket = inherited_socket(descriptor);
  if (!socket) return socket.error();
  if (const Result<void> tied = die_with_parent(); !tied) return tied.error();
  if (const Result<void> asked = ask_to_join(socket->get()); !asked) return asked.error();
  Result<protocol::Received> received = await(socket->get(), 0, [](const auto& message) {
    return std::holds_alternative<protocol::Welcome>(message);
  });
  if (!received) return received.error();
  const auto* welcome = std::get_if<protocol::Welcome>(&received->message);
  if (welcome->layout != control_fingerprint) {
    return Error{Errc::refused,
                 "the launcher is of another build than the library; use both from one "
                 "installation"};
  }

  Membership self;
  self.rank = Rank(welcome->rank);
  self.ranks = welcome->ranks;
  self.plan = NodePlan{welcome->ranks, welcome->stride};
  self.control = std::move(received->attachment);
  self.next_arena = [fd = socket->get(), tag = welcome->job_tag](std::uint32_t rank) {
    return receive_arena(fd, tag, rank);
  };
  self.launcher = LauncherLink(*std::move(socket), welcome->job_tag);
  return self;
}

Result<Membership> join_alone() {
  const Result<NodePlan> plan = plan_node(1);
  if (!plan) return plan.error();
  Result<UniqueFd> control = create_memfd("gondwana-control", ControlLayout(1).size());
  if (!control) return control.error();
  Membership self;
  self.plan = *plan;
  self.control = *std::move(control);
  self.next_arena = [size = plan->arena_size()](std::uint32_t) {
    return create_memfd("gondwana-arena", size);
  };
  return self;
}

// What other launchers set to say how many processes they started.
Result<void> refuse_foreign_launcher(const Environment& environment) {
  constexpr std::array size_variables{"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS",
                                      "PALS_SIZE", "MPI_LOCALNRANKS"};
  for (const char* variable : size_variables) {
    const char* text = environment(variable);
    if (text == nullptr) continue;
    const Result<std::uint64_t> size = parse_number(text, 2, ~std::uint64_t{0});
    if (!size) continue;
    return Error{Errc::missing,
                 fmt::format("{}={} says that another launcher started {} processes; this version "
                             "joins jobs of `gondwana run` only. Start the program with `gondwana "
                             "run -n {}`, or unset {} to run it alone",
                             variable, text, *size, *size, variable)};
  }
  return {};
}

}  // namespace

Result<void> LauncherLink::end_job(int status) const {
  if (!socket_) return {};
  return protocol::send(socket_.get(), protocol::GlobalExit{status}, job_tag_, -1);
}

Result<Membership> join(const Environment& environment) {
  if (const char* descriptor = environment(protocol::join_fd_variable); descriptor != nullptr)
    return join_launched(descriptor);
  if (const Result<void> accepted = refuse_foreign_launcher(environment); !accepted)
    return accepted.error();
  return join_alone();
}

}  // namespace gondwana
