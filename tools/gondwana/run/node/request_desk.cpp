#include "run/node/request_desk.hpp"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <string_view>
#include <utility>

namespace gondwana::launch {

Result<void> RequestDesk::open() {
  Result<UniqueFd> door = link::listen_for_requests();
  if (!door) return door.error();
  door_ = *std::move(door);
  return poller_.watch(door_.get(), EPOLLIN, [this] { admit(); });
}

void RequestDesk::admit() {
  constexpr std::size_t most_askers = 16;
  UniqueFd socket(::accept4(door_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket) return;
  const std::uint32_t asker = next_asker_++;
  const int number = socket.get();
  askers_.emplace(asker, std::move(socket));
  if (!protocol::is_of_own_user(number)) {
    ++strangers_;
    return answer(asker, {true, "the job belongs to another user"});
  }
  if (askers_.size() > most_askers) return answer(asker, {true, "too many others ask; try again"});
  if (!poller_.watch(number, EPOLLIN, [this, asker] { read(asker); }))
    answer(asker, {true, "the launcher has no descriptor left"});
}

void RequestDesk::read(std::uint32_t asker) {
  const auto found = askers_.find(asker);
  if (found == askers_.end()) return;
  const int socket = found->second.get();
  std::string bytes(link::longest_request + 1, 0);
  const ssize_t got = ::recv(socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
  poller_.forget(socket);
  if (got <= 0) return static_cast<void>(askers_.erase(asker));
  bytes.resize(static_cast<std::size_t>(got));
  const std::uint32_t job = handlers_.job_number();
  if (job == 0) return refuse(asker, "no rank has joined the job yet");
  Result<link::JobRequest> request = link::read_request(bytes, job);
  if (!request) return refuse(asker, request.error().text);
  handlers_.take(asker, *std::move(request));
}

void RequestDesk::refuse(std::uint32_t asker, const std::string& reason) {
  ++invalid_;
  answer(asker, {true, reason});
}

// The answer is short, so it fits into the socket. An asker may be gone.
void RequestDesk::answer(std::uint32_t asker, const link::JobAnswer& answer) {
  const auto found = askers_.find(asker);
  if (found == askers_.end()) return;
  const std::string bytes = link::write_answer(answer);
  (void)!::send(found->second.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  askers_.erase(found);
}

std::string RequestDesk::describe_refused() const {
  const std::uint32_t refused = strangers_ + invalid_;
  if (refused == 0) return {};
  return fmt::format(
      "{} request{} to the job {} refused: {} of other users, {} of another build "
      "or form",
      refused, refused == 1 ? "" : "s", refused == 1 ? "was" : "were", strangers_, invalid_);
}

}  // namespace gondwana::launch
