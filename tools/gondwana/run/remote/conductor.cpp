#include "run/remote/conductor.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "bootstrap/job_memory.hpp"
#include "core/load.hpp"
#include "core/machine.hpp"
#include "link/peer_timeout.hpp"
#include "link/way_to_host.hpp"
#include "observe/jobs/found_jobs.hpp"
#include "report/trace/trace_file.hpp"
#include "report/why/report.hpp"
#include "run/command_line/sharing.hpp"
#include "run/io/final_output.hpp"
#include "run/io/next_time.hpp"
#include "run/node/descendants.hpp"
#include "run/overloaded.hpp"

namespace gondwana::launch {
namespace {

constexpr std::uint64_t close_timeout_ns = second_ns;       // timeout after the end of a host
constexpr std::uint64_t close_interval_ns = 3 * second_ns;  // timeout for the second end
constexpr std::uint64_t look_time_ns = 5 * second_ns;
constexpr std::uint64_t short_look_time_ns = second_ns;
constexpr std::uint64_t max_check_ns = 20 * second_ns;
constexpr std::uint64_t input_window = std::uint64_t{256} << 10;

}  // namespace

Conductor::Conductor(const Job& job, UniqueFd orders, Poller poller)
    : job_(job),
      poller_(std::move(poller)),
      events_(poller_, std::move(orders)),
      output_(poller_, {job.streams.label, job.streams.timestamps}),
      input_(poller_, input_window),
      parts_(share_out(job)),
      decisions_(job, parts_, monotonic_ns()),
      traces_(parts_.size()) {}

int Conductor::run() {
  Result<void> started = prepare();
  if (started) started = start_hosts();
  if (!started) handle(Failed{started.error()});
  while (!decisions_.is_over()) {
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
  const auto began_s = static_cast<std::uint64_t>(::time(nullptr));
  for (Job& part : parts_) {
    part.share.tag = *tag;
    part.share.began_s = began_s;
    part.share.peer_timeout_s = *peer_timeout;
    part.streams.prompts = output_.shows_prompts(Standard::output);
  }
  if (*peer_timeout != 0) ping_every_ns_ = std::min(second_ns, *peer_timeout * second_ns / 4);
  return events_.start(
      {.on_signal = [this](int signal) { handle(SignalCame{signal}); },
       .on_launcher_lost =
           [this] { handle(LauncherLost{"the launcher was killed; its ranks are ended"}); },
       .on_child_ended = [this](pid_t pid, int status) { on_child_ended(pid, status); }});
}

Result<void> Conductor::start_hosts() {
  const std::vector<Host> hosts = hosts_in_use(job_);
  // A job on this host alone need not use the network.
  stays_here_ = own_setting(VariableId::gondwana_network).is_default() &&
                std::ranges::all_of(hosts, link::is_this_host, &Host::name);
  // Taken before anything of the job runs, which may change them.
  std::vector<Task> tasks;
  tasks.reserve(parts_.size());
  for (const Job& part : parts_) tasks.push_back(task_of(part));
  pattern_ = tasks.front();
  known_hosts_ = hosts;
  for (std::size_t node = 0; node < hosts.size(); ++node) {
    Task& task = tasks[node];
    if (stays_here_) task.environment.emplace_back("GONDWANA_NETWORK=127.0.0.0/8");
    if (Result<void> started = start_host(hosts[node], std::move(task)); !started) return started;
  }
  return {};
}

Result<void> Conductor::start_host(const Host& host, Task task) {
  const Share share = task.job.share;
  const std::uint32_t node = share.node;
  HostConnection& connection =
      *hosts_.emplace_back(std::make_unique<HostConnection>(poller_, host, share));
  if (Result<void> started = connection.start(); !started) {
    hosts_.pop_back();
    return started;
  }
  nodes_.emplace(connection.pid(), node);
  handle(HostStarted{node, connection.facts()});
  if (Result<void> heard = connection.listen(
          [this, node](Frame& frame, std::uint64_t now) { on_frame(node, frame, now); },
          [this, node](const std::string& why) {
            handle(HostPipeEnded{node, why, stretched(close_interval_ns)});
          });
      !heard)
    return heard;
  const std::uint32_t first = index(task.job.node_ranks().front());
  const std::uint32_t last = index(task.job.node_ranks().back());
  connection.send(std::move(task));
  if (!job_.verbose) return {};
  const std::string ranks =
      last == first ? fmt::format("rank {}", last) : fmt::format("ranks {}-{}", first, last);
  output_.say(fmt::format("{} on host {}: pid {}: {}", ranks, connection.name(), connection.pid(),
                          fmt::join(start_command(host, share.peer_timeout_s), " ")));
  return {};
}

void Conductor::add_hosts(const StartHosts& start) {
  const std::vector<Host>& hosts = start.plan.hosts;
  if (stays_here_ && !std::ranges::all_of(hosts, link::is_this_host, &Host::name))
    return handle(GrowthFailed{
        "the ranks of this job reach each other by the loopback network only; start it with "
        "GONDWANA_NETWORK, or on another host, too"});
  traces_.resize(start.first + hosts.size());
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (std::ranges::find(known_hosts_, hosts[i].name, &Host::name) == known_hosts_.end())
      known_hosts_.push_back(hosts[i]);
    Task task = pattern_;
    task.job = start.plan.parts[i];
    if (stays_here_) task.environment.emplace_back("GONDWANA_NETWORK=127.0.0.0/8");
    if (const Result<void> started = start_host(hosts[i], std::move(task)); !started)
      return handle(GrowthFailed{started.error().text});
  }
}

// A connection may be in use by a caller, so it exists until the end of the job.
void Conductor::drop_hosts(std::uint32_t first) {
  for (; hosts_.size() > first; hosts_.pop_back()) former_.push_back(std::move(hosts_.back()));
  std::erase_if(nodes_, [first](const auto& each) { return each.second >= first; });
  std::erase_if(to_report_, [first](std::uint32_t node) { return node >= first; });
  traces_.resize(first);
}

// Output, input, clocks and traces are handled here; JobOnHosts decides about the rest.
void Conductor::on_frame(std::uint32_t node, Frame& frame, std::uint64_t now) {
  if (node >= hosts_.size()) return;  // dropped
  HostConnection& host = *hosts_[node];
  if (auto* output = std::get_if<Output>(&frame)) {
    if (host.count_output(output->text.size())) to_report_.push_back(node);
    return output_.write(output->rank, output->which, output->text);
  }
  if (const auto* said = std::get_if<Said>(&frame)) return output_.say(said->sentence);
  if (const auto* taken = std::get_if<Taken>(&frame)) return input_.on_taken(taken->bytes);
  if (std::holds_alternative<Deaf>(frame)) return input_.stop();
  if (const auto* pong = std::get_if<Pong>(&frame)) {
    if (traces_.on_pong(node, *pong, now) && job_.trace.is_on()) host.send(Ping{now});
    return;
  }
  if (const auto* part = std::get_if<TracePart>(&frame)) {
    if (const Result<void> added = traces_.add(node, *part); !added)
      output_.say(fmt::format("--trace: host {}: {}", host.name(), added.error().text));
    return;
  }
  handle(HostSaid{node, std::move(frame)});
}

void Conductor::on_child_ended(pid_t pid, int wait_status) {
  const auto found = nodes_.find(pid);
  if (found == nodes_.end()) return;
  const std::uint32_t node = found->second;
  nodes_.erase(found);
  hosts_[node]->on_child_ended();
  handle(HostProcessEnded{node, wait_status, stretched(close_interval_ns)});
}

void Conductor::handle(const HostsEvent& event) {
  for (const HostsAction& action : decisions_.handle(event, monotonic_ns())) perform(action);
}

void Conductor::perform(const HostsAction& action) {
  std::visit(Overloaded{[this](const Said& said) { output_.say(said.sentence); },
                        [this](const Send& send) { this->send(send); },
                        [this](const CloseHost& host) { hosts_[host.node]->close(host.is_killed); },
                        [this](const LookAtHost& host) { handle(hosts_[host.node]->look()); },
                        [this](const StartInput& reader) {
                          input_.start([&host = *hosts_[reader.node]](std::string text) {
                            host.send(Input{std::move(text)});
                          });
                        },
                        [this](const StopInput&) { input_.stop(); },
                        [this](const StartHosts& start) { add_hosts(start); },
                        [this](const DropHosts& drop) { drop_hosts(drop.first); },
                        [this](Explain how) { explain(how); }},
             action);
}

// All hosts get the same bytes, which are encoded once and kept once.
void Conductor::send(const Send& send) {
  const auto bytes =
      std::make_shared<const std::string>(encode(send.frame, parts_.front().share.tag));
  for (const std::uint32_t node : send.to) hosts_[node]->send(bytes);
}

// The hosts must hear from the conductor meanwhile, or they would consider it dead. A signal ends
// the search for reasons.
void Conductor::explain(Explain how) {
  const std::uint64_t max_wait_ns = how == Explain::shortly
                                        ? short_look_time_ns
                                        : std::min(stretched(look_time_ns), max_check_ns);
  const std::string id = jobs::FoundJob::id_of(job_number(parts_.front().share.tag));
  const std::optional<std::string> report = why::examine_job(id, known_hosts_, max_wait_ns, [this] {
    ping_hosts();
    return events_.hold();
  });
  if (report && !report->empty()) output_.say(*report);
}

void Conductor::step() {
  handle(Tick{});
  ping_hosts();
  if (!output_.is_full(Standard::output) && !output_.is_full(Standard::error))
    for (const std::uint32_t node : std::exchange(to_report_, {})) hosts_[node]->report_output();
  input_.step();
  output_.flush();
  if (output_.failure() != 0) handle(OutputFailed{output_.failure()});
  events_.deliver_held();
}

void Conductor::ping_hosts() {
  const std::uint64_t now = monotonic_ns();
  if (now < ping_at_ns_) return;
  const auto ping =
      std::make_shared<const std::string>(encode(Ping{now}, parts_.front().share.tag));
  for (std::uint32_t node = 0; node < hosts_.size(); ++node)
    if (!decisions_.is_over(node)) hosts_[node]->send(ping);
  ping_at_ns_ = now + ping_every_ns_;
}

int Conductor::next_timeout_ms() const {
  NextTime next;
  next.consider(ping_at_ns_);
  next.consider(decisions_.next_ns());
  next.consider(input_.next_ns());
  next.consider(output_.next_ns());
  return next.timeout_ms();
}

void Conductor::write_trace() {
  for (std::uint32_t node = 0; node < hosts_.size(); ++node)
    if (const auto fault = traces_.fault(node))
      output_.say(fmt::format("--trace: events of node {} on host {} are missing: {}", node,
                              hosts_[node]->name(), *fault));
  const Result<std::string> written = trace::write_trace(
      traces_.take(), job_.trace.file, std::chrono::milliseconds(job_.trace.last_ms));
  output_.say("--trace: " + (written ? *written : written.error().text));
  if (!written) handle(TraceFailed{});
}

int Conductor::finish() {
  const Outcome& outcome = decisions_.outcome();
  end_connections();
  if (const std::string dead = decisions_.describe_dead(); !dead.empty()) output_.say(dead);
  if (job_.trace.is_written(outcome.status.value_or(0))) write_trace();
  output_.release();
  write_final_output([this] { return output_.flush(); }, outcome, poller_);
  if (output_.failure() != 0) handle(OutputFailed{output_.failure()});
  output_.flush();
  return outcome.of_job();
}

// ssh ends when its remote launcher has ended; one that hangs is killed.
void Conductor::end_connections() {
  Ending ending;
  Descendants below;
  ending.wait_at_most(close_timeout_ns, monotonic_ns());
  for (;;) {
    below.step(ending);
    if (ending.is_over()) return;
    poller_.wait(5);
  }
}

}  // namespace gondwana::launch
