#include "run/remote/remote_launcher.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/complain.hpp"
#include "base/exit_status.hpp"
#include "core/host_name.hpp"
#include "run/launcher.hpp"
#include "run/node/job_files.hpp"
#include "run/remote/frames.hpp"

namespace gondwana::launch {
namespace {

// Reads the first frame and no byte beyond it: the next one is for the guardian.
Result<Task> read_task() {
  FrameParser parser;
  std::array<char, 4096> buffer;
  for (;;) {
    const std::size_t want = std::min(parser.missing(), buffer.size());
    const ssize_t count = ::read(STDIN_FILENO, buffer.data(), want);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Error{Errc::peer_lost, "the launcher ended before it sent the job"};
    parser.add({buffer.data(), static_cast<std::size_t>(count)});
    Result<std::optional<Frame>> frame = parser.next();
    if (!frame) return frame.error();
    if (!*frame) continue;
    auto* task = std::get_if<Task>(&**frame);
    if (task == nullptr) return Error{Errc::malformed, "the launcher's first message is not a job"};
    task->job.share.tag = parser.tag();
    return std::move(*task);
  }
}

void write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;  // the launcher has gone
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

// The job ends before it begins.
int report(const Error& error, const Task& task) {
  const auto status = static_cast<std::uint32_t>(exit_status(error.code));
  const std::string sentence = fmt::format("host {}: {}", host_name().data(), error.text);
  for (const Frame& frame :
       {Frame(Hello{}), Frame(Stopping{status, sentence}), Frame(Ended{status})})
    write_all(encode(frame, task.job.share.tag));
  return static_cast<int>(status);
}

Result<void> prepare(Task& task) {
  for (const std::string& assignment : task.environment) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos) continue;
    ::setenv(assignment.substr(0, equals).c_str(), assignment.c_str() + equals + 1, 1);
  }
  // If each program has its own folder, the launcher's folder is not needed.
  const bool any_will_do = std::ranges::all_of(
      task.job.programs, [](const Program& one) { return one.folder.starts_with('/'); });
  if (::chdir(task.folder.c_str()) != 0 && !any_will_do) {
    const std::string name = task.folder.empty() ? "without a name" : task.folder;
    return Error{Errc::invalid_argument,
                 fmt::format("cannot change to folder {}, where the job was started: {}; use "
                             "--wdir with a folder that all hosts have",
                             name, std::strerror(errno))};
  }
  return find_files(task.job);
}

}  // namespace

int run_remote_launcher() {
  Result<Task> task = read_task();
  if (!task) {
    complain("run", task.error().text);
    return exit_failure;
  }
  if (const Result<void> prepared = prepare(*task); !prepared)
    return report(prepared.error(), *task);
  return start_job(task->job);
}

}  // namespace gondwana::launch
