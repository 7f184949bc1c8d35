#include "run/io/rank_input.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>

#include "base/pipe.hpp"

namespace gondwana::launch {

Result<UniqueFd> RankInput::start() {
  Result<Pipe> pipe = make_pipe("a pipe for the standard input");
  if (!pipe) return pipe.error();
  to_rank_ = std::move(pipe->to);
  make_non_blocking(to_rank_);
  return std::move(pipe->from);
}

void RankInput::add(std::string_view text) {
  if (!to_rank_) return;
  if (text.empty()) ended_ = true;
  held_ += text;
  write_rank();
}

void RankInput::stop() {
  if (!to_rank_) return;
  forget();
  handlers_.on_gone();
}

void RankInput::forget() {
  poller_->forget(to_rank_.get());
  to_rank_.reset();
  held_.clear();
}

void RankInput::write_rank() {
  const ssize_t count = held_.empty() ? 0 : ::write(to_rank_.get(), held_.data(), held_.size());
  if (count < 0 && errno != EAGAIN && errno != EINTR) return stop();
  if (count > 0) {
    held_.erase(0, static_cast<std::size_t>(count));
    handlers_.on_taken(static_cast<std::uint64_t>(count));
  }
  if (held_.empty()) {
    poller_->forget(to_rank_.get());
    if (ended_) forget();
  } else if (!poller_->watch(to_rank_.get(), EPOLLOUT, [this] { write_rank(); })) {
    stop();
  }
}

}  // namespace gondwana::launch
