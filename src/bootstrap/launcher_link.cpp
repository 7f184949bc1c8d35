#include "bootstrap/launcher_link.hpp"

#include <poll.h>

#include "bootstrap/protocol.hpp"

namespace gondwana {

Result<void> LauncherLink::end_job(int status, EndReason reason) const {
  if (is_foreign()) return owner_ == ::getpid() ? foreign_.end_job(status) : Result<void>{};
  if (!socket_) return {};
  const protocol::GlobalExit exit{status, reason == EndReason::on_purpose ? 1U : 0U};
  return protocol::send(socket_.get(), exit, job_tag_, -1);
}

void LauncherLink::enter_shrink(const ShrinkEntry& entry) const {
  // A guardian that is gone ends this process.
  if (socket_) static_cast<void>(protocol::send(socket_.get(), entry, job_tag_, -1));
}

void LauncherLink::enter_world(const WorldEntry& entry) const {
  if (socket_) static_cast<void>(protocol::send(socket_.get(), entry, job_tag_, -1));
}

void LauncherLink::tell_arrival() const {
  const auto pid = static_cast<std::uint64_t>(::getpid());
  if (socket_)
    static_cast<void>(protocol::send(socket_.get(), protocol::Arrival{pid}, job_tag_, -1));
}

Result<void> LauncherLink::ask_for_ranks(std::uint32_t ranks, const SpawnCommand& command) const {
  if (!socket_)
    return Error{Errc::refused,
                 "only a job of `gondwana run --max-ranks` can get more PEs; this one was started "
                 "in another way"};
  const Result<UniqueFd> file = file_with(write_command(command));
  if (!file) return file.error();
  return protocol::send(socket_.get(), protocol::Spawn{ranks}, job_tag_, file->get());
}

std::optional<Result<std::uint32_t>> LauncherLink::take_spawned() const {
  pollfd entry{socket_.get(), POLLIN, 0};
  if (::poll(&entry, 1, 0) <= 0) return std::nullopt;
  const Result<std::optional<protocol::Received>> received =
      protocol::receive(socket_.get(), job_tag_, 0);
  if (!received) return received.error();
  if (!*received) return Error{Errc::peer_lost, "the launcher has ended"};
  const auto* spawned = std::get_if<protocol::Spawned>(&(*received)->message);
  if (spawned == nullptr) return std::nullopt;
  if (spawned->is_refused == 0) return spawned->first;
  constexpr std::size_t longest_reason = 4096;
  const Result<std::string> reason = text_of((*received)->attachment, longest_reason);
  return Error{Errc::refused, reason ? *reason : reason.error().text};
}

Result<void> LauncherLink::leave_job() const {
  if (!socket_)
    return Error{Errc::refused,
                 "only a PE of a job of `gondwana run` can leave it; this job was "
                 "started in another way"};
  const auto pid = static_cast<std::uint64_t>(::getpid());
  return protocol::send(socket_.get(), protocol::Leave{pid}, job_tag_, -1);
}

Result<void> LauncherLink::send_ready() const {
  const auto pid = static_cast<std::uint64_t>(::getpid());
  return protocol::send(socket_.get(), protocol::Ready{pid}, job_tag_, -1);
}

void LauncherLink::take_part() const {
  if (foreign_.take_part) foreign_.take_part();
}

void LauncherLink::leave() const {
  if (foreign_.leave && owner_ == ::getpid()) foreign_.leave();
}

}  // namespace gondwana
