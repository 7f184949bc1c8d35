#include "run/node/rank_links.hpp"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <optional>
#include <utility>

#include "base/program_path.hpp"
#include "bootstrap/spawn_command.hpp"
#include "core/machine.hpp"
#include "memory/stillness.hpp"
#include "run/node/streams.hpp"

namespace gondwana::launch {

RankLinks::RankLinks(Poller& poller, WireUp& wire, const JobOnNode& job, TellEvent tell)
    : poller_(poller),
      wire_(wire),
      job_(job),
      tell_(std::move(tell)),
      sockets_(wire.slots()),
      programs_(poller, {.on_end =
                             [this](std::uint32_t rank, pid_t pid) {
                               tell_(ProgramLost{
                                   rank, pid, remains_of(wire_.pages(rank), true, monotonic_ns())});
                             }}),
      images_(poller,
              {.on_word = [this](std::uint32_t) { tell_(RankLeaves{}); },
               .on_end = [this](std::uint32_t rank, pid_t pid) { check_image(rank, pid); }}) {}

Result<UniqueFd> RankLinks::open(std::uint32_t rank) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return no_descriptor("the launch socket", job_.ranks().global(rank));
  sockets_[rank] = UniqueFd(ends[0]);
  UniqueFd to_us(ends[1]);
  const Result<void> watched = poller_.watch(ends[0], EPOLLIN, [this, rank] { read(rank); });
  if (!watched) return watched.error();
  return to_us;
}

void RankLinks::read(std::uint32_t rank) {
  const UniqueFd& socket = sockets_[rank];
  while (socket && is_readable(socket.get())) {
    // The tag is not checked: only one rank has this socket pair, and its Join has arrived already.
    Result<std::optional<protocol::Received>> received = protocol::receive(socket.get(), 0, 0);
    if (!received) {
      close(rank);
      return tell_(
          Failed{{received.error().code,
                  fmt::format("rank {}: {}", job_.ranks().global(rank), received.error().text)}});
    }
    if (!*received) return close(rank);
    take(rank, **std::move(received));
  }
  send_job(rank);
}

void RankLinks::take(std::uint32_t rank, protocol::Received received) {
  if (const auto* it = std::get_if<protocol::Join>(&received.message))
    join(rank, static_cast<pid_t>(it->pid), std::move(received.attachment));
  if (const auto* image = std::get_if<protocol::Image>(&received.message))
    images_.watch(rank, static_cast<pid_t>(image->pid), std::move(received.attachment));
  if (const auto* exit = std::get_if<protocol::GlobalExit>(&received.message)) tell_(*exit);
  if (const auto* entry = std::get_if<ShrinkEntry>(&received.message)) tell_(*entry);
  if (const auto* entry = std::get_if<WorldEntry>(&received.message)) tell_(*entry);
  if (std::holds_alternative<protocol::Arrival>(received.message)) tell_(RankArrived{rank});
  if (std::holds_alternative<protocol::Leave>(received.message)) tell_(RankLeft{rank});
  if (const auto* spawn = std::get_if<protocol::Spawn>(&received.message))
    ask_for(rank, spawn->ranks, received.attachment);
}

// Looks for the program first, so that no number is spent if it does not exist.
void RankLinks::ask_for(std::uint32_t rank, std::uint32_t ranks, const UniqueFd& command) {
  const Result<std::string> text = text_of(command, longest_command);
  if (!text) return answer(rank, text.error());
  RanksWanted wanted{.asker = rank, .ranks = ranks, .command = {}, .path = {}};
  Result<SpawnCommand> read = read_command(*text);
  if (!read) return answer(rank, read.error());
  wanted.command = *std::move(read);
  if (!wanted.command.words.empty()) {
    Result<std::string> path = find_program(wanted.command.words[0], wanted.command.folder);
    if (!path) return answer(rank, path.error());
    wanted.path = *std::move(path);
  }
  tell_(wanted);
}

void RankLinks::answer(std::uint32_t rank, const Result<std::uint32_t>& first) {
  if (!sockets_[rank]) return;  // it has ended
  const Result<UniqueFd> reason = first ? UniqueFd() : file_with(first.error().text);
  const protocol::Spawned spawned{first ? *first : 0, first ? 0U : 1U};
  const int attached = reason ? reason->get() : -1;
  // A rank that does not read is not waited for: it ends, or asks again.
  static_cast<void>(protocol::try_send(sockets_[rank].get(), spawned, wire_.tag(), attached));
}

// `end` becomes readable when the program that asked has ended; it may be missing.
void RankLinks::join(std::uint32_t rank, pid_t program, UniqueFd end) {
  if (const Result<void> joined = wire_.join(rank); !joined) return tell_(Failed{joined.error()});
  if (program == job_.ranks()[rank].pid) end.reset();  // a child of ours: SIGCHLD reports it
  programs_.watch(rank, program, std::move(end));
  tell_(RankJoined{rank, program});
}

void RankLinks::check_image(std::uint32_t rank, pid_t pid) {
  const RankState state = wire_.state(rank);
  const bool takes_part = state == RankState::joined || state == RankState::running;
  tell_(ImageLost{rank, pid, takes_part && has_replaced_its_program(pid, wire_.pages(rank).page),
                  remains_of(wire_.pages(rank), true, monotonic_ns()).place});
}

void RankLinks::send_job(std::uint32_t rank) {
  const UniqueFd& socket = sockets_[rank];
  if (!socket) return;
  const WireUp::Progress progress = wire_.advance(rank, socket.get());
  if (progress == WireUp::Progress::try_later) send_later_.push_back(rank);
  const bool full = progress == WireUp::Progress::wait_for_space;
  const std::uint32_t events = full ? EPOLLIN | EPOLLOUT : EPOLLIN;
  if (const Result<void> watched =
          poller_.watch(socket.get(), events, [this, rank] { read(rank); });
      !watched)
    tell_(Failed{watched.error()});
}

void RankLinks::send_again() {
  for (const std::uint32_t rank : std::exchange(send_later_, {})) send_job(rank);
}

void RankLinks::close(std::uint32_t rank) {
  if (sockets_[rank]) poller_.forget(sockets_[rank].get());
  sockets_[rank].reset();
}

void RankLinks::forget(std::uint32_t rank) {
  close(rank);
  programs_.forget(rank);
  images_.forget(rank);
}

}  // namespace gondwana::launch
