#include "run/node/guardian.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "base/exit_status.hpp"
#include "bootstrap/protocol.hpp"
#include "core/host_name.hpp"
#include "core/machine.hpp"
#include "memory/job_end.hpp"
#include "run/command_line/rank_variable.hpp"
#include "run/io/next_time.hpp"

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
      sweeper_pid_(::getppid()),
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
      wire_(node_share(job), job.share.tag, Environment::with_site_file([this](const char* name) {
              return value_for_ranks(job_, name);
            })),
      programs_(poller_),
      images_(poller_, {.on_word = [this](std::uint32_t) { on_leaving(); },
                        .on_end = [this](const auto& program) { on_image_end(program); }}),
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
  look_for_lost_agent();
  terminal_.step();
  if (uplink_) uplink_->step();
  output_.step();
  if (output_.failure() != 0) on_output_failed(output_.failure());
  if (agent_.waits_for_memory) send_job_to_agent();
  events_.tell_held();
  if (alive_ == 0) {
    release_agent();
    ending_.ask(grace_ns);
  }
  ending_.step();
}

int Guardian::next_timeout_ms() const {
  NextTime next;
  next.consider(time_up_ns_);
  next.consider(ending_.next_ns());
  next.consider(programs_.next_ns());
  next.consider(images_.next_ns());
  next.consider(output_.next_ns());
  next.consider(terminal_.next_ns());
  if (uplink_) next.consider(uplink_->next_ns());
  if (!send_later_.empty() || agent_.waits_for_memory)
    next.consider(monotonic_ns() + send_again_ns);
  if (alive_ == 0) next.consider(0);
  if (ending_.state() == Ending::State::idle) {
    next.consider(absentees_.next_ns());
    next.consider(deadlock_.next_ns());
    if (agent_.lost) next.consider(agent_.lost->tell_at_ns);
  }
  return next.timeout_ms();
}

void Guardian::on_signal(int signal) {
  const bool to_end = signal == SIGINT || signal == SIGTERM;
  if (signal == SIGUSR1) return on_question();
  if (ending_.state() == Ending::State::idle && wire_.anybody_joined()) {
    // Where there is a conductor, it says why.
    if (signal == SIGTERM) say_where_ranks_are();
    if (signal == SIGINT && !uplink_) say_why_at_once();
    if (signal == SIGQUIT && !uplink_) say_why();
  }
  if (to_end && ending_.over()) abandon_output_ = true;
  if (to_end && ending_.state() != Ending::State::idle) return ending_.kill();
  signal_ranks(signal);
  if (!to_end) return;
  signal_ranks(SIGCONT);  // a stopped process could not hear it
  ending_.wait_at_most(user_grace_ns);
}

// A batch system or an administrator ends what is on this host. The others would wait for it.
void Guardian::on_signal_here(int signal) {
  const bool to_end = signal == SIGINT || signal == SIGTERM;
  if (to_end && uplink_ && ending_.state() == Ending::State::idle) {
    announce_end(exit_signal_base + signal,
                 fmt::format("the launcher on host {} has got {}; the job is ended",
                             host_name().data(), name_of_signal(signal)));
    if (signal == SIGINT && wire_.anybody_joined()) say_where_ranks_are();
  }
  on_signal(signal);
}

// No other process can take its place above the guardian.
void Guardian::on_sweeper_lost() {
  poller_.forget(sweeper_.descriptor());
  const std::string where = uplink_ ? fmt::format(" on host {}", host_name().data()) : "";
  output_.say(fmt::format(
      "the sweeper of the job (pid {}){} was killed; the job goes on, but if launcher and guardian "
      "are killed at once, processes that the ranks have started may be left",
      sweeper_pid_, where));
}

// Where the ranks are. A rank that knows the signal gets it too; it would end any other.
void Guardian::on_question() {
  say_where_ranks_are();
  for (const RankRecord& record : ranks_)
    if (record.alive && catches(record.pid, SIGUSR1)) ::kill(-record.pid, SIGUSR1);
}

// The ranks end in silence: the host where it began has said why.
void Guardian::on_end_elsewhere(const End& end) {
  failed_elsewhere_ = !end.is_on_purpose || end.status != 0;
  if (end.is_on_purpose) return end_ranks_on_purpose(static_cast<int>(end.status));
  // Where its time was over, the conductor has said why.
  const bool is_told = end.status == exit_timeout;
  if (ending_.state() == Ending::State::idle && !is_told) say_who_waits();
  // Where a batch system sends its signal to all processes, the ranks here may have it already.
  const int signal = static_cast<int>(end.status) - exit_signal_base;
  const bool is_signal = signal == SIGINT || signal == SIGTERM;
  if (is_signal && !events_.counts(signal, ProcessEvents::Way::by_end)) return;
  ending_.ask(is_signal ? user_grace_ns : grace_ns);
}

void Guardian::on_launcher_lost(const std::string& sentence) {
  launcher_lost_ = true;
  end_job(exit_signal_base + SIGKILL, sentence);
}

void Guardian::on_time_up() {
  time_up_ns_.reset();
  if (ending_.state() != Ending::State::idle) return;
  status_ = exit_timeout;
  announce_end(exit_timeout,
               fmt::format("the job runs longer than --timeout {} s; its {} ranks are ended",
                           static_cast<double>(job_.timeout->count()) / 1000, alive_));
  if (wire_.anybody_joined()) say_why();
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

void Guardian::end_on_purpose(int status) {
  if (uplink_) uplink_->tell(Stopping{static_cast<std::uint32_t>(status), "", true});
  end_ranks_on_purpose(status);
}

void Guardian::end_ranks_on_purpose(int status) {
  wire_.announce_purposeful_end(status);
  signal_ranks(SIGURG);  // see catch_end_signal
  ending_.ask_later(std::uint64_t{time_to_end.count()} * second_ns, grace_ns);
}

void Guardian::end_job_because(const std::string& sentence, int status) {
  announce_end(status, sentence);
  say_who_waits();
  ending_.ask(grace_ns);
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
  if (job_.trace.is_on()) deliver_trace();
  // However long it takes, as long as a reader is there.
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
