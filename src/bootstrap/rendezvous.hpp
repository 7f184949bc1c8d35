// How the ranks of a foreign launcher become a job.
//
// All ranks publish their names and wait for each other; then each knows the address of its node's
// first rank. On one node the first rank hands out the memory, and the job is complete. On several
// nodes the first rank of each makes its memory and starts its node agent. In a second round these
// ranks publish how to reach their nodes.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "bootstrap/agent_start.hpp"
#include "bootstrap/deadline.hpp"
#include "bootstrap/job_memory.hpp"
#include "bootstrap/join.hpp"
#include "bootstrap/key_value_space.hpp"
#include "bootstrap/node_map.hpp"
#include "bootstrap/process_info.hpp"
#include "bootstrap/rendezvous_server.hpp"
#include "bootstrap/roll_call.hpp"
#include "bootstrap/started_by.hpp"
#include "core/mapping.hpp"
#include "memory/node_table.hpp"

namespace gondwana {

template <KeyValueSpace Space>
class Rendezvous {
 public:
  // All must outlive this object.
  Rendezvous(Space& space, const StartedBy& by, const Deadline& deadline)
      : space_(space), by_(by), deadline_(deadline) {}

  // `node_ranks`: the most that may share memory; 0: all that can.
  Result<Membership> join(std::uint32_t node_ranks) {
    own_ = {own_node(), own_host(), node_ranks, {}};
    if (const Result<void> done = introduce(); !done) return done.error();
    const Result<ProcessInfo> first = info_of(0);
    if (!first) return first.error();
    if (!first->invitation) return Error{Errc::malformed, "rank 0 invites nobody"};
    const Result<std::uint32_t> host = find_first_of_node(
        space_.rank(), first->node_ranks, [&](std::uint32_t other) -> Result<bool> {
          const Result<ProcessInfo> info = info_of(other);
          if (!info) return info.error();
          return info->node == own_.node;
        });
    if (!host) return host.error();
    if (const Result<void> looked = look_at_the_last(*first); !looked) return looked.error();
    return *host == space_.rank() ? join_as_host(*first) : join_as_guest(*host, *first);
  }

 private:
  // Publishes this rank, and returns when all others have published theirs.
  Result<void> introduce() {
    if (space_.rank() == 0) {
      if (Result<void> opened = open_reception(0); !opened) return opened;
      own_.invitation = rendezvous_server_->invitation();
    }
    const RollCall roll_call(space_.job(), space_.rank());
    if (Result<void> said = space_.put(Round::ranks, write_info(own_)); !said) return said;
    const Result<bool> all = space_.fence(deadline_);
    if (!all) return all.error();
    if (!*all) return not_all_came(roll_call);
    return {};
  }

  Result<void> open_reception(std::uint64_t tag) {
    Result<RendezvousServer> rendezvous_server = RendezvousServer::open(space_.size(), tag);
    if (!rendezvous_server) return rendezvous_server.error();
    rendezvous_server_ = *std::move(rendezvous_server);
    return {};
  }

  // All ranks of a host wait for the same ranks, so all report the same missing ones.
  Error not_all_came(const RollCall& roll_call) const {
    return {
        Errc::peer_lost,
        fmt::format("of {} ranks these did not join within {} s (GONDWANA_JOIN_TIMEOUT): {}. "
                    "Is every process that {} started the same program? Ranks on hosts other "
                    "than {} are named in any case",
                    space_.size(), deadline_.seconds(),
                    fmt::join(roll_call.missing(space_.size()), ", "), by_.launcher, own_.host)};
  }

  Result<ProcessInfo> info_of(std::uint32_t rank) {
    const Result<std::string> text = space_.get(Round::ranks, rank);
    if (!text) return text.error();
    return read_info(*text, rank);
  }

  Result<NodeOffer> offer_of(std::uint32_t host) {
    std::string text;
    for (Round round = Round::nodes;; round = after(round)) {
      const Result<std::string> part = space_.get(round, host);
      if (!part) return part.error();
      text += part->substr(0, part->find(more_follows));
      if (!part->ends_with(more_follows)) return read_offer(text, host);
    }
  }

  // In values within the limits of all launchers.
  Result<void> tell_offer(std::string_view text) {
    for (Round round = Round::nodes;; round = after(round)) {
      std::string part(text.substr(0, longest_value - 1));
      text.remove_prefix(part.size());
      if (!text.empty()) part += more_follows;
      Result<void> said = space_.put(round, part);
      if (!said || text.empty()) return said;
    }
  }

  Result<std::vector<NodeShare>> all_nodes() {
    std::vector<ProcessInfo> infos;
    for (std::uint32_t rank = 0; rank < space_.size(); ++rank) {
      Result<ProcessInfo> info = info_of(rank);
      if (!info) return info.error();
      infos.push_back(*std::move(info));
    }
    return find_nodes(infos, by_.in_order);
  }

  bool has_one_node(const ProcessInfo& first) const {
    return stays_here_ && (first.node_ranks == 0 || space_.size() <= first.node_ranks);
  }

  // Whether all ranks are on this machine. Not all infos are read: if the first and the last could
  // share memory, so could those between them; if not, rank 0 detects and reports it. Then no port
  // on the network is opened.
  Result<void> look_at_the_last(const ProcessInfo& first) {
    const Result<ProcessInfo> last = info_of(space_.size() - 1);
    if (!last) return last.error();
    stays_here_ = last->node == first.node;
    const bool is_chosen = !own_setting(VariableId::gondwana_network).is_default();
    if (stays_here_ && !has_one_node(first) && !is_chosen)
      ::setenv("GONDWANA_NETWORK", "127.0.0.0/8", 1);
    return {};
  }

  Result<Membership> join_as_guest(std::uint32_t host, const ProcessInfo& first) {
    const RendezvousClient client{host, space_.rank()};
    if (has_one_node(first)) return visit(*first.invitation, client, deadline_);
    if (const Result<void> done = wait_for_nodes(); !done) return done.error();
    const Result<NodeOffer> offer = offer_of(host);
    if (!offer) return offer.error();
    return visit(offer->invitation, client, deadline_);
  }

  Result<Membership> join_as_host(const ProcessInfo& first) {
    const Result<std::vector<NodeShare>> nodes = all_nodes();
    if (!nodes) return nodes.error();
    const std::uint64_t tag = first.invitation->tag;
    if (!rendezvous_server_)
      if (const Result<void> opened = open_reception(tag); !opened) return opened.error();
    Result<JobMemory> memory = JobMemory::create(share_of(*nodes), tag, own_environment());
    if (!memory) return memory.error();
    UniqueFd lifeline;
    if (nodes->size() > 1) {
      Result<UniqueFd> open = open_node(*memory, *nodes);
      if (!open) return open.error();
      lifeline = *std::move(open);
    }
    return (*std::move(rendezvous_server_))
        .serve(*std::move(memory), std::move(lifeline), deadline_);
  }

  const NodeShare& share_of(const std::vector<NodeShare>& nodes) const {
    for (const NodeShare& node : nodes)
      if (node.node_ranks().holds(Rank(space_.rank()))) return node;
    GONDWANA_ASSERT(false, space_.rank());
    return nodes.front();
  }

  // The second round. Returns what ties the agent of this node to its ranks.
  Result<UniqueFd> open_node(const JobMemory& memory, const std::vector<NodeShare>& nodes) {
    Result<StartedAgent> agent = start_agent(memory, deadline_);
    if (!agent) return agent.error();
    const std::string offer = write_offer({rendezvous_server_->invitation(), agent->contact});
    if (const Result<void> said = tell_offer(offer); !said) return said.error();
    if (const Result<void> done = wait_for_nodes(); !done) return done.error();
    if (const Result<void> known = write_entries(memory, nodes); !known) return known.error();
    return std::move(agent->lifeline);
  }

  Result<void> wait_for_nodes() {
    const Result<bool> all = space_.fence(deadline_);
    if (!all) return all.error();
    if (*all) return {};
    return Error{Errc::peer_lost,
                 fmt::format("not all hosts were ready within {} s (GONDWANA_JOIN_TIMEOUT); did a "
                             "rank elsewhere end?",
                             deadline_.seconds())};
  }

  // From then on the ranks of this node know how to reach all others.
  Result<void> write_entries(const JobMemory& memory, const std::vector<NodeShare>& nodes) {
    const ControlLayout layout(memory.plan());
    const Result<Mapping> control = Mapping::shared(memory.control(), layout.size());
    if (!control) return control.error();
    NodeTable table(control->data(), layout);
    for (const NodeShare& node : nodes) {
      const Result<NodeOffer> offer = offer_of(index(node.node_ranks().front()));
      if (!offer) return offer.error();
      table.write(node.node, offer->contact);
      // The ranks acquire it.
      table.entry(node.node).state.store(NodeState::known, std::memory_order_release);
    }
    return {};
  }

  static constexpr char more_follows = '+';  // marks the end of a value

  Space& space_;
  const StartedBy& by_;
  const Deadline& deadline_;
  ProcessInfo own_;
  bool stays_here_ = false;
  std::optional<RendezvousServer> rendezvous_server_;  // of a node's first rank
};

}  // namespace gondwana
