// A conductor's decisions and the events that a test makes up for them, without a process, a pipe
// or a clock.
#pragma once

#include <algorithm>
#include <csignal>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/remote/job_on_hosts.hpp"
#include "support/job_parts.hpp"

namespace gondwana::launch::test {

// A job on hosts a, b and so on, with one rank each, and its time. Actions are kept until the test
// takes them. A peer timeout of 0: a debugger stops ranks.
class Hosts {
 public:
  explicit Hosts(std::uint32_t hosts, std::uint32_t peer_timeout_s = 20,
                 std::optional<std::chrono::milliseconds> timeout = {},
                 OnDeath on_death = OnDeath::end, std::optional<std::uint32_t> max_ranks = {},
                 std::uint32_t restarts = 0)
      : peer_timeout_s_(peer_timeout_s), parts_(hosts), heard_(hosts, now_) {
    job_.max_ranks = max_ranks;
    job_.programs.emplace_back().ranks = hosts;
    job_.timeout = timeout;
    job_.on_death = on_death;
    job_.restart.times = restarts;
    for (std::uint32_t node = 0; node < hosts; ++node) {
      parts_[node].programs.emplace_back().ranks = 1;
      parts_[node].share = {.nodes = hosts, .first = node, .total = hosts, .spare_nodes = restarts};
      job_.hosts.push_back({std::string(1, static_cast<char>('a' + node))});
    }
    for (std::uint32_t node = 1; node < hosts; ++node) parts_[node].streams.reader.reset();
    decides_.emplace(job_, parts_, now_);
    for (std::uint32_t node = 0; node < hosts; ++node) start(node);
  }

  void start(std::uint32_t node) {
    heard_.resize(std::max<std::size_t>(heard_.size(), node + 1));
    heard_[node] = now_;
    tell(HostStarted{node,
                     {.name = std::string(1, static_cast<char>('a' + node)),
                      .way = "ssh",
                      .by_ssh = true,
                      .peer_timeout_s = peer_timeout_s_,
                      .start_limit_s = peer_timeout_s_ + 2}});
  }
  void tell(const HostsEvent& event) {
    for (HostsAction& action : decides_->handle(event, now_)) {
      if (const auto* look = std::get_if<LookAtHost>(&action))
        tell(HostSeen{look->node, heard_[look->node], false, error_text});
      else
        done_.push_back(std::move(action));
    }
  }
  void say(std::uint32_t node, Frame frame) {
    heard_[node] = now_;
    tell(HostSaid{node, std::move(frame)});
  }
  void join_all() {
    for (std::uint32_t node = 0; node < parts_.size(); ++node) say(node, Hello{});
    for (std::uint32_t node = 0; node < parts_.size(); ++node)
      say(node, ThisNode{std::to_string(node)});
    done_.clear();
  }
  void pass(std::uint64_t time_ns) {
    now_ += time_ns;
    tell(Tick{});
  }
  void hear(std::uint32_t node) { heard_[node] = now_; }

  std::string said() {
    std::string text;
    for (const HostsAction& action : done_)
      if (const auto* said = std::get_if<Said>(&action)) text += said->sentence + "\n";
    return text;
  }
  // What was sent to the host since the last call.
  template <typename Kind>
  std::vector<Kind> sent(std::uint32_t node) {
    std::vector<Kind> frames;
    for (HostsAction& action : done_) {
      auto* send = std::get_if<Send>(&action);
      const Kind* frame = send != nullptr ? std::get_if<Kind>(&send->frame) : nullptr;
      if (frame != nullptr && std::erase(send->to, node) != 0) frames.push_back(*frame);
    }
    return frames;
  }
  HostsActions take_all() { return std::exchange(done_, {}); }
  template <typename Action>
  std::vector<Action> done() const {
    std::vector<Action> actions;
    for (const HostsAction& action : done_)
      if (const auto* it = std::get_if<Action>(&action)) actions.push_back(*it);
    return actions;
  }
  const JobOnHosts& is() const { return *decides_; }

  std::string error_text;  // of each ssh

 private:
  std::uint32_t peer_timeout_s_;
  Job job_;
  std::vector<Job> parts_;
  std::uint64_t now_ = 1000 * second;
  std::vector<std::uint64_t> heard_;
  std::optional<JobOnHosts> decides_;
  HostsActions done_;
};

}  // namespace gondwana::launch::test
