#include "run/node/streams.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/pipe.hpp"
#include "core/new_file.hpp"
#include "run/io/next_time.hpp"

namespace gondwana::launch {

Error no_descriptor(std::string_view what, std::uint32_t rank) {
  return {Errc::out_of_memory,
          fmt::format("cannot make {} of rank {}: {}{}", what, rank, std::strerror(errno),
                      errno == EMFILE ? "; raise ulimit -n" : "")};
}

InputFrom input_of(const Job& job, std::uint32_t rank, bool is_terminal) {
  if (job.streams.reader != rank) return InputFrom::nobody;
  if (job.share.has_conductor()) return InputFrom::conductor;
  return is_terminal ? InputFrom::terminal : InputFrom::launcher;
}

std::string output_file(const Job& job, std::uint32_t rank, Standard which) {
  if (job.streams.folder.empty()) return {};
  return fmt::format("{}/rank.{}.{}", job.streams.folder, rank,
                     which == Standard::output ? "out" : "err");
}

Streams::Streams(Poller& poller, const Job& job)
    : job_(job),
      uplink_(job.share.has_conductor() ? std::make_unique<Uplink>(poller, job) : nullptr),
      own_output_(uplink_ ? nullptr
                          : std::make_unique<OwnOutput>(
                                poller, LineStyle{job.streams.label, job.streams.timestamps})),
      output_(poller, uplink_ ? static_cast<OutputSink&>(uplink_->output()) : *own_output_),
      terminal_(poller, 1),
      input_(poller, uplink_ ? uplink_->reports_of_input()
                             : RankInput::Handlers{
                                   [this](std::uint64_t bytes) { terminal_.on_taken(bytes); },
                                   [this] { terminal_.stop(); }}) {}

Result<UniqueFd> Streams::open_input(std::uint32_t rank) {
  const InputFrom from = input_of(job_, rank, ::isatty(STDIN_FILENO) == 1);
  if (from == InputFrom::terminal)
    terminal_.start([this](const std::string& text) { input_.add(text); });
  if (from == InputFrom::terminal || from == InputFrom::conductor) return input_.start();
  if (from != InputFrom::launcher) return open_nothing(rank);
  UniqueFd input(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  if (!input) return no_descriptor("the standard input", rank);
  return input;
}

Result<UniqueFd> Streams::open_nothing(std::uint32_t rank) {
  UniqueFd input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!input) return no_descriptor("the standard input", rank);
  return input;
}

// A file belongs to one rank: its output needs neither order nor forwarding.
Result<UniqueFd> Streams::open_output(std::uint32_t rank, Standard which) {
  if (const std::string path = output_file(job_, rank, which); !path.empty()) {
    Result<UniqueFd> file = open_to_append(path);
    if (file) return file;
    if (file.error().code == Errc::out_of_memory) return no_descriptor("the output files", rank);
    return Error{Errc::refused, fmt::format("cannot write {}: {}", path, file.error().text)};
  }
  Result<Pipe> pipe = make_pipe(fmt::format("the output pipes of rank {}", rank));
  if (!pipe) return pipe.error();
  make_non_blocking(pipe->from);
  if (const Result<void> added = output_.add(rank, which, std::move(pipe->from)); !added)
    return added.error();
  return std::move(pipe->to);
}

void Streams::on_rank_ended(std::uint32_t rank) {
  if (job_.streams.reader == rank) input_.stop();
}

void Streams::step(std::uint64_t now) {
  terminal_.step();
  if (uplink_) uplink_->step(now);
  output_.step();
}

std::optional<std::uint64_t> Streams::next_ns() const {
  NextTime next;
  next.consider(output_.next_ns());
  next.consider(terminal_.next_ns());
  if (uplink_) next.consider(uplink_->next_ns());
  return next.ns();
}

}  // namespace gondwana::launch
