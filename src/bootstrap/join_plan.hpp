// How a rank of a foreign launcher joins its job: what has happened comes in, the next step goes
// out. It makes no system call; Rendezvous does.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "bootstrap/process_info.hpp"
#include "core/result.hpp"
#include "memory/node_plan.hpp"

namespace gondwana {

struct JoinBegins {};
struct ServerOpened {
  Invitation invitation;
};
struct Published {};
// The wait for all ranks is over.
struct AllWaited {
  std::uint32_t seconds;               // at most
  std::vector<std::uint32_t> missing;  // ranks of all hosts that have not joined
  bool all_came;
};
struct Fetched {
  std::uint32_t rank;
  ProcessInfo info;
};
struct Stayed {};  // answers StayNamed
using JoinEvent = std::variant<JoinBegins, ServerOpened, Published, AllWaited, Fetched, Stayed>;

struct OpenServer {
  std::uint64_t tag;  // of the job; 0: chosen then
};
struct Publish {
  ProcessInfo info;
};
struct WaitForAll {};
// Keep the name in the roll call for this time: a rank whose wait ends a little later must not miss
// one that gives up.
struct StayNamed {
  std::uint32_t ms;
};
struct Fetch {
  std::uint32_t rank;
};
// Get the memory from the first rank of the node.
struct BeGuest {
  std::uint32_t host;
  std::optional<Invitation> invitation;  // nothing: it comes in the second round
};
// Make the memory of a node.
struct BeHost {
  std::vector<NodeShare> nodes;
  std::uint32_t node;
  std::uint64_t tag;
};
using JoinStep =
    std::variant<OpenServer, Publish, WaitForAll, StayNamed, Fetch, BeGuest, BeHost, Error>;

class JoinPlan {
 public:
  struct Self {
    std::uint32_t rank;
    std::uint32_t size;
    ProcessInfo info;
    std::string_view launcher;  // for messages
    std::string_view in_order;  // how to make it fill the nodes in order
  };

  explicit JoinPlan(Self self) : self_(std::move(self)) {}

  JoinStep handle(const JoinEvent& event);
  // All ranks are on this machine, in several nodes: no port on the network is needed.
  bool is_loopback_enough() const { return stays_here_ && !has_one_node_; }

 private:
  JoinStep next();
  const ProcessInfo* find(std::uint32_t rank) const;
  JoinStep be_host(const Invitation& first);
  Error missing_ranks(const AllWaited& waited) const;

  Self self_;
  std::map<std::uint32_t, ProcessInfo> infos_;
  std::uint32_t known_ = 0;  // the infos of all ranks below
  bool is_published_ = false;
  bool is_open_ = false;
  bool stays_here_ = false;
  bool has_one_node_ = false;
  std::optional<AllWaited> waited_in_vain_;
};

// Which ranks of a node have got their memory from its first rank.
class Guests {
 public:
  Guests(const NodeShare& share, std::uint64_t password)
      : ranks_(share.node_ranks()), password_(password), served_(share.slots()) {
    served_[0] = true;
  }

  // Returns the number of the rank on its node, or nothing if the rank is rejected. Each rank is
  // admitted once.
  std::optional<std::uint32_t> admit(std::uint64_t password, std::uint32_t rank);
  // The ranks that have not been admitted.
  std::vector<std::uint32_t> missing() const;

 private:
  NodeRanks ranks_;
  std::uint64_t password_;
  std::vector<bool> served_;
};

}  // namespace gondwana
