// The nodes of a job with threads of this process as ranks, and the wires between them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "memory/node_memory.hpp"
#include "remote/client/client.hpp"
#include "remote/transport.hpp"
#include "support/agents.hpp"
#include "support/faulty.hpp"
#include "support/loopback/loopback.hpp"

namespace gondwana::test {

// The connection between the ranks: see rank_main.cpp.
enum class Over : std::uint8_t {
  memory,
  wire,
  faulty,
  nodes,
  faulty_nodes,
  ofi,
  ofi_alone,
  agents,
  processes
};

inline std::optional<Over> over_of(std::string_view name) {
  static const std::map<std::string_view, Over> names{{"memory", Over::memory},
                                                      {"wire", Over::wire},
                                                      {"faulty", Over::faulty},
                                                      {"nodes", Over::nodes},
                                                      {"faulty-nodes", Over::faulty_nodes},
                                                      {"ofi", Over::ofi},
                                                      {"ofi-alone", Over::ofi_alone},
                                                      {"agents", Over::agents},
                                                      {"processes", Over::processes}};
  const auto found = names.find(name);
  return found == names.end() ? std::nullopt : std::optional(found->second);
}

inline bool goes_by_network(Over over) {
  return over == Over::ofi || over == Over::ofi_alone || over == Over::agents;
}
// Whether ranks of one node share memory. Otherwise all ranks are one node; over a wire no rank
// accesses its memory directly.
inline bool has_nodes(Over over) {
  return over == Over::nodes || over == Over::faulty_nodes || goes_by_network(over);
}

// An exception would leave the other ranks waiting.
template <typename T>
T get_or_abort(Result<T> result) {
  if (!result) {
    fmt::print(stderr, "rank tests: {}\n", result.error().text);
    std::abort();
  }
  return *std::move(result);
}

inline const char* own_variables(const char* name) {
  return std::getenv(name);
}

class JobNodes {
 public:
  // `per_node`: ranks per node, if the job has nodes; 0: half of them.
  JobNodes(Over over, std::uint32_t ranks, std::uint64_t seed, std::uint32_t per_node = 0)
      : over_(over),
        per_node_(per_node),
        seed_(seed),
        boxes_(std::make_shared<MessageQueues>(ranks)),
        kinds_(std::make_shared<Kinds>(get_or_abort(read_options(own_variables)))) {
    const std::uint32_t each = ranks_per_node(ranks);
    const std::uint32_t number = (ranks + each - 1) / each;
    for (std::uint32_t node = 0; node < number; ++node) {
      const std::uint32_t first = node * each;
      const NodeShare share{std::min(each, ranks - first), first, node, number, ranks};
      memories_.push_back(get_or_abort(NodeMemory::create(share)));
    }
    if (goes_by_network(over_))
      agents_ = start_agents(memories_, {.carries = over_ == Over::agents, .kinds = kinds_});
    else
      introduce_nodes();
  }

  const std::shared_ptr<NodeMemory>& home(Rank rank) const {
    return *std::ranges::find_if(
        memories_, [&](const auto& memory) { return memory->roster().is_here(rank); });
  }
  const std::shared_ptr<Kinds>& kinds() const { return kinds_; }
  bool use_reach() const { return over_ == Over::memory || has_nodes(over_); }
  Wire wire(Rank rank) const {
    if (over_ == Over::memory) return {};
    if (goes_by_network(over_)) return network(rank);
    auto loopback = std::make_unique<Loopback>(
        Loopback::Setup{.nodes = memories_, .me = rank, .boxes = boxes_, .kinds = kinds_});
    if (over_ == Over::wire || over_ == Over::nodes) return Wire(std::move(loopback));
    return Wire(std::make_unique<Faulty>(std::move(loopback), seed_ * 1000 + index(rank)));
  }

 private:
  // The last node may have fewer.
  std::uint32_t ranks_per_node(std::uint32_t ranks) const {
    if (over_ == Over::ofi_alone) return 1;
    if (!has_nodes(over_)) return ranks;
    return per_node_ > 0 ? per_node_ : (ranks + 1) / 2;
  }

  // The parts of an info that the engine needs, where no agent wrote it.
  void introduce_nodes() {
    for (const auto& memory : memories_) {
      for (std::uint32_t i = 0; i < memories_.size(); ++i) {
        memory->entry(i).info.ranks = memories_[i]->roster().here();
        memory->entry(i).state.store(NodeState::known, std::memory_order_release);
      }
    }
  }

  Wire network(Rank rank) const {
    return Wire(get_or_abort(RemoteClient::open({.memory = home(rank),
                                                 .me = rank,
                                                 .job_tag = job_tag,
                                                 .settings = loopback_network(),
                                                 .through_agent = over_ == Over::agents})));
  }

  Over over_;
  std::uint32_t per_node_;
  std::uint64_t seed_;
  std::shared_ptr<MessageQueues> boxes_;
  std::shared_ptr<Kinds> kinds_;  // of all ranks: they are one process
  Nodes memories_;
  std::vector<std::unique_ptr<AgentThread>> agents_;
};

}  // namespace gondwana::test
