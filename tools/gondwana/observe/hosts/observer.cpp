#include "observe/hosts/observer.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>

#include "base/complain.hpp"
#include "core/machine.hpp"
#include "memory/layout.hpp"
#include "observe/hosts/messages.hpp"
#include "observe/jobs/found_jobs.hpp"
#include "observe/stacks/words.hpp"
#include "observe/trace/job_trace.hpp"

namespace gondwana::hosts {
namespace {

void say(const Message& message) {
  const std::string text = encode(message);
  std::string_view bytes = text;
  while (!bytes.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;  // the asker has gone; its end of the input closes too
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

// The asker sends nothing while it waits for an answer: readable input is the end of the input.
bool is_asker_connected() {
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  return ::poll(&input, 1, 0) == 0;
}

class Observer {
 public:
  void answer(const Message& question) {
    if (const auto* what = std::get_if<List>(&question)) say(list(*what));
    if (const auto* watch = std::get_if<Watch>(&question)) say(answer(*watch));
    if (const auto* find = std::get_if<FindPlaces>(&question)) say(answer(*find));
    if (const auto* trace = std::get_if<Trace>(&question)) say(answer(*trace));
    if (std::holds_alternative<AskTime>(question))
      say(Time{static_cast<std::int64_t>(monotonic_ns())});
  }

 private:
  static Listed list(const List& what) {
    const jobs::FoundJobs found =
        jobs::find_jobs(what.all ? jobs::Whose::everybody : jobs::Whose::mine);
    return {jobs::rows_of(found), found.notes};
  }

  Watched answer(const Watch& watch) {
    const std::optional<jobs::FoundJob>& job = find(watch.job);
    if (!job) return {};
    jobs::JobSeen seen =
        jobs::watch(*job, std::chrono::milliseconds(watch.time_ms), &is_asker_connected);
    if (watch.name_awaited_words) stacks::name_words(seen);
    return {std::move(seen)};
  }

  Places answer(const FindPlaces& places) {
    const std::optional<jobs::FoundJob>& job = find(places.job);
    if (!job) return {};
    return {stacks::find_places(*job, places.ranks)};
  }

  Traced answer(const Trace& trace) {
    const std::optional<jobs::FoundJob>& job = find(trace.job);
    if (!job) return {};
    return {trace::trace_job(*job, std::chrono::milliseconds(trace.time_ms), &is_asker_connected)};
  }

  // Found once, because the mapping stays valid. An id identifies one job among those of all users.
  const std::optional<jobs::FoundJob>& find(const std::string& id) {
    if (!job_ || job_->id() != id) job_ = jobs::take(jobs::find_jobs(jobs::Whose::everybody), id);
    return job_;
  }

  std::optional<jobs::FoundJob> job_;
};

}  // namespace

int run_observer() {
  ::signal(SIGPIPE, SIG_IGN);
  say(Greeting{GONDWANA_VERSION, memory_fingerprint});
  Observer observer;
  MessageParser parser;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return 0;
    parser.add({buffer.data(), static_cast<std::size_t>(count)});
    const Result<std::optional<Message>> question = parser.next();
    if (!question) {
      complain("ps", question.error().text);
      return 1;
    }
    if (*question) observer.answer(**question);
  }
}

}  // namespace gondwana::hosts
