#include "bootstrap/launcher_link.hpp"

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
