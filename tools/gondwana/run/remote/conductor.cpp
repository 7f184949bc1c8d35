#include "run/remote/conductor.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/exit_status.hpp"
#include "bootstrap/job_memory.hpp"
#include "core/load.hpp"
#include "core/machine.hpp"
#include "link/peer_timeout.hpp"
#include "link/way_to_host.hpp"
#include "observe/jobs/found_jobs.hpp"
#include "observe/trace/wire.hpp"
#include "report/trace/trace_file.hpp"
#include "report/why/report.hpp"
#include "run/command_line/sharing.hpp"
#include "run/command_line/task.hpp"
#include "run/io/next_time.hpp"

namespace gondwana::launch {
namespace {

constexpr std::uint64_t second_ns = 1'000'000'000;
constexpr std::uint64_t user_grace_ns = 10 * second_ns;  // from a second INT or TERM
constexpr std::uint64_t last_words_ns = second_ns;       // to write output nobody may read
constexpr std::uint64_t bury_ns = second_ns;             // to a process whose host is done
constexpr std::uint64_t look_ns = 5 * second_ns;
constexpr std::uint64_t look_at_interrupt_ns = second_ns;
constexpr std::uint64_t longest_look_ns = 20 * second_ns;
constexpr std::uint64_t taken_step = std::uint64_t{128} << 10;
constexpr std::uint64_t input_window = std::uint64_t{256} << 10;

}  // namespace

Conductor::Conductor(const Job& job, UniqueFd orders, Poller poller)
    : job_(job),
      poller_(std::move(poller)),
      events_(poller_, std::move(orders)),
      output_(poller_, {job.label, job.timestamps}),
      input_(poller_, input_window),
      parts_(share_out(job)) {}

int Conductor::run() {
  Result<void> started = prepare();
  if (started) started = start_hosts();
  if (!started) end_job(exit_failure, started.error().text);
  while (!is_over()) {
    poller_.wait(next_timeout_ms());
    step();
  }
  return finish();
}

Result<void> Conductor::prepare() {
  const Result<std::uint64_t> tag = random_number();
  if (!tag) return tag.error();
  const Result<std::uint32_t> peer_timeout = link::peer_timeout_of_user();
  if (!peer_timeout) return peer_timeout.error();
  for (Job& part : parts_) {
    part.share.tag = *tag;
    part.share.peer_timeout_s = *peer_timeout;
    part.prompts = output_.shows_prompts(Standard::output);
  }
  if (job_.timeout) {
    const auto limit = std::chrono::nanoseconds(*job_.timeout);
    time_up_ns_ = monotonic_ns() + static_cast<std::uint64_t>(limit.count());
  }
  if (*peer_timeout != 0) ping_every_ns_ = std::min(second_ns, *peer_timeout * second_ns / 4);
  return watch_processes();
}

Result<void> Conductor::watch_processes() {
  return events_.start({.on_signal = [this](int signal) { on_signal(signal); },
                        .on_launcher_lost = [this] { on_launcher_lost(); },
                        .on_child_ended =
                            [this](pid_t pid, int status) {
                              for (const HostRecord& record : hosts_)
                                if (record.connection->pid() == pid)
                                  record.connection->on_child_ended(status);
                            }});
}

Result<void> Conductor::start_hosts() {
  const std::vector<Host> hosts = hosts_in_use(job_);
  // Then nobody on the network need see the job.
  const bool stays_here = own_setting(VariableId::gondwana_network).is_default() &&
                          std::ranges::all_of(hosts, link::is_this_host, &Host::name);
  // As things are before anything of the job runs, which may change them.
  std::vector<Task> tasks;
  tasks.reserve(parts_.size());
  for (const Job& part : parts_) tasks.push_back(task_of(part));
  for (std::size_t node = 0; node < hosts.size(); ++node) {
    Task& task = tasks[node];
    if (stays_here) task.environment.emplace_back("GONDWANA_NETWORK=127.0.0.0/8");
    if (Result<void> started = start_host(hosts[node], std::move(task)); !started) return started;
  }
  return {};
}

Result<void> Conductor::start_host(const Host& host, Task task) {
  const Share share = task.job.share;
  HostRecord& record = hosts_.emplace_back();
  record.connection = std::make_unique<HostConnection>(poller_, host, share);
  HostConnection& connection = *record.connection;
  Result<void> started =
      connection.start([this](HostConnection& from, Frame& frame) { on_frame(from, frame); });
  if (!started) return started;
  const std::uint32_t first = index(task.job.node_ranks().front());
  const std::uint32_t last = index(task.job.node_ranks().back());
  connection.send(std::move(task));
  if (!job_.verbose) return {};
  const std::string ranks =
      last == first ? fmt::format("rank {}", last) : fmt::format("ranks {}-{}", first, last);
  output_.say(fmt::format("{} on host {}: pid {}: {}", ranks, connection.name(), connection.pid(),
                          fmt::join(words_to_start(host, share.peer_timeout_s), " ")));
  return {};
}

void Conductor::step() {
  const std::uint64_t now = monotonic_ns();
  if (time_up_ns_ && now >= *time_up_ns_) on_time_up();
  ping_hosts();
  for (HostRecord& record : hosts_) step_host(record);
  if (abandon_at_ns_ && now >= *abandon_at_ns_) abandon_silent_hosts();
  input_.step();
  output_.flush();
  if (output_.failure() != 0) on_output_failed(output_.failure());
  events_.tell_held();
}

// One that answers knows what it waits for.
void Conductor::abandon_silent_hosts() {
  for (const HostRecord& record : hosts_)
    if (record.connection->silence_ns() >= user_grace_ns / 2) record.connection->abandon();
  abandon_at_ns_ = monotonic_ns() + second_ns;
}

void Conductor::ping_hosts() {
  const std::uint64_t now = monotonic_ns();
  if (now < ping_at_ns_) return;
  send_to_all(Ping{now});
  ping_at_ns_ = now + ping_every_ns_;
}

void Conductor::step_host(HostRecord& record) {
  HostConnection& host = *record.connection;
  if (const std::optional<std::string> loss = host.loss()) end_job(host.loss_status(), *loss);
  const bool full = output_.is_full(Standard::output) || output_.is_full(Standard::error);
  if (record.written < taken_step || full) return;
  host.send(Taken{std::exchange(record.written, 0)});
}

int Conductor::next_timeout_ms() const {
  NextTime next;
  next.consider(ping_at_ns_);
  next.consider(time_up_ns_);
  next.consider(abandon_at_ns_);
  next.consider(input_.next_ns());
  next.consider(output_.next_ns());
  for (const HostRecord& record : hosts_) next.consider(record.connection->next_ns());
  return next.timeout_ms();
}

bool Conductor::is_over() const {
  return std::ranges::all_of(hosts_,
                             [](const HostRecord& one) { return one.connection->is_over(); });
}

// The remote launchers know what a signal means, and what a second one does. A host that is out of
// reach must not keep us after that.
void Conductor::on_signal(int signal) {
  const bool to_end = signal == SIGINT || signal == SIGTERM;
  if (to_end && is_over()) abandon_output_ = true;
  if (signal == SIGINT && !abandon_at_ns_ && !ending_) say_why(look_at_interrupt_ns);
  if (to_end && !abandon_at_ns_) abandon_at_ns_ = monotonic_ns() + user_grace_ns;
  if (signal == SIGQUIT && !ending_) say_why(std::min(stretched(look_ns), longest_look_ns));
  send_to_all(Signal{static_cast<std::uint32_t>(signal)});
}

// As `gondwana why` does. The hosts hear from us meanwhile, or they would take us for dead.
// A signal ends the look, and what it tells then.
void Conductor::say_why(std::uint64_t longest_ns) {
  const std::uint64_t end_ns = monotonic_ns() + longest_ns;
  bool is_left = false;
  const auto goes_on = [&] {
    ping_hosts();
    is_left = is_left || events_.hold();
    return !is_left && monotonic_ns() < end_ns;
  };
  const std::string id = jobs::FoundJob::id_of(job_number(parts_.front().share.tag));
  const std::string report = why::examine_job(id, hosts_in_use(job_), goes_on);
  if (!report.empty() && !is_left) output_.say(report);
}

void Conductor::on_launcher_lost() {
  launcher_lost_ = true;
  end_job(exit_signal_base + SIGKILL, "the launcher was killed; its ranks are ended");
}

void Conductor::on_frame(HostConnection& host, Frame& frame) {
  if (auto* output = std::get_if<Output>(&frame)) {
    hosts_[host.node()].written += output->text.size();
    return output_.write(output->rank, output->which, output->text);
  }
  if (const auto* said = std::get_if<Said>(&frame)) return output_.say(said->sentence);
  if (const auto* pong = std::get_if<Pong>(&frame)) return on_pong(host, *pong);
  if (std::holds_alternative<Hello>(frame)) return on_hello(host);
  if (const auto* taken = std::get_if<Taken>(&frame)) return input_.on_taken(taken->bytes);
  if (std::holds_alternative<Deaf>(frame)) return input_.stop();
  auto* info = std::get_if<ThisNode>(&frame);
  if (info != nullptr && !hosts_[host.node()].info)
    return on_node_info(host, std::move(info->info));
  if (const auto* left = std::get_if<Left>(&frame)) {
    for (const HostRecord& record : hosts_)
      if (record.connection.get() != &host) record.connection->send(*left);
    return;
  }
  if (const auto* stopping = std::get_if<Stopping>(&frame)) return on_stopping(*stopping);
  if (const auto* ended = std::get_if<Ended>(&frame)) return on_ended(host, ended->status);
  if (const auto* part = std::get_if<TracePart>(&frame))
    return on_trace(hosts_[host.node()], *part);
  host.abandon();
  end_job(exit_failure,
          fmt::format("host {} sent what a remote launcher never sends", host.name()));
}

void Conductor::on_hello(HostConnection& host) {
  if (!parts_[host.node()].reader) return;
  input_.start([&host](std::string text) { host.send(Input{std::move(text)}); });
}

// Of a job that is traced, clocks are compared by some pings at its start, and one a second after.
void Conductor::on_pong(HostConnection& host, const Pong& pong) {
  constexpr int at_once = 16;
  HostRecord& record = hosts_[host.node()];
  const std::uint64_t now = monotonic_ns();
  const auto error = static_cast<std::int64_t>(now - pong.sent_ns) / 2;
  if (!record.error_ns || error < *record.error_ns) {
    record.error_ns = error;
    record.ahead_ns = static_cast<std::int64_t>(pong.time_ns - pong.sent_ns) - error;
  }
  if (job_.trace.is_on() && ++record.pongs < at_once) host.send(Ping{now});
}

void Conductor::on_node_info(HostConnection& host, std::string info) {
  hosts_[host.node()].info = std::move(info);
  const auto has_info = [](const HostRecord& one) { return one.info.has_value(); };
  if (!std::ranges::all_of(hosts_, has_info) || hosts_.size() != parts_.size()) return;
  AllNodes all;
  for (const HostRecord& one : hosts_) all.infos.push_back(*one.info);
  send_to_all(all);
}

void Conductor::on_stopping(const Stopping& stopping) {
  if (!stopping.is_on_purpose) return end_job(static_cast<int>(stopping.status), stopping.sentence);
  if (std::exchange(ending_, true)) return;
  if (!status_) status_ = static_cast<int>(stopping.status);
  end_hosts({.is_on_purpose = true, .status = stopping.status});
}

void Conductor::on_ended(HostConnection& host, std::uint32_t status) {
  if (parts_[host.node()].reader) input_.stop();
  settle(static_cast<int>(status));
}

void Conductor::on_time_up() {
  time_up_ns_.reset();
  if (ending_) return;
  status_ = exit_timeout;
  output_.say(fmt::format("the job runs longer than --timeout {} s; its {} ranks are ended",
                          static_cast<double>(job_.timeout->count()) / 1000, job_.ranks()));
  say_why(std::min(stretched(look_ns), longest_look_ns));  // while the ranks live
  end_job(exit_timeout, "");
}

// As under mpirun, nobody to read the output means the end of the job, without a word: | head.
void Conductor::on_output_failed(int reason) {
  if (std::exchange(output_lost_, true)) return;
  if (reason == EPIPE) return end_job(exit_signal_base + SIGPIPE, "");
  output_.say(fmt::format("cannot write to the standard output: {}; what the ranks write is lost",
                          std::strerror(reason)));
}

void Conductor::send_to_all(const Frame& frame) {
  for (const HostRecord& record : hosts_)
    if (!record.connection->is_over()) record.connection->send(frame);
}

void Conductor::settle(int status) {
  if (!status_ && status != 0) status_ = status;
}

// The first word counts: what the others end with is our doing.
void Conductor::end_job(int status, const std::string& sentence) {
  if (std::exchange(ending_, true)) return;
  if (!status_) status_ = status;
  if (!sentence.empty()) output_.say(sentence);
  end_hosts({.is_on_purpose = false, .status = static_cast<std::uint32_t>(status)});
}

void Conductor::end_hosts(const End& end) {
  for (const HostRecord& record : hosts_) {
    HostConnection& host = *record.connection;
    if (host.is_over()) continue;
    if (host.has_said_hello())
      host.send(end);
    else
      host.abandon();
  }
}

void Conductor::on_trace(HostRecord& record, const TracePart& part) {
  record.trace_part += part.bytes;
  if (!part.is_last) return;
  Result<trace::NodeTrace> ranks = trace::decode(std::exchange(record.trace_part, {}));
  if (!ranks)
    return output_.say(
        fmt::format("--trace: host {}: {}", record.connection->name(), ranks.error().text));
  if (!record.trace) return void(record.trace = *std::move(ranks));
  for (trace::RankTrace& rank : ranks->ranks) record.trace->ranks.push_back(std::move(rank));
}

void Conductor::write_trace() {
  std::vector<trace::NodeTrace> nodes;
  for (HostRecord& record : hosts_) {
    if (!record.trace || !record.trace_part.empty())
      output_.say(
          fmt::format("--trace: events of node {} on host {} are missing: {}",
                      record.connection->node(), record.connection->name(),
                      record.trace_part.empty() ? "it has sent none" : "they did not come whole"));
    if (!record.trace) continue;
    record.trace->ahead_ns = record.ahead_ns;
    record.trace->error_ns = record.error_ns.value_or(0);
    nodes.push_back(*std::move(record.trace));
  }
  const Result<std::string> written = trace::write_trace(
      std::move(nodes), job_.trace.file, std::chrono::milliseconds(job_.trace.last_ms));
  output_.say("--trace: " + (written ? *written : written.error().text));
  if (!written) settle(exit_failure);
}

int Conductor::finish() {
  bury_processes();
  if (job_.trace.is_written(status_.value_or(0))) write_trace();
  output_.release();
  const std::uint64_t start = monotonic_ns();
  // However long it takes, as long as a reader is there.
  while (!output_.flush() && !abandon_output_) {
    if (launcher_lost_ && monotonic_ns() > start + last_words_ns) break;
    poller_.wait(launcher_lost_ ? 10 : -1);
  }
  if (output_.failure() != 0) on_output_failed(output_.failure());
  output_.flush();
  return status_.value_or(output_lost_ ? exit_failure : 0);
}

// ssh ends when its remote launcher has; one that hangs is killed.
void Conductor::bury_processes() {
  Ending ending;
  Descendants below;
  ending.wait_at_most(bury_ns, monotonic_ns());
  for (;;) {
    below.step(ending);
    if (ending.is_over()) return;
    poller_.wait(5);
  }
}

}  // namespace gondwana::launch
