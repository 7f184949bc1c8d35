#include "run/node/guardian.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>

#include "bootstrap/protocol.hpp"
#include "core/host_name.hpp"
#include "core/machine.hpp"
#include "run/command_line/rank_variable.hpp"
#include "run/node/exit_status.hpp"
#include "run/node/needed_libraries.hpp"

namespace gondwana::launch {
namespace {

constexpr std::uint64_t second_ns = 1'000'000'000;
constexpr std::uint64_t grace_ns = 2 * second_ns;       // from our SIGTERM to SIGKILL
constexpr std::uint64_t user_grace_ns = 5 * second_ns;  // from a forwarded INT or TERM
constexpr std::uint64_t last_words_ns = second_ns;      // to write output nobody may read
constexpr std::uint64_t send_again_ns = 1'000'000;

// Whether the process has a handler for the signal; no where that cannot be known.
bool catches(pid_t pid, int signal) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  constexpr std::string_view caught = "SigCgt:";
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(caught)) continue;
    const std::uint64_t signals = std::strtoull(line.c_str() + caught.size(), nullptr, 16);
    return (signals >> (signal - 1) & 1) != 0;
  }
  return false;
}

NodeShare node_share(const Job& job) {
  const Share& share = job.share;
  if (share.nodes <= 1) return NodeShare::whole(job.ranks());
  return {job.ranks(), share.first, share.node, share.nodes, share.total};
}

}  // namespace

Guardian::Guardian(const Job& job, SweeperLink sweeper, UniqueFd orders, Poller poller)
    : job_(job),
      sweeper_(std::move(sweeper)),
      poller_(std::move(poller)),
      events_(poller_, std::move(orders)),
      uplink_(job.share.has_conductor() ? std::make_unique<Uplink>(poller_, job) : nullptr),
      own_output_(uplink_
                      ? nullptr
                      : std::make_unique<OwnOutput>(poller_, LineStyle{job.label, job.timestamps})),
      output_(poller_, uplink_ ? static_cast<OutputSink&>(uplink_->output()) : *own_output_),
      terminal_(poller_, 1),
      input_(poller_, uplink_ ? uplink_->reports_of_input()
                              : RankInput::Handlers{
                                    [this](std::uint64_t bytes) { terminal_.on_taken(bytes); },
                                    [this] { terminal_.stop(); }}),
      wire_(node_share(job), job.share.tag,
            [this](const char* name) { return value_for_ranks(job_, name); }),
      programs_(poller_),
      images_(poller_, [this](std::uint32_t) { on_leaving(); }),
      ranks_(job.ranks()) {}

int Guardian::run() {
  Result<void> started = prepare();
  if (started) started = start_ranks();
  if (!started) fail(started.error(), exit_status(started.error().code));
  while (!ending_.over()) {
    poller_.wait(next_timeout_ms());
    step();
  }
  return finish();
}

void Guardian::step() {
  const std::uint64_t now = monotonic_ns();
  if (time_up_ns_ && now >= *time_up_ns_) on_time_up();
  for (const std::uint32_t rank : std::exchange(send_later_, {})) send_job(rank);
  if (const auto program = programs_.overdue()) on_program_lost(*program);
  if (const auto program = images_.overdue()) on_image_lost(*program);
  look_for_absentees();
  look_for_deadlock();
  terminal_.step();
  if (uplink_) uplink_->step();
  output_.step();
  if (output_.failure() != 0) on_output_failed(output_.failure());
  if (agent_.waits_for_memory) send_job_to_agent();
  if (alive_ == 0) {
    release_agent();
    ending_.ask(grace_ns);
  }
  ending_.step();
}

int Guardian::next_timeout_ms() const {
  std::uint64_t next = std::numeric_limits<std::uint64_t>::max();
  const auto consider = [&](std::optional<std::uint64_t> due) {
    next = std::min(next, due.value_or(next));
  };
  const std::uint64_t now = monotonic_ns();
  consider(time_up_ns_);
  consider(ending_.next_ns());
  consider(programs_.next_ns());
  consider(images_.next_ns());
  consider(output_.next_ns());
  consider(terminal_.next_ns());
  if (uplink_) consider(uplink_->next_ns());
  if (!send_later_.empty() || agent_.waits_for_memory) consider(now + send_again_ns);
  if (alive_ == 0) consider(now);
  if (ending_.state() == Ending::State::idle) {
    consider(absentees_.next_ns());
    consider(deadlock_.next_ns());
  }
  if (next == std::numeric_limits<std::uint64_t>::max()) return -1;
  const std::uint64_t rounded_up = next > now ? (next - now + 999'999) / 1'000'000 : 0;
  return static_cast<int>(std::min<std::uint64_t>(rounded_up, 1'000'000));
}

void Guardian::on_signal(int signal) {
  const bool to_end = signal == SIGINT || signal == SIGTERM;
  if (signal == SIGUSR1) return on_question();
  if (to_end && ending_.state() == Ending::State::idle && wire_.anybody_joined())
    say_where_ranks_are();
  if (to_end && ending_.over()) abandon_output_ = true;
  if (to_end && ending_.state() != Ending::State::idle) return ending_.kill();
  signal_ranks(signal);
  if (!to_end) return;
  signal_ranks(SIGCONT);  // who is stopped could not hear it
  ending_.wait_at_most(user_grace_ns);
}

// Where the ranks are. A rank that knows the signal gets it too; it would end any other.
void Guardian::on_question() {
  say_where_ranks_are();
  for (const RankRecord& record : ranks_)
    if (record.alive && catches(record.pid, SIGUSR1)) ::kill(-record.pid, SIGUSR1);
}

// The ranks end in silence: who began it has said why.
void Guardian::on_failure_elsewhere() {
  if (ending_.state() == Ending::State::idle) say_who_waits();
  ending_.ask(grace_ns);
}

void Guardian::on_launcher_lost(const std::string& sentence) {
  launcher_lost_ = true;
  end_job(exit_signal_base + SIGKILL, sentence);
}

// All others are orphans of the ranks, which only need to be reaped.
void Guardian::on_child_ended(pid_t pid, int wait_status) {
  if (pid == agent_.pid) on_agent_ended(wait_status);
  if (const auto found = rank_of_.find(pid); found != rank_of_.end()) {
    const std::uint32_t rank = found->second;
    rank_of_.erase(found);
    on_rank_ended(rank, wait_status);
  }
}

void Guardian::on_rank_ended(std::uint32_t rank, int wait_status) {
  RankRecord& record = ranks_[rank];
  // What it said last, such as the status for all, counts before how it ended.
  if (record.socket) on_socket(rank);
  close_socket(rank);
  programs_.forget(rank);
  images_.forget(rank);
  record.alive = false;
  --alive_;
  if (::kill(-record.pid, 0) != 0 && errno == ESRCH) {
    sweeper_.remove(record.pid);
    ending_.remove_group(record.pid);
  }
  if (job_.reader == global(rank)) input_.stop();
  const int status = exit_status(wait_status);
  if (ending_.state() != Ending::State::idle) return settle(status);

  Death death{.rank = global(rank),
              .pid = record.pid,
              .wait_status = wait_status,
              .ended_ns = monotonic_ns(),
              .joined = wire_.has_joined(rank),
              .page = wire_.page(rank)};
  if (!ends_job(death)) {
    if (status == 0 && wire_.state(rank) == RankState::absent) on_absent(rank);
    if (wire_.state(rank) == RankState::finalized) on_leaving();
    return settle(status);
  }
  if (status == exit_signal_base + SIGKILL) death.oom = oom_.look();
  end_job_because(describe(death, all_alive()), status != 0 ? status : exit_failure);
}

void Guardian::on_program_lost(const ProgramWatch::Ended& program) {
  const auto& [rank, pid, at_ns] = program;
  if (wire_.state(rank) == RankState::absent) {
    on_absent(rank);
  } else if (ending_.state() == Ending::State::idle && wire_.state(rank) != RankState::finalized) {
    const Death death{.rank = global(rank),
                      .pid = pid,
                      .ended_ns = at_ns,
                      .joined = true,
                      .page = wire_.page(rank)};
    const auto others =
        static_cast<std::uint32_t>(survivors().size()) + job_.share.total - job_.ranks();
    end_job_because(describe_under(ranks_[rank].pid, death, others), exit_failure);
  }
  programs_.forget(rank);
}

// A program that ends is told elsewhere. One that never called shmem_init may start by exec the
// program that is the rank, and a rank that has finalized may run what it likes.
void Guardian::on_image_lost(const ProgramWatch::Ended& program) {
  const auto& [rank, pid, at_ns] = program;
  const RankState state = wire_.state(rank);
  const bool takes_part = state == RankState::joined || state == RankState::running;
  if (takes_part && ending_.state() == Ending::State::idle && has_replaced_its_program(pid)) {
    const Death death{.rank = global(rank),
                      .pid = pid,
                      .ended_ns = at_ns,
                      .joined = true,
                      .page = wire_.page(rank)};
    end_job_because(describe_replaced(death, all_alive() - 1), exit_failure);
  }
  images_.forget(rank);
}

void Guardian::on_absent(std::uint32_t rank) {
  absentees_.add(global(rank));
  if (uplink_) uplink_->tell(Left{global(rank)});
}

void Guardian::look_for_absentees() {
  if (!absentees_.is_due() || ending_.state() != Ending::State::idle) return;
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    if (!ranks_[rank].alive || wire_.state(rank) == RankState::absent) continue;
    return fail({Errc::peer_lost,
                 fmt::format("rank {} ended before it joined the job, which rank {} has joined; "
                             "all ranks are ended",
                             absentees_.first(), global(rank))});
  }
}

void Guardian::on_leaving() {
  deadlock_.suspect();
}

void Guardian::look_for_deadlock() {
  if (!deadlock_.is_due() || ending_.state() != Ending::State::idle) return;
  if (job_.share.nodes > 1) return hear_of_deadlock();
  std::vector<Sleeper> sleepers;
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
    if (ranks_[rank].alive && wire_.state(rank) != RankState::finalized)
      sleepers.push_back({rank, ranks_[rank].program, wire_.page(rank)});
  if (!deadlock_.holds(sleepers)) return;
  std::vector<std::uint32_t> ended;
  std::vector<std::uint32_t> in_exit;
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    if (!ranks_[rank].alive)
      ended.push_back(global(rank));
    else if (is_in_exit(*wire_.page(rank)))
      in_exit.push_back(global(rank));
  }
  if (ended.empty() && in_exit.empty()) return;  // another fault: --timeout and SIGUSR1 show it
  end_job_because(describe_deadlock(ended, in_exit), exit_failure);
}

// Of a job on several nodes no guardian sees all ranks: the node agents look.
void Guardian::hear_of_deadlock() {
  deadlock_.look_later();
  const NodeHeader& header = wire_.header();
  if (header.is_over.load(std::memory_order_acquire) == 1)  // pairs with the release by the agent
    end_job(exit_failure, header.why.data());
}

std::vector<Survivor> Guardian::survivors() const {
  std::vector<Survivor> result;
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
    if (ranks_[rank].alive && !programs_.has_ended(rank) && !images_.has_ended(rank))
      result.push_back({global(rank), wire_.page(rank)});
  return result;
}

void Guardian::on_socket(std::uint32_t rank) {
  while (ranks_[rank].socket && is_readable(ranks_[rank].socket.get())) {
    // No tag is asked for: the socket pair is known to one rank only, and a Join comes before it.
    Result<std::optional<protocol::Received>> received =
        protocol::receive(ranks_[rank].socket.get(), 0, 0);
    if (!received) {
      close_socket(rank);
      return fail(
          {received.error().code, fmt::format("rank {}: {}", global(rank), received.error().text)});
    }
    if (!*received) return close_socket(rank);
    const protocol::Message& message = (*received)->message;
    if (const auto* join = std::get_if<protocol::Join>(&message))
      on_join(rank, *join, std::move((*received)->attachment));
    if (const auto* image = std::get_if<protocol::Image>(&message))
      images_.watch(rank, static_cast<pid_t>(image->pid), std::move((*received)->attachment));
    if (const auto* exit = std::get_if<protocol::GlobalExit>(&message)) {
      // The first word counts, even where another rank has just ended with a status of its own.
      if (ending_.state() == Ending::State::idle) status_ = exit->status & 0xff;
      end_job(exit->status & 0xff);
    }
  }
  if (ranks_[rank].socket) send_job(rank);
}

void Guardian::on_join(std::uint32_t rank, const protocol::Join& join, UniqueFd end) {
  if (const Result<void> joined = wire_.join(rank); !joined) return fail(joined.error());
  need_agent();
  const auto pid = static_cast<pid_t>(join.pid);
  if (pid == ranks_[rank].pid) end.reset();  // our child: SIGCHLD will tell
  programs_.watch(rank, pid, std::move(end));
  ranks_[rank].program = pid;
  absentees_.remove(global(rank));
}

void Guardian::send_job(std::uint32_t rank) {
  const RankRecord& record = ranks_[rank];
  if (!record.socket) return;
  const WireUp::Progress progress = wire_.advance(rank, record.socket.get());
  if (progress == WireUp::Progress::try_later) send_later_.push_back(rank);
  const bool full = progress == WireUp::Progress::wait_for_room;
  const std::uint32_t events = full ? EPOLLIN | EPOLLOUT : EPOLLIN;
  if (const Result<void> watched =
          poller_.watch(record.socket.get(), events, [this, rank] { on_socket(rank); });
      !watched)
    fail(watched.error());
}

void Guardian::close_socket(std::uint32_t rank) {
  UniqueFd& socket = ranks_[rank].socket;
  if (!socket) return;
  poller_.forget(socket.get());
  socket.reset();
}

void Guardian::on_time_up() {
  time_up_ns_.reset();
  if (ending_.state() != Ending::State::idle) return;
  status_ = exit_timeout;
  announce_end(exit_timeout,
               fmt::format("the job runs longer than --timeout {} s; its {} ranks are ended",
                           static_cast<double>(job_.timeout->count()) / 1000, alive_));
  if (wire_.anybody_joined()) say_where_ranks_are();
  ending_.ask(grace_ns);
}

// As under mpirun, nobody to read the output means the end of the job, without a word: | head.
void Guardian::on_output_failed(int reason) {
  if (std::exchange(output_lost_, true)) return;
  if (reason == EPIPE) return end_job(exit_signal_base + SIGPIPE);
  output_.say(fmt::format("cannot write to the standard output: {}; what the ranks write is lost",
                          std::strerror(reason)));
}

void Guardian::signal_ranks(int signal) const {
  for (const RankRecord& record : ranks_)
    if (record.alive) ::kill(-record.pid, signal);
}

void Guardian::settle(int status) {
  if (!status_ && status != 0) status_ = status;
}

void Guardian::announce_end(int status, const std::string& sentence) {
  settle(status);
  if (uplink_)
    uplink_->tell(Stopping{static_cast<std::uint32_t>(status), sentence});
  else if (!sentence.empty())
    output_.say(sentence);
}

void Guardian::end_job(int status, const std::string& sentence) {
  announce_end(status, sentence);
  ending_.ask(grace_ns);
}

void Guardian::end_job_because(const std::string& sentence, int status) {
  announce_end(status, sentence);
  say_who_waits();
  ending_.ask(grace_ns);
}

void Guardian::say_who_waits() {
  const std::vector<Survivor> ranks = survivors();
  if (!describe_waiting(ranks).empty()) output_.say(describe_ranks(ranks));
}

void Guardian::say_where_ranks_are() {
  const std::vector<Survivor> ranks = survivors();
  if (!ranks.empty()) output_.say(describe_ranks(ranks));
}

// Of programs that never ask to join, such as hostname, it says nothing.
void Guardian::say_who_took_no_part() {
  std::vector<std::uint32_t> silent;
  for (const std::uint32_t rank : absentees_.ranks()) {
    const std::uint32_t here = rank - job_.share.first;
    if (rank >= job_.share.first && here < ranks_.size() && wire_.has_joined(here))
      silent.push_back(rank);
  }
  if (status_ || silent.empty()) return;
  output_.say(fmt::format("rank{} {} ended without a call of shmem_init or gex_Client_Init",
                          silent.size() == 1 ? "" : "s", format_ranks(silent)));
}

void Guardian::say_what_was_no_job() {
  std::uint32_t first = 0;
  for (const Program& program : job_.programs) {
    std::vector<std::uint32_t> ranks;
    for (std::uint32_t rank = first; rank < first + program.ranks; ++rank)
      if (!wire_.has_joined(rank)) ranks.push_back(global(rank));
    first += program.ranks;
    if (ranks.size() < program.ranks || job_.share.total == 1) continue;
    const std::string library = other_runtime(program.path);
    if (library.empty()) continue;
    output_.say(describe_no_job(ranks, program.words[0], library));
  }
}

void Guardian::fail(const Error& error, int status) {
  const bool first = ending_.state() == Ending::State::idle;
  const std::string where = uplink_ ? fmt::format("host {}: ", host_name().data()) : "";
  end_job(status, first ? where + error.text : "");
}

int Guardian::finish() {
  if (ending_.state() == Ending::State::given_up) {
    output_.say(fmt::format("processes that cannot be killed are left: {}",
                            fmt::join(descendants(), ", ")));
  }
  say_who_took_no_part();
  say_what_was_no_job();
  // However long it takes, as long as somebody may want to read it.
  const std::uint64_t start = monotonic_ns();
  while (!output_.drain() && !abandon_output_) {
    if (launcher_lost_ && monotonic_ns() > start + last_words_ns) break;
    poller_.wait(launcher_lost_ ? 10 : -1);
  }
  if (output_.failure() != 0) on_output_failed(output_.failure());
  output_.drain();
  const int status = status_.value_or(output_lost_ ? exit_failure : 0);
  if (uplink_) report_end(status);
  return status;
}

void Guardian::report_end(int status) {
  uplink_->tell(Ended{static_cast<std::uint32_t>(status)});
  while (!uplink_->output().flush() && !launcher_lost_) {
    poller_.wait(next_timeout_ms());
    uplink_->step();
  }
}

}  // namespace gondwana::launch
