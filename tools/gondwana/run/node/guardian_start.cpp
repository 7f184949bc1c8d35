// The part of the guardian that starts the job.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/pipe.hpp"
#include "bootstrap/protocol.hpp"
#include "core/host_name.hpp"
#include "core/machine.hpp"
#include "core/new_file.hpp"
#include "core/variables.hpp"
#include "run/command_line/room.hpp"
#include "run/node/guardian.hpp"

#include "base/processors.hpp"

namespace gondwana::launch {
namespace {

// Descriptors are what runs out first, where others have opened some since we looked.
Error no_descriptor(std::string_view what, std::uint32_t rank) {
  return {Errc::out_of_memory,
          fmt::format("cannot make {} of rank {}: {}{}", what, rank, std::strerror(errno),
                      errno == EMFILE ? "; raise ulimit -n" : "")};
}

// The library sees to programs that print by the C library. Fortran and Python have buffers of
// their own.
void print_by_line(EnvironmentBlock& environment) {
  const std::string name = variable(VariableId::gondwana_stdout_buffer).name;
  const std::optional<std::string_view> own = environment.value(name);
  if (own.value_or(own_setting(VariableId::gondwana_stdout_buffer).value) == "full") return;
  for (const std::string assignment : {"GFORTRAN_UNBUFFERED_PRECONNECTED=y", "PYTHONUNBUFFERED=1"})
    if (!environment.value(assignment.substr(0, assignment.find('=')))) environment.set(assignment);
}

}  // namespace

Result<void> Guardian::prepare() {
  ::getrlimit(RLIMIT_NOFILE, &descriptors_);
  rlimit most = descriptors_;
  most.rlim_cur = most.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &most);
  if (job_.timeout) {
    const auto limit = std::chrono::nanoseconds(*job_.timeout);
    time_up_ns_ = monotonic_ns() + static_cast<std::uint64_t>(limit.count());
  }
  if (Result<void> room = look_for_room(job_); !room) return room;
  Result<std::vector<Place>> places = plan_binding(job_.binding, job_.ranks());
  if (!places) return Error{Errc::invalid_argument, places.error().text};
  places_ = *std::move(places);
  return watch_processes();
}

Result<void> Guardian::watch_processes() {
  Result<void> started = events_.start(
      {.on_signal = [this](int signal) { on_signal_here(signal); },
       .on_launcher_lost =
           [this] {
             const std::string where =
                 uplink_ ? fmt::format(" on host {}", host_name().data()) : "";
             on_launcher_lost(fmt::format("the launcher{} was killed; its ranks are ended", where));
           },
       .on_child_ended = [this](pid_t pid, int status) { on_child_ended(pid, status); }});
  if (started)  // a pipe that nobody reads any more has an error, and no other event
    started = poller_.watch(sweeper_.descriptor(), 0, [this] { on_sweeper_lost(); });
  if (!started || !uplink_) return started;
  return uplink_->start({.on_signal =
                             [this](int signal) {
                               if (events_.counts(signal, ProcessEvents::Way::from_conductor))
                                 on_signal(signal);
                             },
                         .on_end = [this](const End& end) { on_end_elsewhere(end); },
                         .on_left = [this](std::uint32_t rank) { absentees_.add(rank); },
                         .on_input = [this](std::string_view text) { input_.add(text); },
                         .on_lost = [this](const auto& sentence) { on_launcher_lost(sentence); }});
}

Result<void> Guardian::start_ranks() {
  std::uint32_t rank = 0;
  for (const Program& program : job_.programs) {
    EnvironmentBlock environment(environ);
    for (const std::string& assignment : program.environment) environment.set(assignment);
    environment.set(fmt::format("GONDWANA_SIZE={}", job_.share.total));
    if (job_.output_folder.empty()) print_by_line(environment);
    for (std::uint32_t i = 0; i < program.ranks; ++i, ++rank)
      if (Result<void> done = start_rank_of(program, environment, rank); !done) return done;
  }
  return {};
}

Result<void> Guardian::start_rank_of(const Program& program, EnvironmentBlock& environment,
                                     std::uint32_t rank) {
  Result<UniqueFd> input = open_input(rank);
  if (!input) return input.error();
  Result<UniqueFd> output = open_output(rank, Standard::output);
  if (!output) return output.error();
  Result<UniqueFd> error = open_output(rank, Standard::error);
  if (!error) return error.error();
  Result<UniqueFd> join = open_join_socket(rank);
  if (!join) return join.error();
  environment.set(fmt::format("GONDWANA_RANK={}", global(rank)));
  environment.set(fmt::format("{}={}", protocol::join_fd_variable, join->get()));

  RankStart start;
  start.path = program.path;
  for (const std::string& word : program.words)
    start.words.push_back(const_cast<char*>(word.c_str()));
  start.words.push_back(nullptr);
  start.environment = environment.pointers();
  start.folder = program.folder;
  start.input = input->get();
  start.output = output->get();
  start.error = error->get();
  start.join = join->get();
  start.descriptors = descriptors_;
  if (!places_.empty()) start.processors = &places_[rank].processors;
  const Result<pid_t> pid = start_rank(start);
  if (!pid) return pid.error();
  on_rank_started(program, rank, *pid);
  return {};
}

void Guardian::on_rank_started(const Program& program, std::uint32_t rank, pid_t pid) {
  ranks_[rank].pid = pid;
  ranks_[rank].alive = true;
  sweeper_.add(pid);
  ending_.add_group(pid);
  rank_of_[pid] = rank;
  ++alive_;
  if (job_.verbose)
    output_.say(fmt::format("rank {}{} is pid {}: {}", global(rank),
                            uplink_ ? fmt::format(" on host {}", host_name().data()) : "", pid,
                            fmt::join(program.words, " ")));
  if (job_.report_bindings) report_binding(rank);
}

Result<UniqueFd> Guardian::open_input(std::uint32_t rank) {
  const bool reads = job_.reader == global(rank);
  if (reads && uplink_) return input_.start();
  if (reads && ::isatty(STDIN_FILENO) == 1) {
    terminal_.start([this](const std::string& text) { input_.add(text); });
    return input_.start();
  }
  UniqueFd input(reads ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                       : ::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!input) return no_descriptor("the standard input", rank);
  return input;
}

// A file is the rank's own: what goes there needs neither order nor our help.
Result<UniqueFd> Guardian::open_output(std::uint32_t rank, Standard which) {
  if (!job_.output_folder.empty()) {
    const std::string path = fmt::format("{}/rank.{}.{}", job_.output_folder, global(rank),
                                         which == Standard::output ? "out" : "err");
    Result<UniqueFd> file = open_to_append(path);
    if (file) return file;
    if (file.error().code == Errc::out_of_memory) return no_descriptor("the output files", rank);
    return Error{Errc::refused, fmt::format("cannot write {}: {}", path, file.error().text)};
  }
  Result<Pipe> pipe = make_pipe(fmt::format("the output pipes of rank {}", rank));
  if (!pipe) return pipe.error();
  make_non_blocking(pipe->from);
  if (const Result<void> added = output_.add(global(rank), which, std::move(pipe->from)); !added)
    return added.error();
  return std::move(pipe->to);
}

Result<UniqueFd> Guardian::open_join_socket(std::uint32_t rank) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return no_descriptor("the launch socket", rank);
  ranks_[rank].socket = UniqueFd(ends[0]);
  UniqueFd to_us(ends[1]);
  const Result<void> watched = poller_.watch(ends[0], EPOLLIN, [this, rank] { on_socket(rank); });
  if (!watched) return watched.error();
  return to_us;
}

void Guardian::report_binding(std::uint32_t rank) {
  if (!places_.empty()) {
    const Place& place = places_[rank];
    output_.say(fmt::format("rank {} on host {} is bound to {}: processors {}", global(rank),
                            host_name().data(), place.name, format_processors(place.processors)));
    return;
  }
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  ::sched_getaffinity(0, sizeof(allowed), &allowed);
  output_.say(fmt::format("rank {} on host {} is not bound: processors {}", global(rank),
                          host_name().data(), format_processors(allowed)));
}

}  // namespace gondwana::launch
