#include "run/remote/host_life.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "base/exit_status.hpp"
#include "core/machine.hpp"
#include "link/way_to_host.hpp"
#include "run/node/diagnosis.hpp"

namespace gondwana::launch {
namespace {

constexpr std::uint64_t never_ns = std::numeric_limits<std::uint64_t>::max();

// Removes the last line of ssh about a lost connection, because our message contains it.
std::string without_consequence(const std::string& said) {
  std::istringstream lines(said);
  std::string result;
  for (std::string line; std::getline(lines, line);)
    if (line.find("Broken pipe") == std::string::npos) result += line + '\n';
  return result;
}

}  // namespace

void HostLife::on_pipe_ended(std::string why, std::uint64_t time_ns, std::uint64_t now) {
  pipe_ended_ = true;
  malformed_ = std::move(why);
  if (report_deadline_ns_ == 0) report_deadline_ns_ = now + time_ns;
}

void HostLife::on_process_ended(int wait_status, std::uint64_t time_ns, std::uint64_t now) {
  wait_status_ = wait_status;
  if (report_deadline_ns_ == 0) report_deadline_ns_ = now + time_ns;
}

std::optional<HostEnd> HostLife::look(const HostSeen& seen, std::uint64_t now) {
  heard_ns_ = seen.heard_ns;
  const bool ended = now >= ended_at_ns();
  // This process may have been stopped itself, so data that arrived meanwhile counts.
  const bool silent = now >= silent_at_ns() && !seen.has_unread;
  if (over_ || (!ended && !silent)) return std::nullopt;
  return HostEnd{loss_status(), ended ? describe_end(seen.error_text) : describe_silence(),
                 consequence(!ended), !ended};
}

std::optional<std::uint64_t> HostLife::next_ns() const {
  const std::uint64_t next = std::min(ended_at_ns(), silent_at_ns());
  return !over_ && next != never_ns ? std::optional(next) : std::nullopt;
}

std::uint64_t HostLife::ended_at_ns() const {
  if (report_deadline_ns_ == 0) return never_ns;
  return !malformed_.empty() || (wait_status_ && pipe_ended_) ? 0 : report_deadline_ns_;
}

std::uint64_t HostLife::silent_at_ns() const {
  // If the connection ends, its end is the reason.
  if (facts_.peer_timeout_s == 0 || report_deadline_ns_ != 0) return never_ns;
  return heard_ns_ + silence_limit_s() * second_ns;
}

std::uint32_t HostLife::silence_limit_s() const {
  return hello_ ? facts_.peer_timeout_s : facts_.start_limit_s;
}

int HostLife::loss_status() const {
  // Before the remote launcher runs, a status comes from ssh, or from a shell there.
  const int status = wait_status_ ? exit_status(*wait_status_) : 0;
  const bool told = hello_ || (wait_status_ && WIFSIGNALED(*wait_status_));
  return told && status != 0 && status != link::ssh_cannot_connect ? status : exit_failure;
}

std::string HostLife::describe_silence() const {
  const std::string since = hello_ ? "" : fmt::format(" since {} was started", facts_.way);
  return fmt::format("host {} was silent for {} s{}", facts_.name, silence_limit_s(), since);
}

std::string HostLife::consequence(bool is_silent) const {
  if (is_silent) return "; it counts as dead and the job is ended";
  return hello_ && malformed_.empty() ? "; the job is ended" : "";
}

std::string HostLife::describe_end(const std::string& error_text) const {
  const std::string reason = link::one_line(without_consequence(error_text));
  const std::string said = reason.empty() ? "" : ": " + reason;
  if (!malformed_.empty()) return fmt::format("host {}: {}", facts_.name, malformed_);
  const std::string how = wait_status_ ? describe_exit(*wait_status_) : "closed its output";
  if (hello_) {
    return fmt::format("the connection to host {} is lost, {} {}{}", facts_.name, facts_.way, how,
                       said);
  }
  const int status = wait_status_ && WIFEXITED(*wait_status_) ? WEXITSTATUS(*wait_status_) : -1;
  if (status == link::ssh_cannot_connect && facts_.by_ssh)
    return fmt::format("host {}: ssh cannot connect{}", facts_.name, said);
  const bool no_command = status == exit_not_found || status == exit_not_runnable;
  return fmt::format(
      "host {}: cannot start the remote launcher, {} {}{}{}", facts_.name, facts_.way, how, said,
      no_command ? "; set GONDWANA_REMOTE_PATH to the command gondwana on that host" : "");
}

}  // namespace gondwana::launch
