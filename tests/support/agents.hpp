// Node agents as threads of this process, over a network within this machine.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "core/unique_fd.hpp"
#include "core/variables.hpp"
#include "memory/node_memory.hpp"
#include "network/settings.hpp"
#include "remote/agent/agent.hpp"

namespace gondwana::test {

using Nodes = std::vector<std::shared_ptr<NodeMemory>>;

inline constexpr std::uint64_t job_tag = 0x7e57'7e57'7e57'7e57;

// A network within this machine, with the named library, the configured one, or libfabric.
inline network::Settings loopback_network(std::string_view library = {}) {
  const Result<Options> options =
      read_options([](const char* name) -> const char* { return std::getenv(name); });
  GONDWANA_ASSERT(static_cast<bool>(options), 0);
  network::Settings settings = *network::settings_of(*options);
  settings.subnet = *network::parse_subnet("127.0.0.0/8");
  if (!library.empty()) settings.library = library;
  if (settings.library.empty()) settings.library = "ofi";
  if (settings.library == "ofi" && settings.provider.empty()) settings.provider = "tcp;ofi_rxm";
  return settings;
}

// Network libraries are not built with ThreadSanitizer.
inline bool has_network(std::string_view library = {}) {
#if defined(__SANITIZE_THREAD__)
  static_cast<void>(library);
  return false;
#else
  return static_cast<bool>(describe_network(loopback_network(library)));
#endif
}

// A node agent in a thread, until it is destroyed.
class AgentThread {
 public:
  struct Manner {
    bool carries = false;              // forwards the messages of its ranks
    std::uint32_t peer_timeout_s = 0;  // with the silence of others; 0: without a limit
    std::shared_ptr<Kinds> kinds = {};
  };

  AgentThread(const std::shared_ptr<NodeMemory>& memory, const Manner& manner) {
    Result<std::unique_ptr<NodeAgent>> agent =
        NodeAgent::open({.memory = memory,
                         .job_tag = job_tag,
                         .settings = loopback_network(),
                         .kinds = manner.kinds,
                         .carries = manner.carries,
                         .peer_timeout_s = manner.peer_timeout_s});
    if (!agent) {
      fmt::print(stderr, "node agent: {}\n", agent.error().text);
      std::abort();
    }
    agent_ = *std::move(agent);
    std::array<int, 2> ends{};
    GONDWANA_ASSERT(::pipe(ends.data()) == 0, errno);
    orders_ = UniqueFd(ends[0]);
    end_ = UniqueFd(ends[1]);
    thread_ = std::jthread([this] { agent_->serve(orders_.get()); });
  }
  AgentThread(const AgentThread&) = delete;
  AgentThread& operator=(const AgentThread&) = delete;
  ~AgentThread() { end_.reset(); }

  const NodeContact& contact() const { return agent_->contact(); }
  // Ends the agent. Returns its counters of dropped requests.
  NodeAgent::Dropped stop() {
    end_.reset();
    thread_.join();
    return agent_->dropped();
  }

 private:
  std::unique_ptr<NodeAgent> agent_;
  UniqueFd orders_;
  UniqueFd end_;
  std::jthread thread_;
};

// Starts the agents of all nodes, which know each other when this returns.
inline std::vector<std::unique_ptr<AgentThread>> start_agents(
    const Nodes& nodes, const AgentThread::Manner& manner = {}) {
  std::vector<std::unique_ptr<AgentThread>> agents;
  for (const auto& node : nodes) agents.push_back(std::make_unique<AgentThread>(node, manner));
  for (const auto& node : nodes) {
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      node->nodes().write(i, agents[i]->contact());
      node->entry(i).state.store(NodeState::known, std::memory_order_release);
    }
  }
  return agents;
}

}  // namespace gondwana::test
