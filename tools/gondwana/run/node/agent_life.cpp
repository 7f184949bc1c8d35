#include "run/node/agent_life.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <csignal>

namespace gondwana::launch {
namespace {

// UCX 1.13 has an assertion that fails if a connection ends while it is being established.
std::string describe_fault_of_ucx(std::string_view network, int wait_status) {
  const bool has_aborted = WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGABRT;
  if (!network.starts_with("UCX 1.13") || !has_aborted) return {};
  return ". UCX 1.13 sometimes aborts if a connection is lost while it is established; 1.14 does "
         "not";
}

}  // namespace

std::vector<std::string> AgentLife::hear(std::string_view bytes) {
  constexpr std::string_view own_beginning = "gondwana: node agent: ";
  std::vector<std::string> sentences;
  line_ += bytes;
  for (std::size_t end = 0; (end = line_.find('\n')) != std::string::npos;
       line_.erase(0, end + 1)) {
    std::string_view error_text = std::string_view(line_).substr(0, end);
    if (error_text.starts_with(own_beginning)) error_text.remove_prefix(own_beginning.size());
    if (why_)
      *why_ += fmt::format("{}{}", why_->empty() ? "" : " / ", error_text);
    else
      sentences.push_back(sentence(error_text));
  }
  return sentences;
}

std::string AgentLife::serve() {
  const std::string why = std::exchange(why_, std::nullopt).value_or("");
  return why.empty() ? "" : sentence(why);
}

AgentLost AgentLife::end(pid_t pid, int wait_status, std::string_view network,
                         std::uint64_t pause_ns) const {
  return {.pid = pid,
          .wait_status = wait_status,
          .error_text = why_.value_or("").empty() ? "" : sentence(*why_),
          .fault = describe_fault_of_ucx(network, wait_status),
          .pause_ns = pause_ns};
}

std::string AgentLife::sentence(std::string_view error_text) const {
  return fmt::format("the node agent on host {}: {}", host_, error_text);
}

}  // namespace gondwana::launch
